"""The match as a dictionary, and going from one of its records to another."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import numpy as np

from gnubg_py.board import Board, start_position, swap
from gnubg_py.cube.values import utility
from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Reject,
    Resign,
    Roll,
    Setup,
    Take,
)
from gnubg_py.game.analysis import CubeJudgement, Judgement, Luck, PlayJudgement
from gnubg_py.game.position import Position, match_is_over
from gnubg_py.game.record import GameRecord, MatchRecord, played_at, result
from gnubg_py.game.statistics import luck_mark, play_mark
from gnubg_py.inside.arguments import Dictionary, context_of
from gnubg_py.inside.positions import moves_between
from gnubg_py.inside.statistics import game_statistics, match_statistics
from gnubg_py.match import CENTRED, NO_DICE, MatchState
from gnubg_py.notation import from_gnubg_id, parse_play, position_id
from gnubg_py.search.settings import EvalSettings
from gnubg_py.shell import engine
from gnubg_py.shell.session import Session

PLAYERS = ("X", "O")
"""What gnubg calls player 0 and player 1 here, whoever they are on the board."""
_LUCK_WORDS = {
    "very lucky": "verygood", "lucky": "good", "unlucky": "bad", "very unlucky": "verybad",
}  # fmt: skip
_PLAIN_ACTIONS = {Take: "take", Drop: "drop", Double: "double", Redouble: "double"}

Group = tuple[int, ...]
"""The numbers of the actions of a game that are one record in gnubg."""


def groups_of(game: GameRecord) -> list[Group]:
    """The actions of a game by gnubg's records.

    A roll and its play are one record, so are a resignation and its acceptance; a resignation that
    was declined is none.
    """
    groups: list[Group] = []
    for i, action in enumerate(game.actions):
        previous = game.actions[i - 1] if i else None
        if isinstance(action, Move) and isinstance(previous, Roll):
            groups[-1] = (i - 1, i)
        elif isinstance(action, Accept) and groups:
            groups[-1] = (*groups[-1], i)
        elif isinstance(action, Reject):
            groups = groups[:-1]
        else:
            groups.append((i,))
    return groups


def match(
    session: Session, analysis: int = 1, boards: int = 1, statistics: int = 0, verbose: int = 0
) -> Dictionary | None:
    """The match as a dictionary; None where there is none.

    Arguments: [analysis, boards, statistics, verbose], each 0 or 1: what to include.
    """
    record = session.record
    if record is None or not record.games:
        return None
    default = _analysis_settings(session) if analysis else None
    found: Dictionary = {"match-info": _match_info(session, record, default)}
    games = []
    for number, game in enumerate(record.games):
        made: Dictionary = {"info": _game_info(record, game)}
        if statistics:
            made["stats"] = game_statistics(session, number)
        writer = _Writer(session, number, bool(boards), bool(verbose), default)
        entries = [entry for group in groups_of(game) for entry in writer.entries(group)]
        made["game"] = (*writer.opening(), *entries)
        games.append(made)
    found["games"] = tuple(games)
    if statistics:
        found["stats"] = match_statistics(session)
    return found


def _analysis_settings(session: Session) -> EvalSettings | None:
    """The settings of the analysis; None where nothing has been analysed."""
    if not any(session.analysed.values()):
        return None
    strength = session.analysed_by.strength if session.analysed_by else session.analyst
    return strength.plays


def _match_info(session: Session, record: MatchRecord, default: EvalSettings | None) -> Dictionary:
    info = session.info
    last = record.games[-1]
    made: Dictionary = {}
    for player, letter in enumerate(PLAYERS):
        made[letter] = {"name": record.players[player]}
        if info.ratings[player]:
            made[letter]["rating"] = info.ratings[player]
    made["match-length"] = record.length
    for key in ("event", "round", "place", "annotator", "comment"):
        if getattr(info, key):
            made[key] = getattr(info, key)
    made["date"] = _date(info.date)
    made["result"] = _result(record, last.end.match)
    made["variation"] = record.rules.variation.capitalize()
    rules = _rules(record, last.end.match)
    if rules:
        made["rules"] = rules
    if default is not None:
        made["default-eval-context"] = context_of(default)
    return made


def _date(text: str) -> tuple[int, int, int]:
    """Day, month and year; today's where a match has no date that can be read."""
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        date = datetime.date.today()
    return date.day, date.month, date.year


