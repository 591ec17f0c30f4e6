"""``gnubg-py judge FILE OUT``: roll out the plays that matter until their differences are known."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.comparing import PLAYER_HELP
from gnubg_py.compare.agreement import equities_of
from gnubg_py.compare.decisions import Decisions, some_decisions
from gnubg_py.compare.judge import Blocks, Judge, RollToJudge, candidates_of, judge_roll
from gnubg_py.compare.judge_file import (
    Judged,
    Key,
    judged_line,
    read_judged,
    roll_key,
    rolls_of_file,
    write_judged,
)
from gnubg_py.compare.players import Player, evaluator_player, player_named, workers_for
from gnubg_py.engine import engine_of
from gnubg_py.exits import DONE, INTERRUPTED
from gnubg_py.files import check_target
from gnubg_py.messages import print_answer, progress, say
from gnubg_py.notation.position_id import position_ids
from gnubg_py.rollouts.run import identity
from gnubg_py.search.settings import EvalSettings
from gnubg_py.workers import Workers

_SAVE_SECONDS = 30.0


def configure_judge(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``judge``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("file", type=Path, help="judged decisions (.jsonl, .gz), or positions with their rolls")
    add("out", type=Path, help="the judged file; what it has already is kept and added to")
    add("--player", nargs="+", action="extend", default=[], metavar="NAME",
        help=f"players whose plays are judged: {PLAYER_HELP}")  # fmt: skip
    add("--evaluator", metavar="NAME", help="who plays the rollouts (default: net)")
    add("--ply", type=int, default=0, help="rolls to look ahead in them (default: 0)")
    add("--error", type=float, default=0.005,
        help="wanted standard error of differences, in points (default: 0.005)")  # fmt: skip
    add("--trials", type=int, default=2592, help="at most, of each play (default: 2592)")
    add("--seed", type=int, default=0, help="the dice (default: 0)")
    add("--estimate-ply", type=int, default=1,
        help="rolls to look ahead for the plays that could be the best (default: 1)")  # fmt: skip
    add("--within", type=float, default=0.06,
        help="how far from the best estimate those may be, in points (default: 0.06)")  # fmt: skip
    add("--most", type=int, default=6, help="the most of those plays (default: 6)")
    add_cluster_option(parser)


def _run(args: argparse.Namespace) -> int:
    """Judge what is missing, roll by roll, and write the file as it grows."""
    _check(args)
    judge = Judge(engine_of(args.evaluator), args.error, args.trials, args.ply, args.seed)
    judged = read_judged(args.out) if args.out.exists() else {}
    for one in judged.values():
        if one.judge != judge.identity:
            raise ValueError(f"{args.out}: judged by {one.judge}; name another file")
    with chosen_workers(args) as workers:
        work = _work(args, judge, workers)
        status = DONE
        try:
            _judge_all(work, judged, args.out, workers)
        except KeyboardInterrupt:
            say(f"stopped: {args.out} has what was judged; run it again to continue")
            status = INTERRUPTED
    done = sum(roll_key(work.decisions, n) in judged for n in range(len(work.decisions.ids)))
    print_answer(f"{args.out}: {done:,} of {len(work.decisions.ids):,} rolls judged")
    return status


def _check(args: argparse.Namespace) -> None:
    check_target(args.out)
    if args.out.resolve() == args.file.resolve():
        raise ValueError(f"{args.out}: is the file to judge: name another one to write")
    if not args.within >= 0:
        raise ValueError(f"within {args.within}: should be 0 or above")
    if args.most < 1:
        raise ValueError(f"most {args.most}: should be at least 1")
    if args.seed < 0:
        raise ValueError(f"seed {args.seed}: should be 0 or above")


@dataclass(frozen=True)
class _Judging:
    """What all rolls share: the judge, the players by their identities, and the options."""

    judge: Judge
    players: Mapping[str, Player]
    estimate_ply: int
    within: float
    most: int


@dataclass(frozen=True)
class _Work:
    """The rolls to judge, estimates of all plays, and how to judge them."""

    judging: _Judging
    decisions: Decisions
    estimates: NDArray[np.float64]
    earlier: bool


@dataclass(frozen=True)
class _Roll:
    """One roll to judge: its estimates, and what is known of it."""

    decision: Decisions
    estimates: NDArray[np.float64]
    earlier: bool
    before: Judged | None


def _work(args: argparse.Namespace, judge: Judge, workers: Workers) -> _Work:
    settings = EvalSettings(args.estimate_ply, cubeful=False)
    estimator = evaluator_player(judge.engine.evaluator, settings)
    decisions, earlier = rolls_of_file(args.file, estimator, workers)
    estimates = decisions.equities
    if earlier:
        estimates, _ = equities_of(estimator, decisions.candidates, workers)
    players = {_identity(player): player for player in map(player_named, args.player)}
    judging = _Judging(judge, players, args.estimate_ply, args.within, args.most)
    return _Work(judging, decisions, estimates, earlier)


def _identity(player: Player) -> str:
    """A player's name, with the checksums of its nets."""
    if player.evaluator is None:
        return player.name
    return f"{player.name}: {identity(player.evaluator)}"


