"""``gnubg-py strength``: equity given up in judged decisions, of checker play and of the cube."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.comparing import add_player_options, benchmark, players_of
from gnubg_py.compare.cube_decisions import cube_differences, cube_strength, read_cube_decisions
from gnubg_py.compare.decisions import read_decisions
from gnubg_py.compare.players import Player
from gnubg_py.compare.strength import strength, strength_dict, strength_differences, strength_text
from gnubg_py.exits import INTERRUPTED
from gnubg_py.files import without_nan
from gnubg_py.messages import print_answer, say
from gnubg_py.workers import Workers


def configure_strength(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``strength``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("--decisions", type=Path, metavar="FILE", help="judged checker decisions (.jsonl, .gz)")
    add("--cube", type=Path, metavar="FILE", help="judged cube decisions (.jsonl, .gz)")
    add_player_options(parser)
    add("--json", action="store_true", help="print one JSON value")
    add_cluster_option(parser)


def _run(args: argparse.Namespace) -> int:
    """Score each player and print a table."""
    if args.decisions is None and args.cube is None:
        args.decisions = benchmark("decisions.jsonl.gz")
        if args.decisions is None:
            raise ValueError("nothing to score: name a file with --decisions FILE or --cube FILE")
    players = players_of(args)
    answer: dict[str, Any] = {}
    texts: list[str] = []
    status = 0
    with chosen_workers(args) as workers:
        if args.cube is not None:
            found, text = _cube(args.cube, players, workers)
            answer |= found
            texts.append(text)
        if args.decisions is not None:
            found, text, status = _plays(args.decisions, players, workers)
            answer |= found
            texts.insert(0, text)
    print_answer(json.dumps(without_nan(answer)) if args.json else "\n\n".join(texts))
    return status


def _plays(path: Path, players: list[Player], workers: Workers) -> tuple[dict[str, Any], str, int]:
    decisions = read_decisions(path)
    strengths, status = [], 0
    for player in players:
        strengths.append(strength(player, decisions, workers))
        done = len(strengths[-1].losses)
        if done < len(decisions.ids):
            say(f"stopped: {player.name} is scored on the first {done} decisions")
            status = INTERRUPTED
            break
    compared = strength_differences(decisions, strengths)
    answer = strength_dict(strengths, compared) | {"decisions": str(path)}
    text = f"Checker decisions of {path}\n\n{strength_text(strengths, compared)}"
    return answer, text, status


def _cube(path: Path, players: list[Player], workers: Workers) -> tuple[dict[str, Any], str]:
    decisions = read_cube_decisions(path)
    strengths = [cube_strength(player, decisions, workers) for player in players]
    compared = cube_differences(decisions, strengths)
    whole = asdict(strengths[0].scores["all"])
    answer = strength_dict(strengths, compared) | whole | {"file": str(path)}
    text = f"Cube decisions of {path}\n\n{strength_text(strengths, compared, 'cube decision')}"
    return {"classes": answer["classes"], "cube": answer}, text
