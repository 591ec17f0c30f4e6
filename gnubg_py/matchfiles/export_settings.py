"""The settings of exports as text and HTML, which are those of gnubg's ``set export``."""

from __future__ import annotations

from dataclasses import dataclass, field


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
class ExportSettings:
    """The parts of an export. ``board`` n draws a board every n turns, 0 none.

    ``players`` are those whose turns are shown: "0", "1" or "both". ``moves`` is the number of
    plays that are shown of a turn.
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