def _judge_all(work: _Work, judged: dict[Key, Judged], out: Path, workers: Workers) -> None:
    """Judge each roll and put its line into ``judged``; write the file from time to time."""
    keys = [roll_key(work.decisions, number) for number in range(len(work.decisions.ids))]
    rolls = (_roll(work, number, judged.get(key), out) for number, key in enumerate(keys))
    workers = workers_for(workers, *work.judging.players.values())
    saved = time.monotonic()
    try:
        with (
            progress(len(keys), "rolls") as bar,
            closing(workers.results(_judge_one, work.judging, rolls)) as found,
        ):
            for number, line in found:
                if line is not None:
                    judged[keys[number]] = line
                bar.update()
                if time.monotonic() - saved > _SAVE_SECONDS:
                    write_judged(out, _in_order(keys, judged))
                    saved = time.monotonic()
    finally:
        write_judged(out, _in_order(keys, judged))


def _in_order(keys: Sequence[Key], judged: Mapping[Key, Judged]) -> list[Judged]:
    """The judged rolls in the order of the file; those that were in ``OUT`` alone come last."""
    order = dict.fromkeys([*(key for key in keys if key in judged), *judged])
    return [judged[key] for key in order]


def _roll(work: _Work, number: int, before: Judged | None, out: Path) -> _Roll:
    """A roll with what is known of it; ``ValueError`` where that is of plays it does not have."""
    decision = some_decisions(work.decisions, number, number + 1)
    if before is not None:
        known = {*before.blocks, *before.players.values()}
        strange = known - set(position_ids(decision.candidates))
        if strange:
            raise ValueError(f"{out}: {min(strange)} is after no play of {decision.ids[0]}")
    first, last = work.decisions.offsets[number : number + 2].tolist()
    return _Roll(decision, work.estimates[first:last], work.earlier, before)


def _judge_one(judging: _Judging, roll: _Roll) -> Judged | None:
    """The line of a roll; None where it says no more than the line before."""
    players = _plays_made(judging, roll)
    question = _question(judging, roll, players)
    verdict = judge_roll(judging.judge, question)
    grown = _count(verdict.blocks) > _count(question.blocks)
    if roll.before is not None and not grown and players == roll.before.players:
        return None
    judge = judging.judge.identity
    return judged_line(roll.decision, verdict, judge, judging.estimate_ply, players)


def _count(blocks: Mapping[int, Blocks]) -> int:
    return sum(len(means) for means in blocks.values())


def _plays_made(judging: _Judging, roll: _Roll) -> dict[str, str]:
    """The Position IDs of the plays that players make in a roll, those of earlier runs as well."""
    decision = roll.decision
    made = {} if roll.before is None else dict(roll.before.players)
    for name, player in judging.players.items():
        if name not in made:
            chosen = player.choose(
                decision.boards, decision.dice, decision.candidates, decision.offsets
            )
            (made[name],) = position_ids(decision.candidates[chosen])
    return made


def _question(judging: _Judging, roll: _Roll, players: Mapping[str, str]) -> RollToJudge:
    """What is to be rolled out of a roll."""
    after = roll.decision.candidates
    earlier = roll.decision.equities if roll.earlier else None
    rows = {name: row for row, name in enumerate(position_ids(after))}
    known = {} if roll.before is None else roll.before.blocks
    blocks = {rows[name]: means for name, means in known.items()}
    wanted = frozenset(rows[players[name]] for name in judging.players)
    candidates = candidates_of(roll.estimates, earlier, judging.within, judging.most)
    return RollToJudge(after, roll.estimates, candidates, wanted, blocks)
