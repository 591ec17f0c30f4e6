"""Measure how many decisions a second a 2-ply search makes, in this program and in gnubg."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bench.gnubg_program import run_gnubg
from gnubg_py.board import Boards
from gnubg_py.cube.state import Cube
from gnubg_py.engine import engine_of
from gnubg_py.match import MatchState
from gnubg_py.notation import xgid
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import make_search
from gnubg_py.search.ranking import rank
from gnubg_py.search.settings import EvalSettings

PLIES = 2

_SCRIPT = """
import gnubg, time
gnubg.command("set threads {threads}")
gnubg.command("set evaluation chequerplay evaluation plies {plies}")
spent = 0.0
for xgid in {positions}:
    gnubg.command("set xgid " + xgid)
    start = time.perf_counter()
    gnubg.hint(3060)
    spent += time.perf_counter() - start
print("decisions took %.6f seconds" % spent)
"""


@dataclass(frozen=True)
class SearchWork:
    """The work of ranking plays: net evaluations, lookups in the cache, and hits among these."""

    evaluations: int
    lookups: int
    hits: int


def search_decisions(boards: Boards, dice: NDArray[np.int8]) -> SearchWork:
    """Rank the plays of every roll, one after the other: 2-ply, Normal filter, with the cube."""
    cache = SearchCache()
    asked: list[int] = []
    search = make_search(engine_of(cache=cache), EvalSettings(PLIES), count=asked.append)
    for i in range(len(boards)):
        rank(search, boards[i : i + 1], dice[i : i + 1], Cube())
    known = cache.deep.statistics()
    return SearchWork(sum(asked), known.lookups, known.hits)


def decision_work(boards: Boards, dice: NDArray[np.int8]) -> Callable[[], float]:
    """A function that calls ``search_decisions`` and returns the number of decisions."""

    def work() -> float:
        search_decisions(boards, dice)
        return len(boards)

    return work


def gnubg_decision_rate(
    program: str, threads: int, boards: Boards, dice: NDArray[np.int8], seconds: float
) -> float:
    """Decisions a second by gnubg's ``hint`` at its default 2-ply; 0 if gnubg prints no time."""
    rolls = zip(boards, dice.tolist(), strict=True)
    positions = [xgid(board, MatchState(dice=(a, b))) for board, (a, b) in rolls]
    script = _SCRIPT.format(threads=threads, plies=PLIES, positions=positions)
    spent = decisions_took(run_gnubg(program, script, "--python", 60 + 20 * seconds))
    return len(boards) / spent if spent else 0.0


def decisions_took(printed: str) -> float:
    """The seconds that the script printed, 0 if none.

    >>> decisions_took("decisions took 1.500000 seconds")
    1.5
    """
    found = re.search(r"decisions took ([0-9.]+) seconds", printed)
    return float(found.group(1)) if found else 0.0
