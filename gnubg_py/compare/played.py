"""Positions to measure on: those that players meet in games with themselves."""

from __future__ import annotations

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.compare.duel import play_duel
from gnubg_py.compare.players import leaf_chooser, random_chooser
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator


def random_play(n: int, seed: int) -> Boards:
    """At least ``n`` positions before the roll of games between random players."""
    chooser = random_chooser(seed)
    return play_duel((chooser, chooser), n // 100 + 2, seed, keep=True).boards


def self_play(n: int, seed: int, evaluator: Evaluator) -> Boards:
    """``n`` contact positions before the roll of games that an evaluator plays with itself."""
    chooser = leaf_chooser(evaluator)
    found: list[Boards] = []
    while sum(map(len, found)) < n:
        record = play_duel((chooser, chooser), n // 60 + 8, [seed, len(found)], keep=True)
        found.append(record.boards[classify(record.boards) == PositionClass.CONTACT])
    return np.concatenate(found)[:n]
