"""The settings of exports as text and HTML, which are those of gnubg's ``set export``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.cube.state import Cube
from gnubg_py.game.statistics import Thresholds
from gnubg_py.layout import PLAIN, Output, unit_text, value_text
from gnubg_py.probabilities import Five, five_text


@dataclass(frozen=True)
class Marks:
    """The marks whose decisions are shown."""

    verybad: bool = True
    bad: bool = True
    doubtful: bool = True
    unmarked: bool = True

    def show(self, mark: str) -> bool:
        """Whether decisions with a mark, "very bad" to "unmarked", are shown."""
        return bool(getattr(self, mark.replace(" ", "")))


@dataclass(frozen=True)
class CubeMarks(Marks):
    """Which cube decisions are shown: by their marks, or as actual, missed or close doubles."""

    actual: bool = True
    missed: bool = True
    close: bool = True


@dataclass(frozen=True)
class Wording:
    """How numbers and settings are worded.

    ``describe`` returns what the settings of an evaluation at some plies are called. ``met`` is
    Kazaross-XG2 by default.
    """

    describe: Callable[[int], str] = "{}-ply cubeful".format
    output: Output = PLAIN
    met: MatchEquityTable | None = None

    def unit(self, cube: Cube, equity: str = "Eq.") -> str:
        """The name of what ``value`` is: ``equity``, or MWC."""
        return unit_text(cube, self.output, equity)

    def value(self, equity: float, cube: Cube) -> str:
        """An equity of the side whose cube it is, or its match winning chance."""
        return value_text(equity, cube, self.met, self.output)

    def behind(self, difference: float, cube: Cube) -> str:
        """How far an equity is behind another, in brackets."""
        return f"({value_text(difference, cube, self.met, self.output, difference=True)})"

    def gained(self, equity: float, worth: float, cube: Cube, width: int = 0) -> str:
        """What luck or a play has brought, in brackets, always with three digits.

        ``worth`` is the same as ``equity``, as a chance to win the match.
        """
        if unit_text(cube, self.output, ""):
            return f"({100 * worth:+.3f}%)"
        return f"({equity:+{width}.3f})"

    def money(self, equity: float) -> str:
        """An equity of money play."""
        return f"{equity:+.{self.output.digits}f}"

    def chances(self, five: Five) -> str:
        """The five probabilities."""
        return five_text(five, self.output.digits, self.output.winpc)


PLAIN_WORDING = Wording()


@dataclass(frozen=True)
class ExportSettings:
    """The parts of an export. ``board`` n draws a board every n turns, 0 none.

    ``players`` are those whose turns are shown: "0", "1" or "both". ``moves`` is the number of
    plays that are shown of a turn. ``limits`` say what is marked.
    """

    annotations: bool = True
    analysis: bool = True
    statistics: bool = True
    matchinfo: bool = True
    board: int = 1
    players: str = "both"
    moves: int = 5
    move_probabilities: bool = True
    move_parameters: bool = False
    move_marks: Marks = field(default_factory=Marks)
    cube_probabilities: bool = True
    cube_parameters: bool = False
    cube_marks: CubeMarks = field(default_factory=CubeMarks)
    png_width: int = 972
    picture_width: int = 432
    folder: str = ""
    limits: Thresholds = field(default_factory=Thresholds)
