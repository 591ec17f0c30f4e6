"""Hypergammon against the databases that gnubg's ``makehyper`` writes, entry by entry.

The files, as inspection shows them: 40 bytes of text; then, for each pair of positions (the side on
roll first, numbered as ours) 28 bytes: nine numbers of 3 bytes and one byte that is not used. They
are the five probabilities in units of 1/16777215, and four equities without a double this turn, 0
standing for -3 and 16777215 for +3: cube owned, centred, centred under the Jacoby rule, owned by
the other side.

makehyper slips where a roll has no legal play: it takes the other side's equities without a double
and, for a cube that is not centred, those of the wrong owner. With one checker that never happens
and all entries are equal. With two, the comparison is made one roll on: one step of our recursion
from makehyper's own entries, with that slip, against its entry.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from gnubg_py.bearoff import hypergammon as hyper
from gnubg_py.bearoff import hypergammon_sweeps as sweeps
from gnubg_py.bearoff.hypergammon_plays import LANDING_BITS, ROW_POINTS, all_plays, all_sides
from gnubg_py.bearoff.numbering import all_positions
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.probabilities import cubeless_equity

from .peers import GNUBG_HINT

MAKEHYPER = Path("/usr/games/makehyper")
# makehyper stops when no entry changes by more; its steps are about half the one before.
THRESHOLD = 1e-6


def made(checkers: int, folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """makehyper's probabilities, and its equities in our order: float64[n, n, 5], [n, n, 4]."""
    if not MAKEHYPER.is_file():
        pytest.skip(f"no {MAKEHYPER}: {GNUBG_HINT}")
    file = folder / "hyper.bd"
    words = [str(MAKEHYPER), "-c", str(checkers), "-n", "-t", str(THRESHOLD), "-f", str(file)]
    subprocess.run(words, check=True, capture_output=True, timeout=1200)
    data = file.read_bytes()
    assert data.startswith(f"gnubg-H{checkers}".encode())
    n = len(all_positions(ROW_POINTS, checkers))
    entries = np.frombuffer(data, np.uint8, offset=40).reshape(n, n, 28)[:, :, :27]
    numbers = entries.reshape(n, n, 9, 3).astype(np.int64) @ [1, 256, 65536] / 16777215
    owned, centred, jacoby, other = np.moveaxis(6 * numbers[:, :, 5:] - 3, 2, 0)
    return numbers[:, :, :5], np.stack([centred, jacoby, owned, other], axis=2)


def possible(sides: Any) -> NDArray[np.bool_]:
    """Pairs in which both sides have checkers, and no point is held by both."""
    pairs = (sides.occupied[:, None] & sides.mirrored[None]) == 0
    pairs[0], pairs[:, 0] = False, False
    return np.asarray(pairs)


def test_one_checker_a_side(tmp_path: Path) -> None:
    five, equities = made(1, tmp_path)
    database = hyper.hypergammon_database(1)
    pairs = possible(all_sides(all_positions(ROW_POINTS, 1), 1))
    assert np.abs(five - database.five)[pairs].max() < 1e-6
    assert np.abs(equities - database.equities)[pairs].max() < 2e-6


@njit
def step(game: Any, values: Any, no_double: Any, pairs: Any, out: Any) -> None:
    """One step of the recursion with makehyper's slip, from the values and to ``out``."""
    rows = np.empty(8, np.int64)
    for j in range(len(pairs)):
        sweeps.rows_after(j, game.sides, len(values), rows)
        for i in range(len(pairs)):
            if not pairs[i, j]:
                continue
            sweeps.fill_equities(i, j, game, values, rows, out[i, j])
            begin = (i * 25 + game.sides.block[j]) * 21
            for r in range(21):
                first, end = game.plays.offsets[begin + r], game.plays.offsets[begin + r + 1]
                if end - first == 1 and game.plays.packed[first] >> LANDING_BITS == i:
                    reply, kept = values[j, i], no_double[j, i]
                    for column, of_reply, stored in ((1, 1, 0), (2, 3, 2), (3, 2, 3), (4, 4, 1)):
                        slip = reply[of_reply] - kept[stored]
                        out[i, j, column] += ROLL_WEIGHTS[r] / 36 * slip


def test_two_checkers_a_side(tmp_path: Path) -> None:
    five, equities = made(2, tmp_path)
    rows = all_positions(ROW_POINTS, 2)
    sides = all_sides(rows, 2)
    pairs = possible(sides)
    game = sweeps.PlayTables(all_plays(rows, ROLLS), sides)
    values, first_five = hyper._first_values(sides)
    values[pairs, 0] = cubeless_equity(five)[pairs]
    double = np.minimum(2 * equities[:, :, 3:], 1)
    for column, stored in ((1, 0), (4, 1), (2, 2)):
        values[pairs, column] = np.maximum(equities[:, :, stored], double[:, :, 0])[pairs]
    values[pairs, 3] = equities[pairs, 3]
    first_five[pairs, :5] = five[pairs]
    after = np.zeros((len(rows), len(rows), 8))
    step(game, values, equities.astype(np.float32), pairs, after)
    for stored, name in enumerate(("centred", "jacoby", "owned", "other owns")):
        gap = np.abs(after[:, :, (1, 4, 2, 3)[stored]] - equities[:, :, stored])[pairs].max()
        print(f"{name}: one roll on, {pairs.sum():,} pairs within {gap:.7f}")
        assert gap < 3e-6
    chosen, _ = sweeps.cubeless_choices(game, values)
    after_five = first_five.copy()
    everyone = (1, len(rows))
    for contact in (False, True):
        sweeps.five_solver(game, chosen)(
            everyone, everyone, contact, first_five, after_five[1:, 1:]
        )
    gap = np.abs(after_five[:, :, :5] - five).max(axis=2)[pairs]
    # Where two plays have equal cubeless equities the probabilities are those of either.
    assert (gap > 3e-6).sum() < 100
    assert np.abs(after[:, :, 0] - cubeless_equity(five))[pairs].max() < 4e-6

    database = hyper.hypergammon_database(2)
    gap = np.abs(database.five - five).max(axis=2)[pairs]
    print(f"five in full: {(gap < 1e-4).sum():,} of {pairs.sum():,} within 0.0001, {gap.max():.5f}")
    assert (gap < 1e-4).mean() > 0.998
    gap = np.abs(database.equities - equities).max(axis=2)[pairs]
    print(f"equities in full: on average {gap.mean():.5f}, at most {gap.max():.5f}")
    assert gap.mean() < 2e-4
