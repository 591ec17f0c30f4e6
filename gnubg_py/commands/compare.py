"""``gnubg-py compare``: what players do in the same decisions, and what that costs."""

from __future__ import annotations

import argparse
import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.comparing import add_player_options, named_players, players_of
from gnubg_py.compare.agreement import Agreement, compare_players, decisions_by
from gnubg_py.compare.calibration import Calibration, calibrations, sample_games
from gnubg_py.compare.decisions import (
    Decisions,
    position_of_line,
    read_decisions,
    read_positions,
    stacked,
)
from gnubg_py.compare.heuristic_plays import (
    HEURISTICS,
    ScoredPlays,
    heuristic_named,
    is_heuristic,
    scored_plays,
)
from gnubg_py.compare.players import Player
from gnubg_py.compare.showcase import galleries, showcase
from gnubg_py.compare.tables import (
    agreement_dict,
    agreement_text,
    calibration_text,
    csv_text,
    showcase_text,
)
from gnubg_py.files import check_target, without_nan, write_aside
from gnubg_py.messages import print_answer
from gnubg_py.workers import Workers

DEFAULT_PLAYERS = ("pseudopip", "ten-factor", "net")
_SHOWN_PLAYS = 5


def configure_compare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compare``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("position", nargs="?", help="one position, in any notation")
    add("--dice", help="its roll, as 31; needed where the position tells of none")
    add("--decisions", type=Path, metavar="FILE", help="judged decisions (.jsonl, .gz)")
    add("--positions", type=Path, metavar="FILE", help="positions with rolls, one to a line")
    add_player_options(parser)
    add(
        "--reference",
        metavar="NAME",
        help="who says what plays cost, where no judge does (default: the last evaluator)",
    )
    add("--games", type=int, default=0, help="games to calibrate chances by (default: 0, none)")
    add("--seed", type=int, default=0, help="the dice of those games (default: 0)")
    add("--show", type=int, default=8, metavar="N", help="positions to show (default: 8)")
    add("--csv", type=Path, metavar="FILE", help="write every decision and play as CSV")
    add("--html", type=Path, metavar="FILE", help="write a report with plots and boards")
    add("--breakdown", action="store_true", help="of one position: how heuristics score its plays")
    add("--json", action="store_true", help="print one JSON value")
    add_cluster_option(parser)


def _run(args: argparse.Namespace) -> int:
    """Compare, write the files asked for, print."""
    given = [args.position, args.decisions, args.positions]
    if sum(item is not None for item in given) != 1:
        raise ValueError("give one of a position, --decisions FILE and --positions FILE")
    if args.show < 0:
        raise ValueError(f"show {args.show}: should be 0 or above")
    if args.games < 0 or args.games % 2:
        raise ValueError(f"games {args.games}: should be an even number, 0 or above")
    if args.seed < 0:
        raise ValueError(f"seed {args.seed}: should be 0 or above")
    if args.position is not None and (args.csv or args.html or args.games):
        raise ValueError("--csv, --html and --games are of many positions: name a file of them")
    if args.position is None and args.dice is not None:
        raise ValueError("--dice is of one position: a file of them tells its rolls itself")
    if args.position is None and args.breakdown:
        raise ValueError("--breakdown is of one position")
    for path in (args.csv, args.html):
        if path is not None:
            check_target(path)
    players = players_of(args, DEFAULT_PLAYERS)
    with chosen_workers(args) as workers:
        decisions, reference = _decisions(args, players, workers)
        agreement = compare_players(players, decisions, reference, workers)
    if args.position is not None:
        return _one(args, agreement, players)
    found: list[Calibration] = []
    if args.games:
        found = calibrations(players, sample_games(players[-1], args.games, args.seed))
    return _many(args, agreement, players, found)