def _result(record: MatchRecord, state: MatchState) -> int:
    """-1 where player 0 has won, 1 where player 1 has; in money play, who is ahead."""
    if record.length and not match_is_over(state):
        return 0
    a, b = state.score
    return (b > a) - (a > b)


def _rules(record: MatchRecord, state: MatchState) -> tuple[str, ...]:
    if record.length == 0:
        return ("Jacoby",) if state.jacoby else ()
    return ("Crawford",) if record.rules.crawford and record.length > 1 else ()


def _game_info(record: MatchRecord, game: GameRecord) -> Dictionary:
    state = played_at(game)
    made: Dictionary = {"score-X": state.score[0], "score-O": state.score[1]}
    if record.length and max(state.score) == record.length - 1:
        made["crawford"] = state.crawford
    ending = result(game)
    made["winner"] = None if ending is None else PLAYERS[ending[0]]
    if ending is not None:
        made["points-won"] = ending[1]
        made["resigned"] = bool(game.actions) and isinstance(game.actions[-1], Accept)
    return made


def _board_set(board: Board, state: MatchState) -> Dictionary:
    """The record of a board set by hand, which gnubg tells from player 0's side."""
    return {"board": position_id(board if state.move == 0 else swap(board)), "action": "set"}


class _Writer:
    """Writes the records of one game; what every record depends on is kept here."""

    def __init__(
        self,
        session: Session,
        number: int,
        boards: bool,
        verbose: bool,
        default: EvalSettings | None,
    ) -> None:
        self.session, self.number = session, number
        self.boards, self.verbose, self.default = boards, verbose, default
        self.game = session.match().games[number]

    def opening(self) -> Iterable[Dictionary]:
        """The records of an opening roll that was not played, and of a board set before."""
        start, actions = self.game.start, self.game.actions
        if start.match.dice != NO_DICE and not isinstance((*actions, None)[0], Move):
            yield self._rolled(start.match)
        variation = self.session.match().rules.variation
        if not np.array_equal(start.board, start_position(variation)):
            yield _board_set(start.board, start.match)

    def _rolled(self, state: MatchState) -> Dictionary:
        return {"dice": state.dice, "action": "set", "player": PLAYERS[state.move]}

    def entries(self, group: Group) -> Iterable[Dictionary]:
        """The dictionaries of one record; of a position set by hand there may be two."""
        action = self.game.actions[group[0]]
        if isinstance(action, Setup):
            return self._setup(action, group[0])
        made = self._plain(group, self.game.actions[group[-1]])
        if self.default is not None:
            said = [j for i in group for j in self.session.analysed.get((self.number, i), ())]
            judged = self._analysis(said, self.game.positions[group[-1]])
            if judged:
                made["analysis"] = judged
        return [made]

    def _plain(self, group: Group, action: Action) -> Dictionary:
        first, position = self.game.actions[group[0]], self.game.positions[group[-1]]
        player = PLAYERS[action.player]
        made: Dictionary = {}
        match first:
            case Resign(player=loser, offer=offer):
                return {"action": "resign", "player": PLAYERS[loser], "points": int(offer)}
            case Roll(dice=dice) if len(group) == 1:
                return {"dice": dice, "action": "set", "player": player}
        if isinstance(action, Move):
            after = parse_play(position.board, position.match.dice, action.play)
            made["dice"] = position.match.dice
            moves = moves_between(position.board, position.match.dice, after)
            if self.session.imported:  # as files write plays: the highest point first
                moves.sort(reverse=True)
            made["move"] = tuple(moves)
        if self.boards and isinstance(action, Move | Double | Redouble):
            made["board"] = position_id(position.board)
        word = _PLAIN_ACTIONS.get(type(action), action.word)
        return {**made, "action": word, "player": player}

    def _setup(self, action: Setup, place: int) -> Iterable[Dictionary]:
        """The records of a position set by hand: its dice, unless they were played, board, cube."""
        before, later = self.game.positions[place], (*self.game.actions, None)[place + 1]
        board, state = from_gnubg_id(action.gnubg_id)
        rolled = state.dice not in (NO_DICE, before.match.dice)
        if rolled and not isinstance(later, Move | Setup):
            yield self._rolled(state)
        old = before.board if before.match.move == state.move else before.board[::-1]
        if not np.array_equal(old, board):
            yield _board_set(board, state)
        if state.cube_value != before.match.cube_value:
            yield {"cube": state.cube_value, "action": "set"}
        if state.cube_owner != before.match.cube_owner:
            owner = "centered" if state.cube_owner == CENTRED else PLAYERS[state.cube_owner]
            yield {"cube-owner": owner, "action": "set"}

    def _analysis(self, judgements: list[Judgement], position: Position) -> Dictionary:
        """What was said of a record: its cube decision, its plays, the luck of its roll."""
        made: Dictionary = {}
        skills: Dictionary = {}
        limits = self.session.analysis.limits
        for item in sorted(judgements, key=_rank):
            if isinstance(item, Luck):
                made["luck-value"] = float(item.luck)
                word = _LUCK_WORDS.get(luck_mark(item.luck, limits))
                made |= {"luck": word} if word else {}
                continue
            key = "skill"
            if isinstance(item, PlayJudgement):
                made |= self._plays(item, position)
            else:
                made |= self._cube(item) if item.answer is None else {}
                key = "skill" if item.doubled else "cube-skill"
            mark = play_mark(item.loss, limits)
            skills |= {key: mark} if mark != "unmarked" else {}
        return made | {key: skills[key] for key in ("skill", "cube-skill") if key in skills}

    def _cube(self, item: CubeJudgement) -> Dictionary:
        decision = item.decision
        no_double, take = map(float, decision.kept_values)
        made: Dictionary = {"type": "eval"}
        if item.probabilities:
            made["probs"] = tuple(item.probabilities)
        made |= {"nd-cubeful-eq": no_double, "dt-cubeful-eq": take}
        if self.verbose and item.probabilities:
            met = engine.met_of(self.session)
            cubeless = float(utility(np.array(item.probabilities), decision.cube, met))
            made |= {"nd-match-eq": cubeless, "dt-match-eq": cubeless}
        if self.default is not None and item.ply != self.default.plies:
            made["eval-context"] = {"plies": item.ply}
        return made

    def _plays(self, item: PlayJudgement, position: Position) -> Dictionary:
        """The plays of a roll and which of them was made; nothing where there was none to make."""
        assert self.default is not None
        made = []
        for play in item.plays:
            entry: Dictionary = {
                "type": "eval",
                "move": tuple(moves_between(position.board, item.dice, play.board)),
                "probs": tuple(float(p) for p in play.probabilities),
                "score": float(play.equity),
            }
            if play.ply != self.default.plies:
                entry["evalcontext"] = {"plies": play.ply}
            made.append(entry)
        return {"moves": tuple(made), "imove": item.chosen} if made[0]["move"] else {}


