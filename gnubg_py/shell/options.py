"""What a user of the shell can set: frozen values, replaced as a whole by ``set`` commands."""

from __future__ import annotations

import getpass
from dataclasses import dataclass, field

from gnubg_py.external.player import ExternalPlayer
from gnubg_py.game.statistics import Thresholds
from gnubg_py.search.settings import PRESETS, Strength


@dataclass(frozen=True)
class Names:
    """Who players are when a match starts, and player 1's names in the files of others."""

    default: tuple[str, str] | None = None
    aliases: str = ""


@dataclass(frozen=True)
class Confirm:
    """When is asked first; ``answer``: what is taken for the answer, `ask' for a person's own."""

    new: bool = True
    save: bool = True
    answer: str = "ask"


@dataclass(frozen=True)
class Autosave:
    """Whether the match is written to a file by itself: after a game's analysis, a rollout.

    ``minutes`` must have passed since it was written last. ``confirm``: ask before it is removed.
    """

    analysis: bool = False
    rollout: bool = False
    confirm: bool = False
    minutes: int = 15


@dataclass(frozen=True)
class Folders:
    """Where files to read are looked for if they are not in the present folder."""

    match: str = ""
    sgf: str = ""


@dataclass(frozen=True)
class Tutor:
    """Whether a play of a person is warned about that is at least so bad."""

    mode: bool = False
    cube: bool = True
    chequer: bool = True
    skill: str = "doubtful"


@dataclass(frozen=True)
class Automatic:
    """What is done without being asked for."""

    roll: bool = True
    game: bool = True
    move: bool = False
    bearoff: bool = False


@dataclass(frozen=True)
class Printing:
    """Whether anything is printed, and analysis below boards, and what statistics count in."""

    messages: bool = True
    analysis: bool = True
    error_factor: float = 1000.0
    rating_offset: float = 2050.0


@dataclass(frozen=True)
class Analysis:
    """What ``analyse`` looks at, and from what on it calls a play an error or a roll lucky."""

    cube: bool = True
    luck: bool = True
    moves: bool = True
    limits: Thresholds = field(default_factory=Thresholds)


@dataclass
class SeatedPlayer:
    """A seat at the board: who sits there and, if it is the computer, how well it plays."""

    name: str
    human: bool
    strength: Strength = PRESETS["world class"]
    external: ExternalPlayer | None = None

    @property
    def kind(self) -> str:
        """``human``, ``gnubg``, or ``external`` and where it listens."""
        if self.external is not None:
            return f"external: {self.external.address}"
        return "human" if self.human else "gnubg"


def _user_name() -> str:
    try:
        return getpass.getuser()[:32] or "user"
    except (OSError, KeyError, ImportError):
        return "user"


def default_players() -> list[SeatedPlayer]:
    """The computer against whoever uses the program."""
    first, second = default_names()
    return [SeatedPlayer(first, human=False), SeatedPlayer(second, human=True)]


def default_names() -> tuple[str, str]:
    """Who plays if nobody says so."""
    return "gnubg", _user_name()