def _decisions(
    args: argparse.Namespace, players: list[Player], workers: Workers
) -> tuple[Decisions, str]:
    """What is decided, and the name of who says what plays cost."""
    if args.decisions is not None:
        if args.reference is not None:
            raise ValueError("--reference: the decisions of this file are judged already")
        return read_decisions(args.decisions), "the file's judge"
    if args.reference is not None:
        reference = named_players([args.reference], args, args.ply)[0]
    else:
        reference = players[-1]
    if args.positions is not None:
        boards, dice = read_positions(args.positions)
    else:
        board, roll = position_of_line(args.position, args.dice)
        boards, dice = stacked([board], [roll])
    return decisions_by(reference, boards, dice, workers), reference.name


def _one(args: argparse.Namespace, agreement: Agreement, players: list[Player]) -> int:
    item = showcase(agreement, players, 0, best=_SHOWN_PLAYS)
    scored = _scored(args, players) if args.breakdown else []
    if args.json:
        parts = {"breakdown": [one.to_dict() for one in scored]} if args.breakdown else {}
        print_answer(json.dumps({"reference": agreement.reference, **item.to_dict(), **parts}))
    else:
        print_answer(f"What plays cost, thousandths of a point, by {agreement.reference}:\n")
        print_answer(showcase_text(item))
        for one in scored:
            print_answer(f"\n{one.table(_SHOWN_PLAYS)}")
    return 0


def _scored(args: argparse.Namespace, players: list[Player]) -> list[ScoredPlays]:
    """The plays of the one position as each heuristic among the players scores them."""
    board, dice = position_of_line(args.position, args.dice)
    named = [heuristic_named(player.name) for player in players if is_heuristic(player.name)]
    if not named:
        raise ValueError(f"--breakdown: none of the evaluators is one of {', '.join(HEURISTICS)}")
    return [scored_plays(name, weights, board, dice) for name, weights in named]


def _many(
    args: argparse.Namespace, agreement: Agreement, players: list[Player], found: list[Calibration]
) -> int:
    shown = galleries(agreement, players, args.show)
    source = (args.decisions or args.positions).name
    if args.csv is not None:
        write_aside(args.csv, csv_text(agreement).encode())
    if args.html is not None:
        from gnubg_py.compare.report import html_report

        page = html_report(agreement, found, shown, source, _command(args, players))
        write_aside(args.html, page.encode())
    if args.json:
        print_answer(json.dumps(without_nan(_as_dict(agreement, found, shown))))
        return 0
    parts = [agreement_text(agreement)]
    if found:
        parts.append(calibration_text(found))
    for worse, better, items in shown:
        if items:
            parts.append(f"Where {worse.name} gives up most more than {better.name}:")
            parts += [showcase_text(item) for item in items]
    print_answer("\n\n".join(parts))
    return 0


def _as_dict(agreement: Agreement, found: list[Calibration], shown: Any) -> dict[str, Any]:
    return {
        **agreement_dict(agreement),
        "calibration": [asdict(c) for c in found],
        "widest": [
            {"worse": a.name, "better": b.name, "decisions": [i.to_dict() for i in items]}
            for a, b, items in shown
        ],
    }


def _command(args: argparse.Namespace, players: list[Player]) -> str:
    """The words that make the same report, in the shortest form."""
    words = ["gnubg-py", "compare"]
    for option in ("decisions", "positions"):
        if getattr(args, option) is not None:
            words += [f"--{option}", str(getattr(args, option))]
    named = args.evaluator or ([] if args.net is not None else [p.name for p in players])
    words += ["--evaluator", *named] if named else []
    if args.net is not None:
        words += ["--net", str(args.net)]
    defaults = {"ply": 0, "games": 0, "seed": 0, "show": 8, "reference": None, "filter": None}
    for option, default in defaults.items():
        if getattr(args, option) != default:
            words += [f"--{option}", str(getattr(args, option))]
    words += ["--no-prune"] if args.no_prune else []
    words += ["--inner-ply", str(args.inner_ply)] if args.inner_ply else []
    return shlex.join([*words, "--html", str(args.html)])
