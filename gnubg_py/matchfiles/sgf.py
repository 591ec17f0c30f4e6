"""Reading gnubg's SGF: matches and positions, with analysis and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gnubg_py.board import VARIATIONS, Board
from gnubg_py.game.actions import Double, Drop, Move, Redouble, Roll, Setup, Take
from gnubg_py.game.position import Position, Rules, position_of
from gnubg_py.match import CENTRED, NO_DICE, MatchState
from gnubg_py.matchfiles.builder import Builder
from gnubg_py.matchfiles.contents import MatchContents, MatchInfo, Place, clean_name, clean_text
from gnubg_py.matchfiles.formats import Format, text_of
from gnubg_py.matchfiles.quick_plays import after_legs
from gnubg_py.matchfiles.sgf_properties import (
    SIDES,
    legs_of_letters,
    most_plays,
    point,
    read_cube_value,
    read_play_value,
)
from gnubg_py.matchfiles.sgf_tree import Node, read_trees
from gnubg_py.matchfiles.sgf_write import to_sgf
from gnubg_py.notation import CANNOT_MOVE
from gnubg_py.typed import shortened

if TYPE_CHECKING:
    from gnubg_py.game.analysis import Judgement

_SETUP = ("AE", "AW", "AB", "CV", "CP", "PL", "DI")
_RESULT = re.compile(r"([WB])\+(\d{1,6})(R?)")
_DICE = re.compile(r"([1-6])([1-6])")
_OWNERS = {"w": 0, "b": 1, "c": CENTRED}


@dataclass
class _Reader:
    """The match so far, while nodes are read."""

    builder: Builder
    line: int = 0
    analysis: dict[Place, tuple[Judgement, ...]] = field(default_factory=dict)
    comments: dict[Place, str] = field(default_factory=dict)
    skills: dict[Place, str] = field(default_factory=dict)
    lucks: dict[Place, str] = field(default_factory=dict)
    rollouts: dict[Place, dict[str, str]] = field(default_factory=dict)


def from_sgf(text: str, rules: Rules | None = None) -> MatchContents:
    """Read an SGF file of backgammon; ``ValueError`` where there is no game in it.

    Rollouts count as evaluations that are deeper than any search; their texts are kept.
    """
    games, warnings = read_trees(text.removeprefix("\ufeff"))
    others = [game[0] for game in games if not _is_backgammon(game)]
    games = list(filter(_is_backgammon, games))
    if not games:
        raise ValueError("no game of backgammon (GM[6]) in it" if others else "not an SGF file")
    root = games[0][0]
    told = _match_information(root).get("length", "0")
    length = _whole(told, 0)
    reader = _Reader(Builder(length, _rules(root, rules or Rules(), length)))
    if _whole(told, -1) < 0:
        warnings.append(f"match length {shortened(told)} is none: read as a money session")
    reader.builder.turns_are_set = True
    reader.builder.where = lambda: f"line {reader.line}"
    reader.builder.name_players(root.first("PW"), root.first("PB"))
    for game in games:
        _game(reader, game)
    for other in others:
        reader.line = other.line
        reader.builder.warn("A game that is not backgammon, GM[6], is left out")
    reader.builder.warnings += warnings
    return reader.builder.contents(
        analysis=reader.analysis,
        comments=reader.comments,
        info=_info(root),
        skills=reader.skills,
        lucks=reader.lucks,
        rollouts=reader.rollouts,
    )


def _is_backgammon(game: list[Node]) -> bool:
    return game[0].first("GM", "6").strip() == "6"


def _match_information(root: Node) -> dict[str, str]:
    pairs = (value.partition(":") for value in root.values.get("MI", []))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _whole(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else otherwise


def _rules(root: Node, rules: Rules, length: int) -> Rules:
    words = {word.lower() for value in root.values.get("RU", []) for word in value.split(":")}
    variations = [name for name in VARIATIONS if name.replace("-", "") in words]
    variation = variations[0] if variations else "standard"
    crawford = "crawford" in words if length else rules.crawford
    jacoby = "jacoby" in words if not length else rules.jacoby
    cube = "nocube" not in words
    return replace(rules, variation=variation, crawford=crawford, jacoby=jacoby, cube=cube)


def _info(root: Node) -> MatchInfo:
    names = {"date": "DT", "event": "EV", "round": "RO", "place": "PC", "annotator": "AN"}
    words = {name: clean_name(root.first(key)) for name, key in names.items()}
    ratings = (clean_name(root.first("WR")), clean_name(root.first("BR")))
    return MatchInfo(**words, comment=clean_text(root.first("GC")), ratings=ratings)


def _game(reader: _Reader, nodes: list[Node]) -> None:
    builder, root = reader.builder, nodes[0]
    reader.line = root.line
    told = _match_information(root)
    score = (_whole(told.get("ws", ""), 0), _whole(told.get("bs", ""), 0))
    crawford = any("CrawfordGame" in value for value in root.values.get("RU", []))
    if not builder.new_game(score, crawford):
        return
    if "CV" in root.values:
        _set_up(reader, Node(root.line, {"CV": root.values["CV"]}))
    for node in nodes[1:]:
        reader.line = node.line
        try:
            _node(reader, node)
        except ValueError as error:
            builder.warn(f"{error}")
    result = _RESULT.match(root.first("RE"))
    if result:
        builder.win("WB".index(result[1]), int(result[2]), resigned=bool(result[3]))
    builder.close_game()


def _node(reader: _Reader, node: Node) -> None:
    builder = reader.builder
    if any(name in node.values for name in _SETUP) and builder.is_playing:
        _set_up(reader, node)
    before = builder.next_place
    for player, side in enumerate(SIDES):
        if side in node.values:
            _action(builder, player, node.first(side).strip())
    after = builder.next_place[1]
    places = [(before[0], place) for place in range(before[1], after)]
    if not places:
        return
    _judge(reader, node, places)
    _mark(reader, node, places)
    if comment := clean_text(node.first("C")):
        reader.comments[places[-1]] = comment


def _action(builder: Builder, player: int, text: str) -> None:
    if text == "double":
        builder.double(player)
    elif text == "take":
        builder.take()
    elif text == "drop":
        builder.drop(player)
    elif dice := _DICE.match(text):
        legs = legs_of_letters(player, text[2:])
        play = " ".join(f"{start}/{end}" for start, end in legs)
        if not builder.play(player, (int(dice[1]), int(dice[2])), play):
            builder.warn(f"A play after the end of the game: {text[:20]}")
    else:
        builder.warn(f"{SIDES[player]}[{text[:20]}]: expected dice and a play, or a cube action")


def _set_up(reader: _Reader, node: Node) -> None:
    """Change the position by the properties of a node."""
    builder = reader.builder
    position = builder.end
    sides = position.board if position.match.move == 0 else position.board[::-1]
    white_first = _changed_board(np.array(sides), node)
    match = _changed_match(position.match, node)
    board = white_first if match.move == 0 else white_first[::-1]
    dice_only = set(node.values) & set(_SETUP) <= {"PL", "DI"}
    if dice_only and match.move == position.match.move and match.dice != NO_DICE:
        builder.roll(match.move, match.dice)
    else:
        builder.put(position_of(np.ascontiguousarray(board), match))


def _changed_board(board: Board, node: Node) -> Board:
    if not {"AE", "AW", "AB"} & set(node.values):
        return board
    if "AE" in node.values:
        board[:] = 0
    for player, name in enumerate(("AW", "AB")):
        for value in node.values.get(name, []):
            place = point(player, value.strip())
            if place == 0:
                raise ValueError(f"{name}[{value[:5]}]: a checker that is off")
            if board[player, place - 1] >= 15:
                raise ValueError(f"{name}: more than 15 checkers on a point")
            board[player, place - 1] += 1
    return board


def _changed_match(match: MatchState, node: Node) -> MatchState:
    if "CV" in node.values:
        match = replace(match, cube_value=_whole(node.first("CV"), 0))
    if "CP" in node.values:
        match = replace(match, cube_owner=_OWNERS.get(node.first("CP").strip().lower(), CENTRED))
    side = node.first("PL").strip().upper()
    if side in ("W", "B", "WHITE", "BLACK"):
        player = "WB".index(side[0])
        match = replace(match, move=player, turn=player, dice=NO_DICE, doubled=False)
    if dice := _DICE.match(node.first("DI").strip()):
        match = replace(match, dice=(int(dice[1]), int(dice[2])))
    return match


def _judge(reader: _Reader, node: Node, places: list[Place]) -> None:
    """Keep the analysis in a node, which is of the node's actions."""
    if not {"A", "DA", "LU"} & set(node.values):
        return
    rolled = _rollouts(node)
    for place in places:
        reader.analysis[place] = tuple(_judgements(reader.builder, node, place[1]))
        if rolled:
            reader.rollouts[place] = rolled


