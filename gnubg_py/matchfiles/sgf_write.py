"""Write gnubg's SGF: one game after another, with analysis and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gnubg_py.board import start_position, swap
from gnubg_py.errors import IllegalActionError, Refusal
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
from gnubg_py.game.position import Position
from gnubg_py.game.record import GameRecord, MatchRecord, result, sets_turn, takes_dice_back
from gnubg_py.match import CENTRED, NO_DICE
from gnubg_py.matchfiles.contents import ROLLED_OUT, MatchContents
from gnubg_py.matchfiles.quick_plays import forced_through
from gnubg_py.matchfiles.sgf_properties import (
    SIDES,
    KeptEvaluation,
    cube_value,
    legs_of_letters,
    letter,
    letters_of_legs,
    play_value,
    read_cube_value,
    read_play_value,
)
from gnubg_py.matchfiles.sgf_tree import write_tree
from gnubg_py.notation.steps import find_steps, sides

if TYPE_CHECKING:
    from gnubg_py.board import Board
    from gnubg_py.game.analysis import CubeJudgement, Judgement, PlayJudgement

Property = tuple[str, Sequence[str]]
_Node = list[Property]
_MARKS = (("BM", "DO"), ("GW", "GB"))
_SKILLS: dict[str, Property] = {
    "doubtful": ("DO", [""]),
    "bad": ("BM", ["1"]),
    "very bad": ("BM", ["2"]),
}


def to_sgf(contents: MatchContents) -> str:
    """A match as SGF in gnubg's form, with its analysis and comments.

    The form has no place for an offer to resign that was declined.
    """
    if not contents.record.games:
        raise IllegalActionError(Refusal.NO_GAME)
    games = enumerate(contents.record.games)
    return "\n".join(write_tree(_game(contents, number, game)) for number, game in games)


def _game(contents: MatchContents, number: int, game: GameRecord) -> list[_Node]:
    nodes = [_root(contents, number, game)]
    standard = start_position(contents.record.rules.variation)
    if (
        not (game.start.board == standard).all()
        or not _is_plain(game.start)
        or game.start.match.dice == NO_DICE
    ):
        nodes += _setup_nodes(game.start)
    elif not _is_part_of_a_play(game, -1):
        nodes.append(_dice_node(game.start))
    for place, action in enumerate(game.actions):
        nodes += _action_nodes(contents, (number, place), game, action)
    return nodes


def _is_plain(start: Position) -> bool:
    match = start.match
    return match.cube_owner == CENTRED and (match.cube_value == 1 or match.match_length == 0)


def _root(contents: MatchContents, number: int, game: GameRecord) -> _Node:
    record, info = contents.record, contents.info
    score = game.start.match.score
    told = [f"length:{record.length}", f"game:{number}", f"ws:{score[0]}", f"bs:{score[1]}"]
    node: _Node = [("FF", ["4"]), ("GM", ["6"]), ("CA", ["UTF-8"])]
    node += [("AP", ["gnubg_py"]), ("MI", told)]
    node += [("PW", [record.players[0]]), ("PB", [record.players[1]])]
    texts = [
        ("WR", info.ratings[0]),
        ("BR", info.ratings[1]),
        ("DT", info.date),
        ("EV", info.event),
    ]
    texts += [("RO", info.round), ("PC", info.place)]
    texts += [("AN", info.annotator), ("GC", info.comment)]
    node += [(name, [text]) for name, text in texts if text]
    node.append(("RU", [_rules(record, game)]))
    if (cube := game.start.match.cube_value) > 1 and _is_plain(game.start):
        node.append(("CV", [str(cube)]))
    if (ending := result(game)) is not None:
        resigned = "R" if isinstance(game.actions[-1], Accept) else ""
        node.append(("RE", [f"{SIDES[ending[0]]}+{ending[1]}{resigned}"]))
    return node


def _rules(record: MatchRecord, game: GameRecord) -> str:
    rules, match = record.rules, game.start.match
    words = ["Crawford"] if rules.crawford and record.length else []
    words += ["CrawfordGame"] if match.crawford else []
    words += ["Jacoby"] if record.length == 0 and match.jacoby else []
    if rules.variation != "standard":
        words.append(rules.variation.replace("-", "").capitalize())
    words += [] if rules.cube else ["NoCube"]
    return ":".join(words)


def _setup_nodes(position: Position) -> list[_Node]:
    """The nodes of a position set by hand: as in gnubg, one each for board, cube and dice."""
    match = position.match
    side = SIDES[match.move]
    first = _checkers(match.move, position.board[0])
    second = _checkers(1 - match.move, position.board[1])
    white, black = (first, second) if match.move == 0 else (second, first)
    nodes: list[_Node] = [[("PL", [side]), ("AE", ["a:y"]), ("AW", white), ("AB", black)]]
    if match.cube_value > 1 or match.cube_owner != CENTRED:
        owner = "c" if match.cube_owner == CENTRED else SIDES[match.cube_owner].lower()
        nodes += [[("CV", [str(match.cube_value)])], [("CP", [owner])]]
    if match.dice != NO_DICE:
        nodes.append(_dice_node(position))
    return nodes


def _dice_node(position: Position) -> _Node:
    """The dice that are on the table."""
    match = position.match
    return [("PL", [SIDES[match.move]]), ("DI", ["{}{}".format(*match.dice)])]


def _checkers(player: int, row: Board) -> list[str]:
    places = [(letter(player, place), count) for place, count in enumerate(row.tolist(), start=1)]
    return [name for name, count in places for _ in range(count)]


def _action_nodes(
    contents: MatchContents, place: tuple[int, int], game: GameRecord, action: Action
) -> Iterator[_Node]:
    """The nodes of an action; a roll has none if a play follows, whose node includes it."""
    before, after = game.positions[place[1]], game.positions[place[1] + 1]
    side = SIDES[before.match.turn]
    judged = list(contents.analysis.get(place, ()))
    remarks = [contents.comments.get(place, "")]
    marked_places = [place]
    node: _Node
    match action:
        case Roll():
            if _is_part_of_a_play(game, place[1]):
                return
            node = _dice_node(after)
        case Move():
            for at in _roll_of(game, place[1]):
                judged = [*contents.analysis.get((place[0], at), ()), *judged]
                remarks.insert(0, contents.comments.get((place[0], at), ""))
                marked_places.append((place[0], at))
            dice = "{}{}".format(*before.match.dice)
            node = [(side, [dice + _letters(before, swap(after.board))])]
        case Double() | Redouble():
            node = [(side, ["double"])]
        case Take() | Drop():
            node = [(side, [action.word])]
        case Setup():
            if not (sets_turn(game, place[1]) and _neighbour(game, place[1], 1)):
                yield from _setup_nodes(after)
            return
        case _:
            return
    by_hand = _set_by_hand(contents, marked_places, before.match.move)
    marked = {kind for kind in _MARKS if any(name in kind for name, _ in by_hand)}
    rollouts: dict[str, str] = {}
    for marked_place in marked_places:
        rollouts.update(contents.rollouts.get(marked_place, {}))
    analysis = _analysis(before, judged, rollouts)
    node += [item for item in analysis if not any(item[0] in kind for kind in marked)] + by_hand
    if text := "\n".join(filter(None, remarks)):
        node.append(("C", [text]))
    yield node


def _set_by_hand(contents: MatchContents, places: Sequence[tuple[int, int]], player: int) -> _Node:
    """The marks that a person set."""
    node: _Node = []
    for place in places:
        if skill := contents.skills.get(place):
            node += [_SKILLS[skill]] if skill in _SKILLS else []
        if luck := contents.lucks.get(place):
            gainer = 1 - player if "unlucky" in luck else player
            node.append((f"G{SIDES[gainer]}", ["2" if luck.startswith("very") else "1"]))
    return node


def _neighbour(game: GameRecord, place: int, step: int) -> Action | None:
    """The action before or after another; offers to resign that were declined are skipped."""
    place += step
    while 0 <= place < len(game.actions) and isinstance(game.actions[place], Resign | Reject):
        place += step
    return game.actions[place] if 0 <= place < len(game.actions) else None


def _is_part_of_a_play(game: GameRecord, place: int) -> bool:
    """Whether a roll needs no node: the play after it has one, or other dice took its place."""
    return takes_dice_back(game, place + 1) or isinstance(_neighbour(game, place, 1), Move)


def _roll_of(game: GameRecord, place: int) -> list[int]:
    """The place of the roll before a play, if it is an action of the game."""
    if not isinstance(_neighbour(game, place, -1), Roll):
        return []
    return [max(i for i in range(place) if isinstance(game.actions[i], Roll))]


def _letters(before: Position, mover_first: Board) -> str:
    """The letters of the play that leads to a board, which has the mover's row first."""
    steps = find_steps(sides(before.board), before.match.dice, sides(mover_first)) or []
    legs = [(step.start, step.end) for step in sorted(steps, key=lambda step: -step.start)]
    return letters_of_legs(before.match.move, legs)


