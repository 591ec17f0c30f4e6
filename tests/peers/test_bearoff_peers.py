"""The bearoff databases against gnubg's files, entry by entry, and against its evaluations.

gnubg keeps 16-bit numbers and rounds at every step of the building, so its entries drift from the
exact ones by a few units, and its plays are those that look best after rounding. Each comparison
is therefore made twice: our entries against its, and one roll of our rules played on its own
entries, rounded as it does, against the entry it has for the position.

The files, as inspection shows them: 40 bytes of text; then, one-sided, for each position the
offset of its numbers (4 bytes), and count and first roll of its bearoff and of its gammon
distribution (1 byte each), and after that table the numbers, in units of 1/65535; two-sided, for
each pair four equities, cubeless, owned, centred, other side owns, 0 standing for -1 and 65535
for +1. Owned and centred are those without a double this turn.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.bearoff import one_sided, two_sided
from gnubg_py.bearoff.numbering import all_positions, count_positions
from gnubg_py.bearoff.one_sided import backgammon_chances
from gnubg_py.bearoff.rules import FewestRolls, fewest_rolls
from gnubg_py.board import Boards
from gnubg_py.dice import ROLL_WEIGHTS
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF
from tests.bearoff_twins import ROLLS_OF_36, after

from .peers import GNUBG_HINT

FOLDERS = ("/usr/share/gnubg", "/var/lib/gnubg", "/usr/local/share/gnubg")
N = 54264
ALL_ON = count_positions(6, 14)
UNIT = 65535


def gnubg_file(name: str) -> bytes:
    for folder in FOLDERS:
        if (Path(folder) / name).is_file():
            return (Path(folder) / name).read_bytes()
    pytest.skip(f"no {name} in {', '.join(FOLDERS)}: {GNUBG_HINT}")


@pytest.fixture(scope="module")
def one_sided_file() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """gnubg's distributions, to bear off and to the first checker off, ``int64[54264, 32]``."""
    data = gnubg_file("gnubg_os0.bd")
    assert data.startswith(b"gnubg-OS-06-15-1-1-0")
    entry = np.dtype([("at", "<u4"), ("n", "u1"), ("first", "u1"), ("gn", "u1"), ("gfirst", "u1")])
    table = np.frombuffer(data, entry, N, 40).astype([(name, "i8") for name in entry.names or ()])
    numbers = np.frombuffer(data, "<u2", offset=40 + 8 * N).astype(np.int64)
    bearoff, gammon = np.zeros((2, N, 32), dtype=np.int64)
    for i, (at, n, first, gammon_n, gammon_first) in enumerate(table.tolist()):
        bearoff[i, first : first + n] = numbers[at : at + n]
        gammon[i, gammon_first : gammon_first + gammon_n] = numbers[at + n : at + n + gammon_n]
    return bearoff, gammon


@pytest.fixture(scope="module")
def plan() -> FewestRolls:
    return fewest_rolls(all_positions(6, 15), 1)