def _rollouts(node: Node) -> dict[str, str]:
    """The texts of a node's rollouts: by the letters of the play, "" for the cube."""
    found = [read_play_value(value) for value in most_plays(node.values.get("A", []))]
    rolled = {letters: kept.rollout for letters, kept in filter(None, found) if kept.rollout}
    cube = read_cube_value(node.first("DA"))
    return rolled | ({"": cube.rollout} if cube is not None and cube.rollout else {})


def _mark(reader: _Reader, node: Node, places: list[Place]) -> None:
    """Keep the marks that a person set, which do not follow from the analysis."""
    from gnubg_py.game.analysis import Luck
    from gnubg_py.game.statistics import Thresholds, luck_mark, play_mark

    judged = [item for place in places for item in reader.analysis.get(place, ())]
    limits = Thresholds()
    lucks = {luck_mark(item.luck, limits) for item in judged if isinstance(item, Luck)}
    skills = {play_mark(item.loss, limits) for item in judged if not isinstance(item, Luck)}
    skill = "doubtful" if "DO" in node.values else ""
    if "BM" in node.values:
        skill = "very bad" if node.first("BM").strip() == "2" else "bad"
    if skill and skill not in skills:
        reader.skills[places[-1]] = skill
    player = reader.builder.step(places[0][1])[0].match.move
    for side, letter in enumerate(SIDES):
        if f"G{letter}" in node.values:
            very = "very " * (node.first(f"G{letter}").strip() == "2")
            luck = f"{very}{'lucky' if side == player else 'unlucky'}"
            if luck not in lucks:
                reader.lucks[places[0]] = luck