def _analysis(before: Position, judged: Sequence[Judgement], rollouts: Mapping[str, str]) -> _Node:
    from gnubg_py.game.analysis import CubeJudgement, Luck, PlayJudgement

    node: _Node = []
    for item in judged:
        if isinstance(item, CubeJudgement) and item.probabilities:
            node += [("DA", [_cube(item, rollouts)]), *_mark(item.loss)]
        elif isinstance(item, PlayJudgement) and _letters(before, swap(item.plays[0].board)):
            node += [("A", _plays(before, item, rollouts)), *_mark(item.loss)]
        elif isinstance(item, Luck):
            node += [("LU", [f"{item.luck:.5f}"]), *_luck_mark(item.player, item.luck)]
    # gnubg writes the analysis of a node in this order, one mark for the play and the cube.
    marks = [item for item in node if item[0] in ("BM", "DO")]
    rest = [item for item in node if item[0] not in ("BM", "DO")]
    order = ("DA", "A", "LU", "GW", "GB")
    return sorted(rest, key=lambda item: order.index(item[0])) + marks[-1:]


def _cube(item: CubeJudgement, rollouts: Mapping[str, str]) -> str:
    from gnubg_py.matchfiles.judgements import cubeless_equity_at

    kept = KeptEvaluation(item.ply, item.probabilities, item.decision.kept_values)
    rolled = read_cube_value(rollouts.get("", ""))
    if rolled is not None and _is_same(rolled, kept):
        kept = rolled
    return cube_value(kept, cubeless_equity_at(item.decision.cube, item.probabilities))


