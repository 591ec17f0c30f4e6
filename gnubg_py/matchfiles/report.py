"""A game as turns with judgements and comments, from which exports as text and HTML are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gnubg_py.cube.state import Cube, cube_of, swap_cube
from gnubg_py.game.actions import Action, Double, Drop, Move, Redouble, Roll, Setup, Take
from gnubg_py.game.analysis import CubeJudgement, Judgement, Luck, PlayJudgement
from gnubg_py.game.position import Position, valued
from gnubg_py.game.record import GameRecord, result
from gnubg_py.game.statistics import Thresholds, luck_mark, play_mark
from gnubg_py.match import NO_DICE, GameState
from gnubg_py.matchfiles.contents import ROLLED_OUT, MatchContents, depth_words
from gnubg_py.matchfiles.export_settings import ExportSettings, Wording
from gnubg_py.messages import counted
from gnubg_py.notation import CANNOT_MOVE, match_id, play_text
from gnubg_py.probabilities import Five

_LEVELS = {1: "single game", 2: "gammon", 3: "backgammon"}


@dataclass(frozen=True)
class Turn:
    """A turn: the position, the decision, what was done, and the judgements and comments."""

    number: int
    player: int
    question: str
    position: Position
    done: str
    judgements: tuple[Judgement, ...]
    comment: str
    place: int
    """The number of its last action in the game."""
    play: str = ""
    """The play that was made, if it was one."""


def turns(contents: MatchContents, number: int) -> Iterator[Turn]:
    """The turns of a game, a roll and its play together."""
    game, names = contents.record.games[number], contents.record.players
    said: list[Judgement] = []
    remarks: list[str] = []
    count = 0
    for place, action in enumerate(game.actions):
        said += contents.analysis.get((number, place), ())
        remarks.append(contents.comments.get((number, place), ""))
        words = _words(game, place, action, names)
        if words is None:
            continue
        count += 1
        question, done = words
        before = game.positions[place if done else place + 1]
        player = before.match.turn
        text = "\n".join(filter(None, remarks))
        play = action.play if isinstance(action, Move) else ""
        yield Turn(count, player, question, before, done, tuple(said), text, place, play)
        said, remarks = [], []


def _words(
    game: GameRecord, place: int, action: Action, names: Sequence[str]
) -> tuple[str, str] | None:
    """The decision, and what was done; None for an action that is part of another turn."""
    match = game.positions[place].match
    name = names[match.turn]
    doubler = names[match.move]
    match action:
        case Move(play=play):
            a, b = match.dice
            done = play if play == CANNOT_MOVE else f"moves {play}"
            return f"{name} to play {a}{b}", f"{name} {done}"
        case Double():
            return f"{name} on roll, cube decision?", f"{name} doubles"
        case Take() | Drop():
            verb = "accepts" if isinstance(action, Take) else "rejects"
            return f"{doubler} doubles to {2 * match.cube_value}", f"{name} {verb}"
        case Redouble():
            return f"{doubler} doubles to {2 * match.cube_value}", f"{name} redoubles"
        case Setup() if place + 1 == len(game.actions):
            return what_is_asked(game.end, names), ""
        case Roll() if place + 1 == len(game.actions):
            a, b = game.positions[place + 1].match.dice
            return f"{name} to play {a}{b}", "The game was not finished"
    return None


def shown_match_id(turn: Turn) -> str:
    """The Match ID of a turn; before the first one gnubg's says that no game is in progress."""
    match = turn.position.match
    return match_id(replace(match, game_state=GameState.NONE) if turn.number == 1 else match)


def what_is_asked(position: Position, names: Sequence[str]) -> str:
    """The decision that the player on turn has to make, in gnubg's words."""
    match = position.match
    name = names[match.turn]
    if match.doubled:
        return f"{names[match.move]} doubles to {2 * match.cube_value}"
    if match.resigned:
        return f"{names[1 - match.turn]} offers to resign a {_LEVELS[int(match.resigned)]}"
    if match.dice == NO_DICE:
        return f"{name} on roll, cube decision?"
    return f"{name} to play {match.dice[0]}{match.dice[1]}"


def ending(contents: MatchContents, number: int) -> str:
    """How a game ended, in gnubg's words; empty if it did not."""
    won = result(contents.record.games[number])
    if won is None:
        return ""
    return f"{contents.record.players[won[0]]} wins {counted(won[1], 'point')}"


