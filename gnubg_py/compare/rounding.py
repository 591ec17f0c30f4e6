"""Round a net to whole numbers, and measure the cost on positions of self-play."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from gnubg_py.board import Boards
from gnubg_py.compare.duel import random_play, rolls_in_contact, self_play
from gnubg_py.compare.late_contact import deal_late_contact
from gnubg_py.compare.primes import deal_primes
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.registry import default_router
from gnubg_py.groups import lowest
from gnubg_py.network.forward import net_five, unpacked
from gnubg_py.network.integers import IntegerWeights
from gnubg_py.network.quantise import check_can_round, quantise
from gnubg_py.network.weights import Weights, checksum, outputs_of
from gnubg_py.probabilities import OUTCOMES, cubeless_equity

_LATE, _PRIMES, _RANDOM = 1 / 3, 1, 2
"""Late contact, primes and positions of random play, a position of self-play."""
_PLAYS = 5
"""Plays of rolls, a position of self-play."""


def rare_positions(positions: int, seed: int) -> Boards:
    """Contact and crashed positions of kinds that ``positions`` positions of self-play rarely hold.

    They are dealt with checkers off and with primes, and taken from random play, where many
    checkers are back. Units have their highest values in such positions. Where ranges were measured
    without them, equities of late contact were wrong by up to 0.6, of primes by up to 0.2.
    """
    generator = np.random.default_rng(seed)
    late = deal_late_contact(int(_LATE * positions), generator)
    primes = deal_primes(_PRIMES * positions, generator)
    boards = random_play(2 * _RANDOM * positions, seed)
    boards = boards[classify(boards) >= PositionClass.CRASHED]
    return np.concatenate([late, primes, boards[: _RANDOM * positions]])


def quantised_net(weights: Weights, positions: int, seed: int) -> IntegerWeights:
    """Round a net; its card has the errors, measured on the same number of other positions.

    ``rms of equities`` is that of the differences; ``given up`` is the mean loss of the plays that
    the rounded net chooses, in thousandths of a point by the float net.
    """
    check_can_round(weights)
    if outputs_of(weights.architecture) != OUTCOMES:
        raise ValueError("a rolls net stays in float32: races are few, and cached")
    boards = self_play(positions, seed, default_router())
    plays, _ = rolls_in_contact(boards, seed)
    chosen = min(len(plays), _PLAYS * positions)
    some = np.random.default_rng(seed).choice(len(plays), chosen, replace=False)
    rare = rare_positions(positions, seed)
    # Clipped nets were trained with rounding, each weight by itself.
    feedback = weights.architecture.activation == "leaky"
    measured = np.concatenate([boards, plays[np.sort(some)], rare])
    found = quantise(weights, measured, feedback=feedback)
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
