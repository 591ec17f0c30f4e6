"""Round a net to whole numbers, and measure the cost on positions of self-play."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.compare.duel import random_play, rolls_in_contact, self_play
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import default_router
from gnubg_py.groups import lowest
from gnubg_py.network.forward import net_five, unpacked
from gnubg_py.network.integers import IntegerWeights
from gnubg_py.network.plain import is_plain
from gnubg_py.network.quantise import quantise
from gnubg_py.network.weights import Weights, checksum, outputs_of
from gnubg_py.probabilities import OUTCOMES, cubeless_equity

_CRASHED_SHARE = 20
"""The number of self-play positions for each crashed position. Games rarely reach crashed
positions, but a net's units have other values there. Without them equities were wrong by 0.08."""


def _crashed(positions: int, seed: int) -> Boards:
    """Crashed positions of random play."""
    boards = random_play(positions, seed)
    rows = np.flatnonzero(classify(boards) == PositionClass.CRASHED)
    return boards[rows[: positions // _CRASHED_SHARE]]


def quantised_net(weights: Weights, positions: int, seed: int) -> IntegerWeights:
    """Round a net; its card has the errors, measured on the same number of other positions.

    ``rms of equities`` is that of the differences; ``given up`` is the mean loss of the plays that
    the rounded net chooses, in thousandths of a point by the float net.
    """
    if is_plain(weights.architecture):
        raise ValueError("a net of sigmoid units, five outputs or computed inputs is not rounded")
    if outputs_of(weights.architecture) != OUTCOMES:
        raise ValueError("a rolls net stays in float32: races are few, and cached")
    boards = self_play(positions, seed, default_router())
    plays, _ = rolls_in_contact(boards, seed)
    some = np.random.default_rng(seed).choice(len(plays), min(len(plays), positions), replace=False)
    crashed = _crashed(positions, seed)
    found = quantise(weights, np.concatenate([boards, plays[np.sort(some)], crashed]))
    plays, offsets = rolls_in_contact(self_play(positions, seed + 1, default_router()), seed + 1)
    real, whole = (cubeless_equity(net_five(unpacked(net), plays)) for net in (weights, found))
    lost = real[lowest(whole, offsets)] - real[lowest(real, offsets)]
    facts = {
        "checksum of the float net": checksum(weights),
        "positions": positions,
        "seed": seed,
        "rms of equities": round(float(np.sqrt(np.mean((real - whole) ** 2))), 5),
        "given up": round(1000 * float(lost.mean()), 4),
    }
    return replace(found, card={**weights.card, "quantised": json.dumps(facts)})