def one_roll(results: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distributions before a roll from those after it, ``int64[21, n, 32] -> int64[n, 32]``.

    Rounded as gnubg does: each to the nearest unit, and what is then missing to the likeliest.
    """
    total = np.zeros(results.shape[1:], dtype=np.int64)
    total[:, 1:] = np.tensordot(ROLL_WEIGHTS, results[:, :, :-1], 1)
    before: NDArray[np.int64] = (total + 18) // 36
    before[np.arange(len(before)), before.argmax(axis=1)] += UNIT - before.sum(axis=1)
    return before


def test_one_sided_bearoff(
    one_sided_file: tuple[NDArray[np.int64], NDArray[np.int64]], plan: FewestRolls
) -> None:
    theirs, _ = one_sided_file
    means = theirs @ np.arange(32)

    # One roll from gnubg's own entries: equal but where rounding makes it take another play ...
    differs = (one_roll(theirs[plan.best.T[:, 1:]]) != theirs[1:]).any(axis=1)
    others = np.flatnonzero(differs) + 1
    print(f"one roll on, {N - len(others)} of {N} positions equal gnubg's to the last unit")
    assert len(others) == 71
    # ... the best by its rounded means, of equals the higher number; and that gives its entry.
    rows = all_positions(6, 15)
    numbers = {tuple(row): k for k, row in enumerate(rows.tolist())}
    best = [
        [
            min((numbers[p] for p in after(tuple(row), dice)), key=lambda k: (means[k], -k))
            for row in rows[others].tolist()
        ]
        for dice, _ in ROLLS_OF_36
    ]
    assert (one_roll(theirs[np.array(best)]) == theirs[others]).all()

    # In full: its rounding adds up over the rolls, and the mean is what both play for.
    gap = np.abs(one_sided.one_sided_database().bearoff * float(UNIT) - theirs).max(axis=1)
    mean_gap = np.abs(means / UNIT - plan.mean)
    print(
        f"in full, units of 1/65535: {(gap <= 1).sum()} within 1, {(gap <= 3).sum()} within 3, "
        f"greatest gap {gap.max():.0f}; greatest gap of means {mean_gap.max():.6f} rolls"
    )
    assert (gap <= 3).mean() > 0.98
    assert mean_gap.max() < 3e-4


def test_one_sided_gammons(one_sided_file: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    _, theirs = one_sided_file
    ours = np.zeros((N, 32))
    table = one_sided.one_sided_database().gammon
    ours[:, : table.shape[1]] = table[np.maximum(0, np.arange(N) - ALL_ON + 1)]
    gap = np.abs(ours * UNIT - theirs).max(axis=1)
    print(f"units of 1/65535: {(gap <= 1).sum()} within 1, greatest gap {gap.max():.2f}")
    assert gap.max() < 2


def test_two_sided() -> None:
    data = gnubg_file("gnubg_ts0.bd")
    assert data.startswith(b"gnubg-TS-06-06-1")
    theirs = np.frombuffer(data, "<u2", offset=40).reshape(924, 924, 4)[..., [0, 2, 1, 3]]
    theirs = theirs / (UNIT / 2) - 1
    ours = two_sided.two_sided_database().equities
    pairs = np.ones((924, 924), dtype=bool)
    pairs[0, 0] = False  # nobody left: no position

    # One roll from gnubg's own entries, in its units.
    unit = 2 / UNIT
    offsets, targets = two_sided.legal_plays(all_positions(6, 6))
    values = theirs.copy()
    two_sided.apply_doubles(values)
    step = np.zeros_like(theirs)
    for i in range(1, 924):
        for r, weight in enumerate(ROLL_WEIGHTS.tolist()):
            plays = targets[offsets[21 * i + r] : offsets[21 * i + r + 1]]
            step[i] += weight / 36 * (-values[:, plays]).max(axis=1)[:, [0, 1, 3, 2]]
    step[0], step[:, 0] = 1, -1
    gap = np.abs(step - theirs)[pairs] / unit
    full = np.abs(ours - theirs)[pairs] / unit
    for name, column in zip(("cubeless", "centred", "owned", "other owns"), range(4), strict=True):
        print(
            f"{name}: one roll on, greatest gap {gap[:, column].max():.2f} units of 1/32767.5; "
            f"in full {(full[:, column] <= 1).mean():.4f} of {len(full)} within 1, "
            f"greatest gap {full[:, column].max():.2f}"
        )
    assert gap.max() < 3
    assert full.max() < 5


GNUBG = """
import gnubg
money = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0)
leaf = gnubg.evalcontext(0, 0, 0, 1, 0.0)
emit([gnubg.evaluate([other, mover], money, leaf)[:5] for mover, other in data])
"""

Script = Callable[..., str]
Emitted = Callable[[str], list[Any]]


def random_bearoffs(n: int, checkers: int, generator: np.random.Generator) -> Boards:
    rows = all_positions(6, checkers)[1:]
    boards = np.zeros((n, 2, 25), dtype=np.int8)
    boards[:, :, :6] = rows[generator.integers(0, len(rows), (n, 2))]
    return boards


def test_bearoff_leaves_answer_as_gnubg(gnubg_script: Script, emitted: Emitted) -> None:
    generator = np.random.default_rng(11)
    many = random_bearoffs(600, 15, generator)
    many = many[(many.sum(axis=2) > 6).any(axis=1)]
    all_on = all_positions(6, 15)[ALL_ON:]
    many[:200, 0, :6] = all_on[generator.integers(0, len(all_on), 200)]
    many[100:300, 1, :6] = all_on[generator.integers(0, len(all_on), 200)]
    few = random_bearoffs(300, 6, generator)
    theirs = np.array(emitted(gnubg_script(GNUBG, np.concatenate([many, few]).tolist()))[0])
    gaps = np.abs(np.concatenate([BEAROFF1_LEAF(many), BEAROFF2_LEAF(few)]) - theirs).max(axis=1)
    one, two = gaps[: len(many)], gaps[len(many) :]
    print(f"greatest gap: one-sided {one.max():.6f}, two-sided {two.max():.6f}")
    assert one.max() < 3e-4
    assert two.max() < 1e-4


def test_backgammon_chances_are_gnubgs(gnubg_script: Script, emitted: Emitted) -> None:
    generator = np.random.default_rng(12)
    boards = np.zeros((300, 2, 25), dtype=np.int8)
    winner = np.arange(300) % 2
    for board, side in zip(boards, winner, strict=True):
        behind = int(generator.integers(1, 5))  # the winner holds points below this one only
        men = int(generator.integers(1, 4))
        np.add.at(board[side], generator.integers(0, behind, generator.integers(1, 8)), 1)
        np.add.at(board[1 - side], 23 - generator.integers(behind, 6, men), 1)
        np.add.at(board[1 - side], generator.integers(0, 6, 15 - men), 1)
    theirs = np.array(emitted(gnubg_script(GNUBG, boards.tolist()))[0])[:, [2, 4]]
    rows = np.arange(300)
    gap = np.abs(backgammon_chances(boards) - theirs)[rows, winner]
    print(f"greatest gap {gap.max():.6f}, mean chance {theirs[rows, winner].mean():.3f}")
    assert gap.max() < 1e-4