def _rank(item: Judgement) -> int:
    """The place of a judgement in gnubg's order: the cube, the play, the luck."""
    return (CubeJudgement, PlayJudgement, Luck).index(type(item))


def navigate(session: Session, next: int | None = None, game: int | None = None) -> Any:
    """Go to another position of the match: without arguments to its beginning.

    Arguments: [next=records ahead] [game=games ahead, or back]. The answer is None where all could
    be done, or else the records that were not there and the games gone over.
    """
    if next is not None and next < 0:
        raise ValueError("negative next record")
    record = session.match()
    if next is None and game is None:
        _go(session, 0, 0)
        return None
    target = max(0, min(session.game_index + (game or 0), len(record.games) - 1))
    moved = abs(target - session.game_index)
    if game:
        _go(session, target, 0)
    left = _ahead(session, next or 0)
    return (left, moved) if left or moved else None


def _ahead(session: Session, records: int) -> int:
    """Go over some records of the game shown; how many of them were not there."""
    ends = [group[-1] + 1 for group in groups_of(session.game())]
    later = [end for end in ends if end > session.cursor]
    if records and later:
        _go(session, session.game_index, later[min(records, len(later)) - 1])
    return max(0, records - len(later))


def _go(session: Session, game: int, cursor: int) -> None:
    """Show a position of the match, with the dice of the play that follows it."""
    actions = session.match().games[game].actions
    rolled = [isinstance(action, Roll) for action in actions[cursor : cursor + 1]]
    if any(rolled) and cursor + 1 < len(actions):
        cursor += 1
    session.go_to(game, cursor)
