"""Measure how many plays, evaluations and lookups a second this machine does.

What is measured is a function that works for some hundredths of a second and returns how much it
did. All functions are called in turn for several rounds, and the fastest call of each counts, since
other load on the machine can only make a call slower. gnubg is measured in short calls too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.bearoff.numbering import all_positions
from gnubg_py.bench.gnubg_program import find_gnubg, run_gnubg
from gnubg_py.bench.reference_plays import reference_plays
from gnubg_py.bench.search_speed import decision_work, gnubg_decision_rate, search_decisions
from gnubg_py.board import Boards, swap
from gnubg_py.compare.duel import random_play, self_play
from gnubg_py.dice import roll_dice
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF
from gnubg_py.evaluators.classify import PositionClass
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.evaluators.router import Router, leaf_of
from gnubg_py.kernel_cache import njit
from gnubg_py.messages import progress
from gnubg_py.network.dot import BLOCK, PATHS, chosen_path, products, words_of
from gnubg_py.network.forward import AnyNet
from gnubg_py.network.leaf import NetLeaf
from gnubg_py.network.levels import IntegerLayers, IntegerNet
from gnubg_py.plays import all_rolls, plays_slice
from gnubg_py.threads import map_slices, set_thread_count, thread_count

_Work = Callable[[], float]
"""Do a piece of work and return its amount, for example the number of evaluations."""
Measure = Callable[[float], float]
"""Measure for about the given number of seconds and return the amount of work per second."""


@dataclass(frozen=True)
class SpeedSettings:
    """How long to measure, on how many threads, and on which positions."""

    threads: int
    rounds: int = 5
    seconds: float = 0.5  # the least time of one measurement of one round
    positions: int = 16_384
    seed: int = 0


QUICK: dict[str, Any] = {"rounds": 2, "seconds": 0.1, "positions": 2048}
"""Settings of a quick measurement."""

_CALIBRATE = "calibrate 10"
"""gnubg's own measurement; 10 is the number of repetitions, which take hundredths of a second."""
_CALIBRATIONS_A_SECOND = 20


def repeated(work: _Work) -> Measure:
    """Measure ``work`` by its fastest repetition, after one call to warm up."""
    work()

    def measure(seconds: float) -> float:
        best, now = 0.0, time.perf_counter()
        end = now + seconds
        while now < end:
            done, before = work(), now
            now = time.perf_counter()
            best = max(best, done / (now - before))
        return best

    return measure


def best_rates(measures: Mapping[str, Measure], rounds: int, seconds: float) -> dict[str, float]:
    """The best rate of each measurement, by name; all are called in turn for ``rounds`` rounds."""
    best = dict.fromkeys(measures, 0.0)
    with progress(rounds * len(measures), "measuring") as bar:
        for _ in range(rounds):
            for key, measure in measures.items():
                best[key] = max(best[key], measure(seconds))
                bar.update()
    return best


def flops_per_evaluation(net: AnyNet) -> int:
    """Multiplications and additions of the dense layers; the first layer is a sum of table rows."""
    layers = net.layers
    if isinstance(layers, IntegerLayers):
        cut: list[NDArray[Any]] = [layers.first_panels, *layers.panels]
        inputs = [panels.shape[-3] * panels.shape[-1] for panels in cut]
    else:
        inputs = [panels.shape[-2] for panels in layers.matrices]
    return sum(2 * a * b for a, b in zip(inputs, [*inputs[1:], 6], strict=True))


def _plays_works(settings: SpeedSettings) -> tuple[dict[str, _Work], float]:
    """Work of the kernel and of plain Python on one core, in rolls; and the plays of a roll."""
    generator = np.random.default_rng(settings.seed)
    boards = random_play(settings.positions, settings.seed)
    boards = boards[generator.permutation(len(boards))[: settings.positions]]
    dice = roll_dice(generator, len(boards))
    few = [(board, (int(a), int(b))) for board, (a, b) in zip(boards[:100], dice, strict=False)]

    def kernel() -> float:
        # Batches have the size of the slices that plays_batch gives to a thread.
        for start in range(0, len(boards), 2048):
            plays_slice(boards[start : start + 2048], dice[start : start + 2048])
        return len(boards)

    def plain() -> float:
        for board, roll in few:
            reference_plays(board, roll)
        return len(few)

    per_roll = len(plays_slice(boards, dice)[0]) / len(boards)
    return {"rolls_per_second": kernel, "python_rolls_per_second": plain}, per_roll


