"""Strength beside gnubg's: its nets through gnubg-nn, its cube action through gnubg."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards
from gnubg_py.commands.comparing import benchmark
from gnubg_py.compare.cube_decisions import cube_given_up, cube_strength, read_cube_decisions
from gnubg_py.compare.decisions import read_decisions, score
from gnubg_py.compare.duel import duel
from gnubg_py.compare.players import evaluator_player, player_named
from gnubg_py.compare.strength import strength, strength_differences, strength_text
from gnubg_py.cube.state import can_double
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.over import over_leaf
from gnubg_py.evaluators.protocol import Evaluator, FunctionEvaluator
from gnubg_py.evaluators.router import Router
from gnubg_py.search.settings import EvalSettings

from . import peers
from .test_cube_peers import _PRELUDE, as_list

GAMES = 80_000

# A batch is its length as an int64, then its boards; the answer is float32[n, 5]. gnubg-nn's
# boards have the other side first, as gnubg's do.
_SERVER = """
import sys
import numpy as np
import gnubg_nn
read, write = sys.stdin.buffer, sys.stdout.buffer
while head := read.read(8):
    n = int.from_bytes(head, "little")
    boards = np.frombuffer(read.read(50 * n), np.int8).reshape(n, 2, 25)[:, ::-1].tolist()
    answer = [gnubg_nn.probabilities(board, 0) for board in boards]
    write.write(np.array(answer, np.float32).tobytes())
    write.flush()
"""


class Served:
    """gnubg-nn's 0-ply as a function of boards, in a process of its own."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [program, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __call__(self, boards: Boards) -> NDArray[np.float32]:
        into, out = self._pipe(self.process.stdin), self._pipe(self.process.stdout)
        into.write(len(boards).to_bytes(8, "little"))
        into.write(np.ascontiguousarray(boards, np.int8).tobytes())
        into.flush()
        size = 20 * len(boards)
        answer = out.read(size)
        if len(answer) < size:
            pytest.fail("gnubg-nn ended early")
        return np.frombuffer(answer, np.float32).reshape(-1, 5)

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


@pytest.fixture(scope="module")
def gnubg_nets() -> Iterator[Router]:
    """gnubg's nets at 0-ply, with its own bearoff values; finished games are exact."""
    program = peers.find_gnubg_nn()
    if program is None:
        pytest.skip(peers.GNUBG_NN_HINT)
    served = Served(program)
    table: dict[PositionClass, Evaluator] = dict.fromkeys(
        PositionClass, FunctionEvaluator("gnubg-nn", served)
    )
    yield Router("gnubg-nn", {**table, PositionClass.OVER: over_leaf()})
    served.process.communicate(timeout=10)


def benchmark_file(name: str) -> Path:
    path = benchmark(name)
    if path is None:
        pytest.skip(f"{name}: the benchmark is not beside this checkout, in ../shared/benchmark")
    return path


def test_gnubg_nn_sees_the_board_as_we_do(gnubg_nets: Router) -> None:
    five = gnubg_nets(START[None])[0]
    # On roll before the dice the chance of winning is a little above a half.
    assert 0.51 < five[0] < 0.54
    race = np.zeros((1, 2, 25), np.int8)
    race[0, 0, 0], race[0, 1, 5] = 1, 5
    assert gnubg_nets(race)[0, 0] == pytest.approx(1.0, abs=1e-4)


def test_gnubgs_score_on_the_benchmark(gnubg_nets: Router) -> None:
    """The README beside the file has 4.11 for contact, 5.20 for crashed, 3.75 for all."""
    decisions = read_decisions(benchmark_file("decisions.jsonl.gz"))
    theirs = strength(evaluator_player(gnubg_nets), decisions)
    ours = strength(player_named("net"), decisions)
    print("\n" + strength_text([ours, theirs], strength_differences(decisions, [ours, theirs])))
    known = {"contact": 4.11, "crashed": 5.20, "race": 1.00, "all": 3.75}
    for name, error in known.items():
        assert theirs.scores[name].error == pytest.approx(error, abs=0.05), name


def test_our_net_against_gnubgs(gnubg_nets: Router) -> None:
    result = duel(player_named("net"), evaluator_player(gnubg_nets), GAMES, seed=20261118)
    print(f"\n{result}")
    assert result.points_per_game > 2 * result.standard_error


_CUBE = """
context = gnubg.evalcontext(1, data["plies"], data["plies"] > 0, 1, 0.0)
emit([
    gnubg.cfevaluate(turned(board), cubeinfo(cube), context)[1:3]
    for board, cube in zip(data["boards"], data["cubes"])
])
"""


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_cube_action_beside_gnubgs(plies: int, gnubg_script: Callable[..., str]) -> None:
    """At most gnubg's error at the same ply, on the same decisions, money without Jacoby."""
    decisions = read_cube_decisions(benchmark_file("cube.jsonl.gz"))
    data = {
        "boards": decisions.boards.tolist(),
        "cubes": [as_list(cube) for cube in decisions.cubes],
        "plies": plies,
    }
    found = np.array(peers.emitted(gnubg_script(_PRELUDE + _CUBE, data, timeout=600))[0])
    found[[not can_double(cube) for cube in decisions.cubes]] = np.nan
    doubling, answer = cube_given_up(decisions.equities, found)
    theirs = doubling + answer
    ours = cube_strength(player_named("net", EvalSettings(plies, cubeful=False)), decisions)
    mine, gnubgs, gap = ours.scores["all"], score(theirs), score(ours.losses - theirs)
    print(
        f"\n{plies}-ply: ours {mine.error:.2f}, gnubg's {gnubgs.error:.2f}, "
        f"paired difference {gap.error:+.2f} ± {gap.standard_error:.2f}"
    )
    assert gap.error < 2 * gap.standard_error