@dataclass(frozen=True)
class PlayRow:
    """A row of a list of plays: rank, whether it was made, text, equity, loss, probabilities."""

    rank: int
    made: bool
    depth: str
    text: str
    equity: float
    loss: float
    probabilities: Five


def play_rows(turn: Turn, judged: PlayJudgement, most: int) -> list[PlayRow]:
    """The best plays of a decision, and the one that was made."""
    rows = []
    for i, play in enumerate(judged.plays):
        if i >= most and i != judged.chosen:
            continue
        text = _play_words(turn.position, judged, i)
        five = Five(*play.probabilities.tolist())
        loss = judged.plays[0].equity - play.equity
        depth = depth_words(play.ply)
        depth = depth if play.ply >= ROLLED_OUT else f"Cubeful {depth}"
        rows.append(PlayRow(i + 1, i == judged.chosen, depth, text, play.equity, loss, five))
    return rows


def _play_words(position: Position, judged: PlayJudgement, i: int) -> str:
    try:
        return play_text(position.board, judged.dice, judged.plays[i].board)
    except ValueError:  # a file may hold plays that the rules forbid
        return "?"


def unjudged_play(turn: Turn, settings: ExportSettings) -> str:
    """The play of a turn whose play was not analysed, where analysis is shown; else empty."""
    judged = any(isinstance(item, PlayJudgement) for item in turn.judgements)
    if judged or not settings.analysis or not turn.play:
        return ""
    return "Cannot move" if turn.play == CANNOT_MOVE else turn.play


def shown_judgements(turn: Turn, settings: ExportSettings) -> list[Judgement]:
    """The judgements of a turn that the settings show: the cube, then luck, then the play."""
    if not settings.analysis or settings.players not in ("both", str(turn.player)):
        return []
    limits = settings.limits
    shown: list[Judgement] = []
    for item in turn.judgements:
        if isinstance(item, PlayJudgement):
            keep = settings.move_marks.show(play_mark(item.loss, limits))
        elif isinstance(item, CubeJudgement):
            keep = _shows_cube(item, settings, play_mark(item.loss, limits))
        else:
            keep = True
        shown += [item] * keep
    return sorted(shown, key=lambda item: (CubeJudgement, Luck, PlayJudgement).index(type(item)))


def _shows_cube(item: CubeJudgement, settings: ExportSettings, mark: str) -> bool:
    marks = settings.cube_marks
    missed = not item.doubled and item.loss > 0
    reasons = [marks.actual and item.doubled, marks.missed and missed, marks.close and item.close]
    return marks.show(mark) or any(reasons)


def alerts(turn: Turn, limits: Thresholds, wording: Wording) -> list[str]:
    """A text for a bad play, and one for a remarkable roll."""
    cube = cube_of(valued(turn.position.match))
    lines = []
    for item in sorted(turn.judgements, key=lambda item: isinstance(item, Luck)):
        if isinstance(item, Luck):
            mark = luck_mark(item.luck, limits)
            text = f"Alert: {mark} roll! {wording.gained(item.luck, item.worth, cube, 7)}"
        elif isinstance(item, PlayJudgement):
            mark = play_mark(item.loss, limits)
            text = f"Alert: {mark} move {wording.gained(-item.loss, -item.cost, cube, 7)}"
        else:
            continue
        if mark != "unmarked":
            lines.append(text)
    return lines


def deciding_cube(item: CubeJudgement) -> Cube:
    """The cube as the side that decides sees it."""
    return swap_cube(item.decision.cube) if item.answer else item.decision.cube


_SHOWN = 0.0005
"""What three digits show as more than nothing."""


def cube_alert(item: CubeJudgement, limits: Thresholds, wording: Wording) -> list[str]:
    """gnubg's lines for a wrong cube decision, the second its mark; none for a right one."""
    if item.loss < _SHOWN:
        return []
    mark = play_mark(item.loss, limits)
    wrong = f"wrong {item.answer or 'double'}" if item.answer or item.doubled else "missed double"
    behind = wording.behind(-item.loss, deciding_cube(item))
    return [f"Alert: {wrong} {behind}!", "" if mark == "unmarked" else f" [{mark}]"]
