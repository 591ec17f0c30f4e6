"""A session of the shell: the match being played, where the user stands in it, the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gnubg_py.board import Board
from gnubg_py.cube.efficiency import DEFAULT_EFFICIENCY, CubeEfficiency
from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.drawing.text import draw
from gnubg_py.errors import IllegalActionError, Refusal
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.game.actions import Accept, Action, Roll, Setup
from gnubg_py.game.analysis import Analyst, Judgement
from gnubg_py.game.position import Position, Rules, is_playing, match_is_over, position_of
from gnubg_py.game.record import (
    GameRecord,
    MatchRecord,
    extended,
    first_actions,
    new_state,
    with_new_game,
)
from gnubg_py.layout import Output
from gnubg_py.match import NO_DICE, MatchState
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, Place
from gnubg_py.matchfiles.export_settings import ExportSettings
from gnubg_py.notation.fibs_board import fibs_board
from gnubg_py.results import CubeHint, Play
from gnubg_py.rollouts.settings import GNUBG_DECIDING, GNUBG_ROLLOUTS, RolloutSettings
from gnubg_py.search.settings import PRESETS, EvalSettings, Strength
from gnubg_py.shell.console import Console
from gnubg_py.shell.dice_source import DiceSource
from gnubg_py.shell.options import (
    Analysis,
    Automatic,
    Autosave,
    Folders,
    Names,
    SeatedPlayer,
    Tutor,
    default_players,
)
from gnubg_py.workers import HERE, Workers

if TYPE_CHECKING:
    from gnubg_py.cluster.connecting import Cluster

NO_POSITION = "No position specified and no game in progress."


@dataclass
class Session(Console):
    """The data that all commands work on."""

    record: MatchRecord | None = None
    game_index: int = 0
    cursor: int = 0

    players: list[SeatedPlayer] = field(default_factory=default_players)
    rules: Rules = field(default_factory=Rules)
    match_length: int = 7
    dice: DiceSource = field(default_factory=DiceSource)
    automatic: Automatic = field(default_factory=Automatic)
    output: Output = field(default_factory=Output)
    display: bool = True
    clockwise: bool = False
    autosave: Autosave = field(default_factory=Autosave)
    folders: Folders = field(default_factory=Folders)
    tutor: Tutor = field(default_factory=Tutor)
    export: ExportSettings = field(default_factory=ExportSettings)
    known_as: Names = field(default_factory=Names)
    record_games: bool = True
    to_first_game: bool = False
    same_as_analysis: bool = False
    analysed_players: tuple[bool, bool] = (True, True)
    prompt: str = "(\\p) "

    hints: Strength = PRESETS["world class"]
    analysis: Analysis = field(default_factory=Analysis)
    analyst: Strength = PRESETS["supremo"]
    luck: EvalSettings = PRESETS["expert"].plays
    rollout: RolloutSettings = GNUBG_ROLLOUTS
    rolled: dict[str, RolloutSettings] = field(default_factory=dict)
    by_rollout: set[str] = field(default_factory=set)
    """Where decisions are rolled out, as "analysis chequerplay", and the settings of it."""
    heuristic_weights: dict[str, str] = field(default_factory=dict)
    met: MatchEquityTable | None = None
    met_inverted: bool = False
    efficiency: CubeEfficiency = DEFAULT_EFFICIENCY
    evaluators: dict[str, Evaluator] = field(default_factory=dict)
    """What the user has put in the place of the shipped evaluators, by the class's name."""

    choices: dict[str, str] = field(default_factory=dict)
    """The words after `set' of files and nets that were chosen, and what followed them."""
    settings_folder: Path | None = None

    last_plays: list[Play] = field(default_factory=list)
    last_cube: CubeHint | None = None
    """The last hint of the position shown: plays, or the cube action."""
    marked: dict[Place, set[int]] = field(default_factory=dict)
    """The plays marked for rollouts, by their numbers in the hint list; 0 is the cube decision."""
    skills: dict[Place, str] = field(default_factory=dict)
    lucks: dict[Place, str] = field(default_factory=dict)
    """How good and how lucky a person called actions."""
    rollouts: dict[Place, Mapping[str, str]] = field(default_factory=dict)
    """gnubg's texts of rollouts, as a file held them."""
    analysed: dict[tuple[int, int], tuple[Judgement, ...]] = field(default_factory=dict)
    analysed_by: Analyst | None = None
    comments: dict[tuple[int, int], str] = field(default_factory=dict)
    info: MatchInfo = field(default_factory=MatchInfo)
    imported: bool = False
    """Whether the match comes from another program's file."""
    evaluations_per_second: float | None = None
    cluster: Cluster | None = None
    line: str = ""
    """The line that is carried out, as it was typed."""
    history: list[str] = field(default_factory=list)
    saved_at: float | None = None
    """When the match was last written by itself."""
    leaving: bool = False
    failed: bool = False
    """Whether a command could not be carried out."""
    stopped: bool = False
    """Whether Ctrl-C stopped the last command: a script ends there."""
    script_depth: int = 0
    exit_status: int = 0
    """What the program ends with where a script in Python has ended it."""
    python: ModuleType | None = None
    """The namespace of scripts in Python, once there was one."""

    @property
    def workers(self) -> Workers:
        """The workers that compute rollouts and analyses."""
        return HERE if self.cluster is None else self.cluster

    def rollouts_at(self, place: str) -> RolloutSettings:
        """The rollouts that may decide at a place such as "evaluation chequerplay"."""
        return self.rolled.get(place, GNUBG_DECIDING)

    def leave_cluster(self) -> None:
        """Disconnect from the cluster, if there is one."""
        if self.cluster is not None:
            self.cluster.close()
        self.cluster = None

    # The match, and where in it the user stands.

    @property
    def names(self) -> tuple[str, str]:
        """The players' names, player 0's first."""
        return self.players[0].name, self.players[1].name

    @property
    def hint_strength(self) -> Strength:
        """How `eval' and `hint' value positions."""
        return self.analyst if self.same_as_analysis else self.hints

    @property
    def length(self) -> int:
        """The length of the match; 0 for money, and where there is no match."""
        return 0 if self.record is None else self.record.length

    @property
    def has_game(self) -> bool:
        """Whether there is a game to look at, in play or over."""
        return self.record is not None and bool(self.record.games)

    @property
    def is_playing(self) -> bool:
        """Whether the position the user looks at is of a game in play."""
        return self.has_game and is_playing(self.shown())

    def match(self) -> MatchRecord:
        """The match or session; ``ValueError`` where there is none."""
        if self.record is None or not self.record.games:
            raise IllegalActionError(Refusal.NO_GAME)
        return self.record

    def game(self) -> GameRecord:
        """The game the user looks at."""
        return self.match().games[self.game_index]

    def shown(self) -> Position:
        """The position the user looks at; ``ValueError`` where there is none."""
        if not self.has_game:
            raise ValueError(NO_POSITION)
        return self.game().positions[self.cursor]

    def position(self) -> Position:
        """The position of a game in play; ``ValueError`` where there is none."""
        if not self.is_playing:
            raise IllegalActionError(Refusal.NO_GAME)
        return self.shown()

    def at_end(self) -> bool:
        """Whether the user looks at the newest position of the match."""
        record = self.record
        if record is None or not record.games:
            return True
        return self.game_index == len(record.games) - 1 and self.cursor == len(self.game().actions)

    def do(self, action: Action) -> Position:
        """Carry out an action where the user stands; what came after it there is forgotten."""
        self.position()
        record = self.match()
        game = extended(first_actions(self.game(), self.cursor), action, record.rules)
        games = (*record.games[: self.game_index], game)
        self.record = replace(record, games=games, players=self.names, following=None)
        self.forget()
        self.cursor += 1
        return game.end

    def replace_game(self, game: GameRecord) -> None:
        """Put another game in the place of the one shown; its analysis is dropped."""
        number, record = self.game_index, self.match()
        games = (*record.games[:number], game, *record.games[number + 1 :])
        self.record = replace(record, games=games)
        self.analysed = {place: said for place, said in self.analysed.items() if place[0] != number}
        self.forget_plays()

    def set_dice(self, dice: tuple[int, int]) -> None:
        """Set the dice of this turn, in place of a roll that was made already."""
        position = self.position()
        before = self.game().actions[: self.cursor]
        if position.match.dice == NO_DICE:
            self.do(Roll(position.match.turn, dice))
        elif before and isinstance(before[-1], Roll):
            self.cursor -= 1
            self.do(Roll(position.match.turn, dice))
        elif not before:  # the first roll of a game is part of where it starts
            record = self.match()
            start = replace(position, match=replace(position.match, dice=dice))
            games = (*record.games[: self.game_index], GameRecord(start))
            self.record = replace(record, games=games)
            self.forget()
        else:
            self.set_position(position.board, replace(position.match, dice=dice))

    def forget_plays(self) -> None:
        """Drop the last hint: the ranked plays or the cube decision."""
        self.last_plays, self.last_cube = [], None

    def forget(self) -> None:
        """Drop these, and the notes on all actions from here on, which no longer count."""
        self.forget_plays()
        kept: tuple[dict[Place, Any], ...]
        kept = self.analysed, self.comments, self.skills, self.lucks, self.marked, self.rollouts
        for notes in kept:
            for place in [place for place in notes if not self._still_there(place)]:
                del notes[place]

    def _still_there(self, place: Place) -> bool:
        if self.record is None or place[0] >= len(self.record.games):
            return False
        return place[0] < self.game_index or place[1] < self.cursor

    @property
    def marks(self) -> set[int]:
        """The marks of the position shown."""
        return self.marked.setdefault((self.game_index, self.cursor), set())

    def start(self, length: int) -> None:
        """Begin a new match, or a money session where ``length`` is 0; no game yet."""
        self.record = MatchRecord(length, self.names, self.rules)
        self.game_index = self.cursor = 0
        self.forget_notes()
        self.forget()

    def forget_notes(self) -> None:
        """Drop the analysis, the comments and the marks of the match."""
        today = date.today().isoformat()
        self.analysed, self.info, self.imported = {}, MatchInfo(date=today), False
        self.comments, self.skills, self.lucks, self.marked = {}, {}, {}, {}
        self.rollouts = {}

    def begin_game(self, opening: tuple[int, int], automatic_doubles: int = 0) -> None:
        """Begin the next game with the dice each player rolled."""
        if self.record is None:
            self.start(0)
        assert self.record is not None
        if not self.record_games and self.record.length == 0 and self.record.games:
            self.record = replace(self.record, games=self.record.games[-1:])
            self.analysed = {}
        number = len(self.record.games)
        self.analysed = {key: value for key, value in self.analysed.items() if key[0] < number}
        rules = replace(self.rules, variation=self.record.rules.variation)
        record = replace(self.record, players=self.names, rules=rules)
        self.record = with_new_game(record, opening, automatic_doubles)
        self.go_to(len(self.record.games) - 1, 0)

    def go_to(self, game: int, cursor: int) -> None:
        """Look at another position of the match."""
        self.game_index, self.cursor = game, cursor
        self.forget_plays()

    def set_rules(self, **changes: Any) -> None:
        """Change the rules, also those of the match in play except for its variation."""
        self.rules = replace(self.rules, **changes)
        if self.record is not None and "variation" not in changes:
            rules = replace(self.record.rules, **changes)
            self.record = replace(self.record, rules=rules)

    def set_record(self, record: MatchRecord) -> None:
        """Replace the match by one that was read."""
        self.record = record
        self.forget_notes()
        for player, name in zip(self.players, record.players, strict=True):
            player.name = name
        self.rules = replace(record.rules, jacoby=self.rules.jacoby)  # a later session's own
        last = len(record.games) - 1
        if self.to_first_game:
            self.go_to(0, 0)
        else:
            self.go_to(last, len(record.games[last].actions))

    def contents(self) -> MatchContents:
        """The match with its analysis and comments."""
        said = self.analysed, self.comments, self.info, self.skills, self.lucks, self.rollouts
        return MatchContents(self.match(), (), *said)

    def set_contents(self, contents: MatchContents) -> None:
        """Replace the match by one that was read, with its analysis and comments."""
        self.set_record(contents.record)
        self.analysed, self.analysed_by = dict(contents.analysis), None
        self.comments, self.info = dict(contents.comments), contents.info
        self.skills, self.lucks = dict(contents.skills), dict(contents.lucks)
        self.rollouts = dict(contents.rollouts)

    def set_position(self, board: Board, match: MatchState) -> None:
        """Set a position: in the game in play if its match has that length, else in a new match."""
        position = position_of(board, match)
        if self.is_playing and self.match().length == position.match.match_length:
            self.do(Setup(position.match.turn, position.gnubg_id))
            return
        self.start(position.match.match_length)
        assert self.record is not None
        self.record = replace(self.record, games=(GameRecord(position),))

    def shown_match(self) -> MatchState:
        """The match state shown; of a game just over it says whether the next is Crawford's."""
        match = self.shown().match
        record = self.match()
        if is_playing(self.shown()) or not self.at_end() or self.imported:
            return match
        actions = self.game().actions
        if actions and isinstance(actions[-1], Accept):  # in gnubg it stays the turn of who agreed
            match = replace(match, turn=actions[-1].player)
        if record.following is not None:  # the score was set
            told = record.following
            return replace(match, score=told.score, crawford=told.crawford)
        if match_is_over(match):
            return replace(match, crawford=False)
        return replace(match, crawford=new_state(record).crawford)

    def show_board(self) -> None:
        """Draw the position the user looks at."""
        board, match = self.shown().board, self.shown_match()
        if self.output.rawboard:
            self.say(fibs_board(board, match, self.names))
            return
        drawing = draw(board, match, self.names, clockwise=self.clockwise)
        self.say(drawing + "\n")
