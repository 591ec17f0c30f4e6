"""Damaged copies of good files, from a seeded generator."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**40, 0.5, 1.0, -1e308, float("nan"),
    float("inf"), "", "x", "\x1b]0;pwned\x07", "\u202eabc", "\u00a0", "\ud800", "é" * 5000,
    [], [[]], [1, 2], {}, {"a": 1},
)  # fmt: skip
_ODD_BYTES = (b"\0", b"\x1b[31m", b"\xff\xfe", b"\xc3\x28", b"1e999", b"-1", b"[" * 2000, b"\r")


def mutated_bytes(generator: random.Random, data: bytes) -> bytes:
    """``data`` with a few bytes changed, cut out, doubled or moved, or simply cut short."""
    out = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 5, 20))):
        place = generator.randint(0, len(out))
        length = generator.choice((1, 1, 2, 8, 100))
        kind = generator.randrange(7)
        if kind == 0:
            out[place : place + 1] = bytes([generator.randrange(256)])
        elif kind == 1:
            del out[place : place + length]
        elif kind == 2:
            out[place:place] = out[place : place + length]
        elif kind == 3:
            out[place:place] = generator.choice(_ODD_BYTES)
        elif kind == 4 and place < len(out):
            out[place] ^= 1 << generator.randrange(8)
        elif kind == 5:
            start = generator.randint(0, len(out))
            out[place:place] = out[start : start + length]
        elif generator.random() < 0.2:
            del out[place:]
    return bytes(out)


def mutated_json(generator: random.Random, value: Any) -> Any:
    """A JSON value with some of its parts exchanged, dropped, doubled or made something else."""
    value = copy.deepcopy(value)
    for _ in range(generator.choice((1, 1, 1, 2, 4))):
        holders = list(_holders(value))
        if not holders:
            return generator.choice(ODD_VALUES)
        _spoil(generator, generator.choice(holders), holders)
    return value


def _holders(value: Any) -> Any:
    """Every list and object in a value that holds something."""
    if isinstance(value, dict | list) and value:
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _spoil(generator: random.Random, holder: Any, others: list[Any]) -> None:
    key = generator.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    kind = generator.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        other = generator.choice(others)
        holder[key] = copy.deepcopy(
            generator.choice(list(other.values()) if isinstance(other, dict) else other)
        )
    elif kind == 2 and type(holder[key]) is int:
        holder[key] = generator.choice((float(holder[key]), -holder[key], str(holder[key])))
    elif kind == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind == 4 and isinstance(holder, dict):
        holder[str(generator.choice(ODD_VALUES))] = copy.deepcopy(generator.choice(ODD_VALUES))
    else:
        holder[key] = copy.deepcopy(generator.choice(ODD_VALUES))
