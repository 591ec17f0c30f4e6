"""Judge plays by rollouts: compute the loss of each play of a roll, to a wanted error.

Games are cubeless and played to the end, with variance reduction. All plays of a roll have the same
dice. A play's results are stored as means of blocks of 36 trials, because the first rolls are
balanced within 36 trials. Two plays are compared on the blocks that both have, so more blocks and
more plays can be added at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gnubg_py.board import OTHER, Boards
from gnubg_py.compare.decisions import mean_and_error
from gnubg_py.cube.state import Cube
from gnubg_py.engine import Engine
from gnubg_py.probabilities import cubeless_equity
from gnubg_py.rollouts.games import Start, play_games
from gnubg_py.rollouts.run import identity
from gnubg_py.rollouts.settings import RolloutSettings, same_plies
from gnubg_py.rollouts.values import Plan, make_plan

TRIALS_PER_BLOCK = 36
FIRST_BLOCKS = 9
"""The least number of blocks of a play: 324 trials, which is gnubg's minimum too. With fewer the
standard error would itself be too uncertain."""
_STEP = 4
"""Blocks added at a time."""
_SURELY_BEHIND = 4.0
"""A play that is this number of standard errors worse than the best play is not the best."""
_KNOWN_LOSS = 10.0
"""The loss of a play that players make is known if it is this number of standard errors."""

_DIGITS = 6
"""Digits of blocks in memory and files: a run continued from a file has the same numbers."""

Blocks = NDArray[np.float64]
"""Means of blocks of trials of one play, float64[b]: equities for the side that played."""


@dataclass(frozen=True)
class Judge:
    """The evaluator that rolls out, and the accuracy to reach.

    ``error``: a play is finished if the standard error of its difference from the best play is at
    most this. ``trials``: the most trials of each play. ``ply``: the plies of plays in rollouts.
    """

    engine: Engine
    error: float = 0.005
    trials: int = 2592
    ply: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.error > 0:
            raise ValueError(f"error {self.error}: should be above 0")
        least = FIRST_BLOCKS * TRIALS_PER_BLOCK
        if self.trials < least:
            raise ValueError(f"trials {self.trials}: should be at least {least}")

    @property
    def identity(self) -> str:
        """Judges with equal identities have equal trials, so that their blocks can be combined."""
        return f"{identity(self.engine.evaluator)}, {self.ply}-ply rollouts, seed {self.seed}"


@dataclass(frozen=True)
class RollToJudge:
    """A roll to judge: all plays, int8[m, 2, 25], opponent on roll, and estimates of their equity.

    ``candidates``: rows of the plays that could be the best. ``wanted``: rows of the plays whose
    loss must be known, such as those that players make.
    """

    after: Boards
    estimates: NDArray[np.float64]
    candidates: frozenset[int]
    wanted: frozenset[int]
    blocks: Mapping[int, Blocks] = field(default_factory=dict)
    """The blocks of the plays that were rolled out before."""


@dataclass(frozen=True)
class PlayEquities:
    """The judged equities of the plays of a roll.

    ``equities`` float64[m]; ``errors`` float64[m], of the equity, and ``behind_errors``, of the
    difference from the best play: nan where a play has only been estimated.
    """

    equities: NDArray[np.float64]
    errors: NDArray[np.float64]
    behind_errors: NDArray[np.float64]
    blocks: Mapping[int, Blocks]


def behind(best: Blocks, other: Blocks) -> tuple[float, float]:
    """The loss of a play against another, and its standard error, from the blocks both have."""
    n = min(len(best), len(other))
    return mean_and_error(best[:n] - other[:n])


def best_play(blocks: Mapping[int, Blocks]) -> int:
    """The play of the highest mean, compared with each play on the blocks that both have."""
    best = max(blocks, key=lambda play: (len(blocks[play]), float(blocks[play].mean())))
    for play in blocks:
        if behind(blocks[best], blocks[play])[0] < 0:
            best = play
    return best


def _unknown(judge: Judge, roll: RollToJudge, blocks: Mapping[int, Blocks]) -> set[int]:
    """The plays whose difference from the best is not accurate enough, and the best play.

    Plays without blocks are unknown; plays with the largest number of trials are known.
    """
    new = (roll.candidates | roll.wanted) - blocks.keys()
    if new:
        return set(new)
    most = judge.trials // TRIALS_PER_BLOCK
    best = best_play(blocks)
    found = set()
    for play in blocks.keys() - {best}:
        apart, error = behind(blocks[best], blocks[play])
        sure = apart > (_KNOWN_LOSS if play in roll.wanted else _SURELY_BEHIND) * error
        if error > judge.error and not sure and len(blocks[play]) < most:
            found.add(play)
    return found | ({best} if found else set())


def judge_roll(judge: Judge, roll: RollToJudge) -> PlayEquities:
    """Roll plays out until every difference that matters is known."""
    blocks = dict(roll.blocks)
    if len(roll.candidates | roll.wanted) > 1:
        while todo := _unknown(judge, roll, blocks):
            _extend(judge, roll.after, blocks, todo)
    return verdict(roll, blocks)


def _extend(judge: Judge, after: Boards, blocks: dict[int, Blocks], todo: set[int]) -> None:
    """Add the next blocks to each play of ``todo``, first to those with the fewest blocks."""
    have = {play: len(blocks.get(play, ())) for play in todo}
    least = min(have.values())
    end = min(max(least + _STEP, FIRST_BLOCKS), judge.trials // TRIALS_PER_BLOCK)
    late = sorted((play for play in todo if have[play] < end), key=lambda play: (have[play], play))
    for begin, group in groupby(late, key=have.__getitem__):
        plays = list(group)
        more = roll_out_blocks(judge, after[plays], begin, end)
        for play, means in zip(plays, more, strict=True):
            blocks[play] = np.concatenate([blocks.get(play, np.empty(0)), means])


def roll_out_blocks(judge: Judge, after: Boards, begin: int, end: int) -> NDArray[np.float64]:
    """Means of the blocks ``begin`` to ``end`` of plays, float64[k, end - begin]."""
    out = np.empty((len(after), end - begin))
    over = ~after[:, OTHER].any(axis=1)
    if over.any():
        out[over] = -cubeless_equity(judge.engine.evaluator(after[over])).astype(float)[:, None]
    if not over.all():
        trials = np.arange(begin * TRIALS_PER_BLOCK, end * TRIALS_PER_BLOCK)
        starts = [Start(board, Cube(), side=1) for board in after[~over]]
        games = play_games(_plan(judge), starts, trials)
        equities = cubeless_equity((games.results - games.luck)[:, :5])
        out[~over] = equities.reshape(len(starts), -1, TRIALS_PER_BLOCK).mean(axis=2)
    return out.round(_DIGITS)


def _plan(judge: Judge) -> Plan:
    settings = RolloutSettings(seed=judge.seed, cubeful=False, sides=same_plies(judge.ply))
    return make_plan(settings, judge.engine, [Cube()])


def verdict(roll: RollToJudge, blocks: Mapping[int, Blocks]) -> PlayEquities:
    """The equities of all plays: rolled out, or the best play's less the estimated difference."""
    count = len(roll.after)
    errors, behind_errors = np.full(count, np.nan), np.full(count, np.nan)
    if not blocks:
        return PlayEquities(roll.estimates, errors, behind_errors, blocks)
    best = best_play(blocks)
    top = float(blocks[best].mean())
    equities = top - (roll.estimates.max() - roll.estimates)
    for play, means in blocks.items():
        errors[play] = mean_and_error(means)[1]
        if play == best:
            equities[play], behind_errors[play] = top, 0.0
        else:
            apart, behind_errors[play] = behind(blocks[best], means)
            equities[play] = top - apart
    return PlayEquities(equities, errors, behind_errors, blocks)


def candidates_of(
    estimates: NDArray[np.float64], earlier: NDArray[np.float64] | None, within: float, most: int
) -> frozenset[int]:
    """The plays that could be the best: those near it by the estimates or by an earlier judge.

    There are at most ``most`` of each, the best first.
    """
    rows: set[int] = set()
    for equities in (estimates,) if earlier is None else (estimates, earlier):
        order = np.argsort(-equities, kind="stable")[:most]
        rows |= {int(row) for row in order if equities[row] >= equities.max() - within}
    return frozenset(rows)