def _judgements(builder: Builder, node: Node, place: int) -> list[Judgement]:
    from gnubg_py.matchfiles.judgements import cube_judgement, luck_judgement, play_judgement

    position, action, after = builder.step(place)
    found: list[Judgement | None] = []
    cube = read_cube_value(node.first("DA"))
    if cube and isinstance(action, Roll | Double | Take | Drop | Redouble):
        turned = None if isinstance(action, Roll) else action
        values = (cube.equities[0], cube.equities[1])
        found.append(cube_judgement(position, turned, values, cube.five, cube.ply))
    opening = place == 0 and position.match.dice != NO_DICE
    dice = action.dice if isinstance(action, Roll) else position.match.dice
    if "LU" in node.values and (isinstance(action, Roll) or opening):
        luck = _number(node.first("LU"))
        found.append(None if luck is None else luck_judgement(position, dice, luck))
    if isinstance(action, Move | Setup) and "A" in node.values:
        found.append(_play(node, position, after))
    elif isinstance(action, Move) and action.play == CANNOT_MOVE:
        nothing = [(after.board, 0, 0.0, (0.0,) * 5)]  # gnubg writes no evaluation of a dance
        found.append(play_judgement(position, nothing, after.board))
    return [item for item in found if item is not None]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e4 else None


def _play(node: Node, position: Position, after: Position) -> Judgement | None:
    from gnubg_py.matchfiles.judgements import KeptPlay, play_judgement

    kept: list[KeptPlay] = []
    for value in most_plays(node.values["A"]):
        found = read_play_value(value)
        if found is None:
            continue
        letters, evaluation = found
        try:
            legs = legs_of_letters(position.match.move, letters)
        except ValueError:
            continue
        board = after_legs(position.board, legs)
        if board is not None:
            kept.append((board, evaluation.ply, evaluation.equities[0], evaluation.five))
    return play_judgement(position, kept, after.board)


FORMAT = Format(
    looks_like=lambda data: re.match(rb"(\xef\xbb\xbf)?\s*\(\s*;", data) is not None,
    read=lambda data, rules: from_sgf(text_of(data), rules),
    write=to_sgf,
)
