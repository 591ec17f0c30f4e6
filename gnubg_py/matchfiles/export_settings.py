"""What exports of matches as text and HTML show, as gnubg's ``set export`` has it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Marks:
    """Decisions with which marks are shown."""

    verybad: bool = True
    bad: bool = True
    doubtful: bool = True
    unmarked: bool = True

    def show(self, mark: str) -> bool:
        """Whether a decision is shown, by its mark: "very bad" to "unmarked"."""
        return bool(getattr(self, mark.replace(" ", "")))


@dataclass(frozen=True)
class CubeMarks(Marks):
    """Cube decisions are shown by their mark, or because the cube was turned, missed or close."""

    actual: bool = True
    missed: bool = True
    close: bool = True


@dataclass(frozen=True)
class ExportSettings:
    """What is included; ``board``: a board for every how many turns, 0 for never.

    ``players``: "0", "1" or "both", whose turns are shown. ``moves``: how many plays of a turn.
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
