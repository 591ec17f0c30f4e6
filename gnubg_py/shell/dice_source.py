"""Where the shell's dice come from: a seeded generator, the user, or a file.

gnubg's own generators give its dice for a seed: games repeat in both programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from gnubg_py.dice import parse_dice
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
MAX_DICE_SEED = 2**512 - 1


def new_seed() -> int:
    """A seed from the system's own randomness."""
    return int(np.random.SeedSequence().generate_state(2, np.uint64)[0])


@dataclass
class DiceSource:
    """The kind of dice, their seed, and the generator that stands behind them.

    ``modulus`` is that of Blum, Blum and Shub; ``calls`` counts the dice that have been thrown.
    """

    kind: str = "mersenne"
    seed: int = field(default_factory=new_seed)
    path: Path | None = None
    modulus: int = generators.BBS_MODULUS
    calls: int = 0
    _dice: Iterator[int] = field(init=False, default_factory=lambda: iter(()))
    _rolls: Iterator[tuple[int, int]] = field(init=False, default_factory=lambda: iter(()))

    def __post_init__(self) -> None:
        if self.kind == "file":
            if self.path is None:
                raise ValueError("You must specify a file to read dice from.")
            self._rolls = iter(read_dice(self.path))
        elif self.kind in generators.GENERATORS:
            if self.kind == "bbs":
                self._dice = generators.BlumBlumShub(self.seed, self.modulus)
            else:
                self._dice = generators.GENERATORS[self.kind](self.seed)
            self._rolls = zip(self._dice, self._dice, strict=False)

    def roll(self, ask: Callable[[str], str]) -> tuple[int, int]:
        """The next two dice, in the order they fell."""
        if self.kind == "manual":
            return _asked(ask)
        dice = next(self._rolls, None)
        if dice is None:
            raise ValueError(f"{self.path}: no dice are left in this file")
        self.calls += 2
        return dice

    def rolls(self, n: int) -> list[tuple[int, int]]:
        """Many rolls, for ``dicerolls``."""
        self.calls += 2 * n
        return list(islice(self._rolls, n))

    @property
    def state(self) -> int:
        """The seed as ``show seed`` tells it: two generators change it with the dice."""
        if isinstance(self._dice, generators.BlumBlumShub):
            return self._dice.state
        return generators.md5_seed(self.seed) + self.calls // 2 if self.kind == "md5" else self.seed

    @property
    def works(self) -> bool:
        """Whether there are dice; Blum, Blum and Shub have none for some seeds and moduli."""
        return self.kind != "bbs" or self.state != 0


def _asked(ask: Callable[[str], str]) -> tuple[int, int]:
    """Two dice from the input, which is asked again until it has them."""
    question = "Enter dice: "
    while True:
        text = ask(question)
        try:
            parse_dice(text)
        except ValueError:
            question = "You must enter two numbers between 1 and 6.\nEnter dice: "
        else:
            a, b = (int(c) for c in text if c.isdigit())
            return a, b


def read_dice(path: Path) -> list[tuple[int, int]]:
    """The dice in a text file: digits from 1 to 6, two to a roll, whatever stands between."""
    digits = [int(c) for c in read_text(path) if c in "123456"]
    if len(digits) < 2:
        raise ValueError(f"{path}: no dice in this file: it should hold digits from 1 to 6")
    return list(zip(digits[::2], digits[1::2], strict=False))