def _plays(before: Position, item: PlayJudgement, rollouts: Mapping[str, str]) -> list[str]:
    by_board = _rolled_boards(before, rollouts)
    values = [str(item.chosen)]
    for play in item.plays:
        five = tuple(float(p) for p in play.probabilities)
        letters = _letters(before, swap(play.board))
        kept = KeptEvaluation(play.ply, five, (play.equity,))
        rolled = by_board.get(play.board.tobytes())
        if rolled is not None and _is_same(rolled[1], kept):
            letters, kept = rolled
        values.append(play_value(letters, kept))
    return values


def _rolled_boards(
    before: Position, rollouts: Mapping[str, str]
) -> dict[bytes, tuple[str, KeptEvaluation]]:
    """The rolled out plays by the boards after them: their letters and their rollouts."""
    found = {}
    for letters, text in rollouts.items():
        kept = read_play_value(f"{letters} {text}") if letters else None
        board = None
        if kept is not None:
            legs = legs_of_letters(before.match.move, letters)
            board = forced_through(before.board, legs)
        if kept is not None and board is not None:
            found[board.tobytes()] = kept
    return found


def _is_same(rolled: KeptEvaluation, kept: KeptEvaluation) -> bool:
    """Whether the analysis is still that of the rollout; a later analysis has other equities."""
    pairs = zip(rolled.equities, kept.equities, strict=False)
    return kept.ply >= ROLLED_OUT and all(abs(a - b) < 1e-6 for a, b in pairs)


def _mark(loss: float) -> _Node:
    from gnubg_py.game.statistics import Thresholds, play_mark

    mark = _SKILLS.get(play_mark(loss, Thresholds()))
    return [mark] if mark else []


def _luck_mark(player: int, luck: float) -> _Node:
    from gnubg_py.game.statistics import Thresholds, luck_mark

    words = luck_mark(luck, Thresholds())
    if words == "unmarked":
        return []
    gainer = player if luck > 0 else 1 - player
    return [(f"G{SIDES[gainer]}", ["2" if words.startswith("very") else "1"])]
