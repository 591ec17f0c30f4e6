"""A shell to test with, and random command lines, to see that none of them harms it."""

from __future__ import annotations

import io
import random

from gnubg_py.shell.commands import ROOT
from gnubg_py.shell.loop import FAULT, run_lines
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import every

PLAIN = [
    "set confirm new off",
    "set confirm save off",
    "set evaluation preset expert",
    "set analysis preset expert",
    "set player 0 preset expert",
    "set player 1 preset expert",
    "set analysis luckanalysis plies 0",
    "set rollout trials 36",
    "set rollout truncation plies 3",
    "set rollout chequerplay plies 0",
    "set rollout cubedecision plies 0",
    "set rollout later enable off",
    "set evaluator all default",
]
"""What keeps every command short."""

_SLOW = (
    "calibrate", "set rollout", "evaluation plies", "luckanalysis", "set threads", "preset",
    "movefilter", "set net", "external", "set cluster",
)  # fmt: skip
_COMMANDS = [
    " ".join(path)
    for path, command in every(ROOT)
    if command.run is not None and path[0] not in ("quit", "exit")
]
COMMANDS = [name for name in _COMMANDS if not any(word in name for word in _SLOW)]
_COMMON = (
    "roll", "move =1", "hint 1", "double", "take", "drop", "accept", "reject", "resign g",
    "new session", "new match 3", "new game", "set dice 31", "play", "next", "previous",
    "set turn 0", "redouble", "set cube value 2", "swap players", "set rng mersenne",
)  # fmt: skip
_ARGUMENTS = (
    "", "0", "1", "2", "-1", "9" * 30, "on", "off", "=1", "=2", "=", "31", "3 1", "66", "8/5 6/5",
    "24/18", "bar/20", "4HPwATDgc/ABMA", "cAkAAAAAAAAE", "4HPwATDgc/ABMA:cAmgADAAGAAE",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10",
    "simple 0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0",
    "simple 0 3 3 3 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 -3 -3 -3 -3 -3 0",
    "foo", "nan", "1e400", "/nonexistent/x", "/", "\0", "é", "human", "gnubg",
    "0.01", "cube", "all pseudopip", "contact ten-factor", "002220 61", '"', "#", "?",
)  # fmt: skip


def random_line(generator: random.Random) -> str:
    """A command with arguments that may or may not be its own, or a mutilated one."""
    if generator.random() < 0.2:
        return generator.choice(_COMMON)
    words = [generator.choice(COMMANDS)]
    words += generator.choices(_ARGUMENTS, k=generator.choice((0, 0, 1, 1, 2)))
    line = " ".join(words)
    if generator.random() < 0.25:
        line = _mutated(generator, line)
    if generator.random() < 0.2:
        line = " ".join(w[: generator.randint(1, len(w))] for w in line.split())
    runs_python = line.lstrip().startswith((">", "load p"))
    return "" if runs_python or any(word[:4] in line for word in _SLOW) else line


def _mutated(generator: random.Random, line: str) -> str:
    letters = list(line)
    for _ in range(generator.randint(1, 4)):
        place = generator.randint(0, len(letters))
        kind = generator.random()
        if kind < 0.4 and place < len(letters):
            del letters[place]
        elif kind < 0.9:
            limit = 0x7E if generator.random() < 0.6 else 0x2FFF
            letters.insert(place, chr(generator.randint(1, limit)))
        else:
            generator.shuffle(letters)
    return "".join(letters)


HUMANS = ["set player 0 human", "set player 1 human", "set player 0 name Ann",
          "set player 1 name Bob", "set defaultnames Ann Bob", "set automatic roll off",
          "set automatic game off"]  # fmt: skip
"""Two people play, and nothing is automatic."""


class Shell:
    """A session: ``shell("show cube")`` carries out lines and returns what was printed."""

    def __init__(self) -> None:
        self.session = Session(out=io.StringIO())
        self(*PLAIN, *HUMANS)

    def __call__(self, *lines: str) -> str:
        out = io.StringIO()
        self.session.out = self.session.err = out
        run_lines(self.session, lines)
        assert FAULT not in out.getvalue()
        return out.getvalue().strip()

    @property
    def ids(self) -> str:
        """The GNUbg ID of the position shown."""
        return self.session.shown().gnubg_id