_PIECE = 8192
"""Positions that a net evaluates in one call: several slices for each thread."""


def _net_works(leaf: NetLeaf, boards: Boards, prefix: str) -> dict[str, _Work]:
    """Evaluations of unrelated positions, and of all plays of all rolls of a few positions."""
    parents = boards[: max(1, _PIECE // 400)]
    children, offsets = all_rolls(parents)
    seen_by_children, first = swap(parents), offsets[::21].copy()

    pieces = cycle(np.array_split(boards, -(-len(boards) // _PIECE)))

    def evaluations() -> float:
        piece = next(pieces)
        leaf(piece)
        return len(piece)

    def child_evaluations() -> float:
        leaf.evaluate_children(seen_by_children, children, first)
        return len(children)

    return {
        f"{prefix}evaluations_per_second": evaluations,
        f"{prefix}child_evaluations_per_second": child_evaluations,
    }


def _bearoff_works(settings: SpeedSettings) -> dict[str, _Work]:
    generator = np.random.default_rng(settings.seed)

    def lookups(leaf: Callable[[Boards], object], checkers: int) -> _Work:
        rows = all_positions(6, checkers)[1:]
        boards = np.zeros((settings.positions, 2, 25), np.int8)
        boards[:, :, :6] = rows[generator.integers(0, len(rows), (len(boards), 2))]

        def work() -> float:
            leaf(boards)
            return len(boards)

        return work

    return {
        "one_sided_lookups_per_second": lookups(BEAROFF1_LEAF, 15),
        "two_sided_lookups_per_second": lookups(BEAROFF2_LEAF, 6),
    }


def _matrix_product() -> float:
    """Multiply float32 matrices of 1,024 x 1,024; return the number of floating point operations.

    Every thread computes a product of its own, as it evaluates positions of its own. One product
    divided among the threads would wait for the slowest of them.
    """
    a = np.ones((1024, 1024), np.float32)
    products = thread_count()
    map_slices(lambda _: np.dot(a, a), products, 1)
    return 2.0 * 1024**3 * products


@njit(cache=True, nogil=True)
def _repeat_products(path, times, x, panels, bias, out):  # type: ignore[no-untyped-def]
    for _ in range(times):
        products(path, x, 0, BLOCK, panels, 0, 1, bias, out)


def _byte_products() -> float:
    """Multiply bytes with this machine's fastest instructions; return the number of operations.

    Nets of whole numbers use the same instructions. The layer of 256 inputs and 64 outputs fits in
    the first-level cache. Every thread has a layer of its own.
    """
    inputs, outputs, times = 256, 64, 2000
    path = PATHS[chosen_path()]
    ones = np.ones((outputs, inputs), np.int8)
    panels, bias = words_of(path, ones, np.zeros(outputs, np.int32), inputs)

    def work(_: slice) -> None:
        x = np.ones((BLOCK, inputs), np.uint8)
        out = np.empty((BLOCK, len(bias)), np.int32)
        _repeat_products(path.kind(0), times, x, panels, bias, out)

    threads = thread_count()
    map_slices(work, threads, 1)
    return 2.0 * inputs * outputs * BLOCK * times * threads


def gnubg_rate(program: str, threads: int, seconds: float) -> float:
    """Static evaluations a second by gnubg's own ``calibrate``; 0 if gnubg prints none."""
    lines = [f"set threads {threads}", *[_CALIBRATE] * round(1 + _CALIBRATIONS_A_SECOND * seconds)]
    return calibration(run_gnubg(program, "\n".join([*lines, ""]), "--commands", 60 + 20 * seconds))


def calibration(printed: str) -> float:
    """The highest rate that gnubg's ``calibrate`` printed, 0 if none.

    >>> calibration("Calibration result: 120240 static evaluations/second.")
    120240.0
    """
    rates = re.findall(r"Calibration result: ([0-9]+(?:\.[0-9]+)?) static", printed)
    return max(map(float, rates), default=0.0)


@contextmanager
def _threads(n: int) -> Iterator[None]:
    """Use ``n`` threads within the block; matrix products start no threads of their own."""
    from threadpoolctl import threadpool_limits

    before = thread_count()
    set_thread_count(n)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        set_thread_count(before)


Figures = dict[str, float | int | None]


def speed(settings: SpeedSettings) -> Figures:
    """All figures by name; None for what is not installed here."""
    with _threads(settings.threads):
        works, plays_per_roll = _plays_works(settings)
        leaves = {prefix: contact_leaf(name) for prefix, name in NETS.items()}
        router = evaluator_named("net")
        assert isinstance(router, Router)
        boards = self_play(settings.positions, settings.seed, router)
        for prefix, leaf in leaves.items():
            works |= _net_works(leaf, boards, prefix)
        works |= {_FLOAT_PEAK: _matrix_product, _BYTE_PEAK: _byte_products}
        works |= _bearoff_works(settings)
        decisions = boards[:: max(1, len(boards) // max(4, settings.positions // 400))]
        dice = roll_dice(np.random.default_rng(settings.seed), len(decisions))
        searched = search_decisions(decisions, dice)
        works["decisions_per_second"] = decision_work(decisions, dice)
        measures = {key: repeated(work) for key, work in works.items()}
        if (program := find_gnubg()) is not None:
            measures[_GNUBG] = partial(gnubg_rate, program, settings.threads)
            measures[_GNUBG_DECISIONS] = partial(
                gnubg_decision_rate, program, settings.threads, decisions, dice
            )
        best = best_rates(measures, settings.rounds, settings.seconds)
    flops = {prefix: flops_per_evaluation(leaf.net) for prefix, leaf in leaves.items()}
    whole = {prefix for prefix, leaf in leaves.items() if isinstance(leaf.net, IntegerNet)}
    each = searched.evaluations / len(decisions)
    return {
        "threads": settings.threads,
        **speed_summary(best, plays_per_roll, flops, whole),
        "search_evaluations_per_second": best["decisions_per_second"] * each,
        "search_evaluations_per_decision": each,
        "search_cache_hits": searched.hits / max(1, searched.lookups),
    }


_FLOAT_PEAK, _BYTE_PEAK = "matrix_flops_per_second", "byte_operations_per_second"
_GNUBG = "gnubg_evaluations_per_second"
_GNUBG_DECISIONS = "gnubg_decisions_per_second"


def speed_summary(
    best: dict[str, float],
    plays_per_roll: float,
    flops: dict[str, int],
    whole: Set[str] = frozenset(),
) -> Figures:
    """The rates and the figures that follow from them.

    ``flops`` has the operations of one evaluation by each net's prefix. A net is compared with the
    peak of products of its kind: of bytes for the prefixes in ``whole``, else of float32.
    """
    figures: Figures = {**best}
    for prefix in ("", "python_"):
        rolls = best[f"{prefix}rolls_per_second"]
        figures[f"{prefix}boards_per_second"] = rolls * plays_per_roll
    gnubg = best.get(_GNUBG) or None
    figures[_GNUBG] = gnubg
    theirs = figures[_GNUBG_DECISIONS] = best.get(_GNUBG_DECISIONS) or None
    ours = best.get("decisions_per_second")
    figures["decisions_ratio_to_gnubg"] = ours / theirs if ours and theirs else None
    for prefix in NETS:
        evaluations = best.get(f"{prefix}evaluations_per_second")
        figures.setdefault(f"{prefix}evaluations_per_second", None)
        figures.setdefault(f"{prefix}child_evaluations_per_second", None)
        figures[f"{prefix}flops_per_evaluation"] = flops.get(prefix)
        peak = best.get(_BYTE_PEAK if prefix in whole else _FLOAT_PEAK)
        figures[f"{prefix}share_of_matrix_peak"] = (
            evaluations * flops[prefix] / peak if evaluations and peak else None
        )
        figures[f"{prefix}ratio_to_gnubg"] = evaluations / gnubg if evaluations and gnubg else None
    return figures


NETS = {"": "net", "large_": "large", "fast_": "fast"}
"""The evaluators whose contact nets are measured, by the prefix of their figures' names."""


def contact_leaf(name: str) -> NetLeaf:
    """The contact net of a shipped evaluator."""
    leaf = leaf_of(evaluator_named(name), PositionClass.CONTACT)
    assert isinstance(leaf, NetLeaf)
    return leaf
