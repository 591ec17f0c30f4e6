"""The search told plainly, one position at a time, and evaluators to try it with."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.two_sided import two_sided_equities, two_sided_without_double
from gnubg_py.board import Board, Boards
from gnubg_py.cube.state import CENTRED, OWN, Cube, can_double, double_cube, swap_cube
from gnubg_py.cube.values import cube_table, node_values, utility
from gnubg_py.dice import ROLL_WEIGHTS, ROLLS
from gnubg_py.evaluators.bearoff import BEAROFF2_LEAF
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.protocol import Evaluator, FunctionEvaluator
from gnubg_py.evaluators.router import Router, with_exact_endings
from gnubg_py.network.encoding import THERMOMETER
from gnubg_py.network.leaf import NetLeaf, net_leaf
from gnubg_py.network.weights import Architecture, Weights
from gnubg_py.plays import plays
from tests.conftest import play_random_positions


def pips(boards: Boards) -> NDArray[np.float32]:
    """Winning chances from the pip count and blots; gammons from checkers not yet home."""
    counts = boards.astype(np.float64) @ np.arange(1, 26)
    blots = (boards == 1).sum(axis=2)
    lead = counts[:, 1] - counts[:, 0] + 4 - 2.5 * (blots[:, 0] - blots[:, 1])
    w = 1 / (1 + np.exp(-lead / 18))
    far = boards[:, :, 6:].sum(axis=2) / 15
    out = np.stack([w, w * far[:, 1] / 3, w * far[:, 1] / 60, (1 - w) * far[:, 0] / 3], axis=1)
    return np.concatenate([out, ((1 - w) * far[:, 0] / 60)[:, None]], axis=1).astype(np.float32)


PIPS = with_exact_endings("pips", FunctionEvaluator("pips", pips))
"""``pips`` with games over and bearoffs valued exactly."""

ONLY_PIPS = Router(
    "only pips", {**PIPS.table, **dict.fromkeys(PositionClass, FunctionEvaluator("pips", pips))}
).routed(PositionClass.OVER, PIPS.leaf(PositionClass.OVER))
"""``pips`` for bearoffs too, so that the search goes on to the last checker."""


def random_leaf(hidden: tuple[int, ...], seed: int, kind: str = "contact") -> NetLeaf:
    """A net of ours with random weights: it knows nothing, and answers by the fast pass."""
    generator = np.random.default_rng(seed)
    sizes = [THERMOMETER.inputs, *hidden, 6]
    layers = tuple(
        (generator.normal(0, a**-0.5, (b, a)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in itertools.pairwise(sizes)
    )
    return net_leaf(Weights(Architecture(hidden, position_class=kind), layers), "random")


@cache
def random_net() -> Router:
    """A small random net with exact endings."""
    return with_exact_endings("random", random_leaf((32, 16), 1))


@cache
def positions_by_class(n: int) -> dict[PositionClass, Boards]:
    """``n`` positions of each class that games come to, of random play."""
    boards = play_random_positions(20_000, 11)
    classes = classify(boards)
    wanted = (PositionClass.CONTACT, PositionClass.CRASHED, PositionClass.RACE)
    bearoffs = (PositionClass.BEAROFF1, PositionClass.BEAROFF2)
    found = {c: boards[classes == c][:n] for c in (*wanted, *bearoffs)}
    assert all(len(group) == n for group in found.values())
    return found


def plain_search(
    board: Board,
    cubes: Sequence[Cube],
    plies: int,
    evaluator: Evaluator,
    *,
    root: bool = True,
    cubeful: bool = True,
    inner: int = 0,
) -> tuple[list[float], list[float]]:
    """Five probabilities and the value of every cube, looking ``plies`` rolls ahead.

    For each roll the play of the best ``inner``-ply value with the first cube (less deep where the
    node itself is), of equals that of the best cubeless value; money and match values as in
    ``gnubg_py.cube``. No batches, no cache, no pruning.
    """
    code = int(classify(board[None])[0])
    exact = getattr(evaluator, "table", {}).get(PositionClass.BEAROFF2) is BEAROFF2_LEAF
    if plies == 0 or code == PositionClass.OVER or (exact and code == PositionClass.BEAROFF2):
        five = evaluator(board[None])[0]
        return five.tolist(), static(board[None], five[None], cubes, exact, root, cubeful)[0]
    asked = [swap_cube(cube) for cube in cubes]
    doubled = [swap_cube(double_cube(c)) if can_double(c) else None for c in cubes]
    if root or not cubeful:
        doubled = [None] * len(cubes)
    theirs = asked + [cube for cube in doubled if cube is not None]
    searched = partial(_searched, cubes=theirs, evaluator=evaluator, cubeful=cubeful, inner=inner)
    five_sum, value_sum = np.zeros(5), np.zeros(len(theirs))
    for dice, weight in zip(ROLLS.tolist(), ROLL_WEIGHTS.tolist(), strict=True):
        after = plays(board, dice)

        if inner and plies > 1:
            found = [searched(play, min(inner, plies - 1)) for play in after]
            fives, values_of = np.array([five for five, _ in found]), [v for _, v in found]
        else:
            fives = evaluator(after)
            values_of = static(after, fives, theirs[:1], exact, False, cubeful)
        worth = [(v[0], utility(five, theirs[0])) for v, five in zip(values_of, fives, strict=True)]
        best = after[worth.index(min(worth))]
        five, values = searched(best, plies - 1)
        five_sum += weight * np.array(five)
        value_sum += weight * np.array(values)
    w, wg, wbg, lg, lbg = five_sum / 36
    mean = value_sum / 36
    ours = (-mean if cubes[0].away is None else 1 - mean).tolist()
    answer = []
    extra = iter(ours[len(cubes) :])
    for cube, turned, value in zip(cubes, doubled, ours, strict=False):
        if turned is not None:
            answer.append(best_of_both(cube, value, next(extra)))
        else:
            answer.append(value)
    return [1 - w, lg, lbg, wg, wbg], answer


def _searched(board: Board, plies: int, cubes: Sequence[Cube], **how: Any) -> Any:
    """``plain_search`` of a position below the root."""
    return plain_search(board, cubes, plies, root=False, **how)


def best_of_both(cube: Cube, no_double: float, taken: float) -> float:
    """Double where that is better, the other side answering as is best for it."""
    from gnubg_py.cube.met import after_game, kazaross_xg2

    if cube.away is None:
        return max(no_double, min(2 * taken, 1.0))
    return max(no_double, min(taken, after_game(cube, cube.value, kazaross_xg2())))


def static(
    boards: Boards,
    fives: NDArray[np.float32],
    cubes: Sequence[Cube],
    exact: bool,
    root: bool,
    cubeful: bool,
) -> list[list[float]]:
    """0-ply values: Janowski's, the database's for two-sided bearoffs in money play."""
    classes = classify(boards)
    table = cube_table(cubes)
    found = node_values(boards, classes, fives, table, may_double=not root, cubeful=cubeful)
    values: list[list[float]] = found.tolist()
    for i, code in enumerate(classes):
        if exact and cubeful and code == PositionClass.BEAROFF2 and cubes[0].away is None:
            know = two_sided_without_double if root else two_sided_equities
            row = know(boards[i : i + 1])[0]
            values[i] = [
                float(row[1 if c.owner == CENTRED else 2 + (c.owner != OWN)]) for c in cubes
            ]
    return values
