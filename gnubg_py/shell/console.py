"""The console of a session: where commands print, and whom they ask."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TextIO

from gnubg_py.messages import printable_lines
from gnubg_py.shell.options import Confirm, Printing


@dataclass
class Console:
    """Commands print with ``say`` and ask with ``ask``. ``interactive``: a person is there."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    reader: Callable[[str], str] | None = None
    interactive: bool = False
    printing: Printing = field(default_factory=Printing)
    confirms: Confirm = field(default_factory=Confirm)

    def say(self, text: str = "") -> None:
        """Print a line, or several."""
        if self.printing.messages:
            self.write(text)

    def write(self, text: str) -> None:
        """Print lines that are the answer itself, such as a match saved to the output."""
        print(printable_lines(text), file=self.out)

    def note(self, text: str) -> None:
        """Tell a person at a terminal what gnubg does not tell; a program reads gnubg's lines."""
        if self.interactive:
            self.say(text)

    def complain(self, text: str) -> None:
        """Print what gnubg prints on its error output: unknown words, files that are not there."""
        self.out.flush()
        print(printable_lines(text), file=self.err, flush=True)

    def report(self, text: str) -> None:
        """Print a line at once, while a command goes on."""
        self.say(text)
        self.out.flush()

    def ask(self, question: str) -> str:
        """The next line of input; ``EOFError`` when there is none."""
        if self.reader is None:
            raise EOFError
        if self.interactive:
            return self.reader(question).strip()
        print(question, end="", file=self.out, flush=True)
        return self.reader("").strip()

    def confirm(self, question: str) -> bool:
        """Ask yes or no, of a person only: a script means what it says."""
        return not self.interactive or self.agreed(f"{question} ", "Please answer `yes' or `no'.")

    def agreed(self, question: str, again: str) -> bool:
        """The answer that was set for all questions, else the next line that is yes or no.

        ``again`` is printed after any other line.
        """
        if self.confirms.answer != "ask":
            return self.confirms.answer == "yes"
        while True:
            answer = self.ask(question).lower()
            if answer and ("yes".startswith(answer) or "no".startswith(answer)):
                return answer[0] == "y"
            self.say(again)
