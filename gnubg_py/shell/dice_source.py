"""Where the shell's dice come from: a seeded generator, the user, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from gnubg_py.dice import parse_dice, roll_dice
from gnubg_py.files import read_text
from gnubg_py.shell import generators

GENERATOR_TITLES = {
    "mersenne": "Mersenne Twister generator",
    "bbs": "Blum, Blum and Shub generator",
    "isaac": "ISAAC generator",
    "md5": "MD5 generator",
    "pcg64": "PCG-64 generator",
    "manual": "manual dice generator",
    "file": "dice file generator",
}
MAX_DICE_SEED = 2**128 - 1


def new_seed() -> int:
    """A seed from the system's own randomness."""
    return int(np.random.SeedSequence().generate_state(2, np.uint64)[0])


@dataclass
class DiceSource:
    """The kind of dice, their seed, and the generator that stands behind them."""

    kind: str = "mersenne"
    seed: int = field(default_factory=new_seed)
    path: Path | None = None
    _generator: np.random.Generator = field(init=False)
    _rolls: Iterator[tuple[int, int]] = field(init=False, default_factory=lambda: iter(()))

    def __post_init__(self) -> None:
        self._generator = _generator(self.kind, self.seed)
        if self.kind == "file":
            if self.path is None:
                raise ValueError("You must specify a file to read dice from.")
            self._rolls = iter(read_dice(self.path))
        elif self.kind in generators.GENERATORS:
            dice = generators.GENERATORS[self.kind](self.seed)
            self._rolls = zip(dice, dice, strict=False)

    def roll(self, ask: Callable[[str], str]) -> tuple[int, int]:
        """The next two dice, in the order they fell."""
        if self.kind == "manual":
            return _asked(ask)
        if self.kind == "file" or self.kind in generators.GENERATORS:
            dice = next(self._rolls, None)
            if dice is None:
                raise ValueError(f"{self.path}: no dice are left in this file")
            return dice
        a, b = self._generator.integers(1, 7, size=2).tolist()
        return a, b

    def rolls(self, n: int) -> list[tuple[int, int]]:
        """Many rolls, each larger die first, for ``dicerolls``."""
        if self.kind in generators.GENERATORS:
            return [(max(roll), min(roll)) for roll in islice(self._rolls, n)]
        return [(a, b) for a, b in roll_dice(self._generator, n).tolist()]


def _generator(kind: str, seed: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed)
    if kind == "pcg64":
        return np.random.Generator(np.random.PCG64(sequence))
    return np.random.Generator(np.random.MT19937(sequence))


def _asked(ask: Callable[[str], str]) -> tuple[int, int]:
    text = ask("Enter dice: ")
    parse_dice(text)
    a, b = (int(c) for c in text if c.isdigit())
    return a, b


def read_dice(path: Path) -> list[tuple[int, int]]:
    """The dice in a text file: digits from 1 to 6, two to a roll, whatever stands between."""
    digits = [int(c) for c in read_text(path) if c in "123456"]
    if len(digits) < 2:
        raise ValueError(f"{path}: no dice in this file: it should hold digits from 1 to 6")
    return list(zip(digits[::2], digits[1::2], strict=False))
