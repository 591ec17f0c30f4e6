"""Analysis and comments as JSON, without what can be computed again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnubg_py.game.actions import Double, Drop, Move, Redouble, Roll, Take
from gnubg_py.game.record import GameRecord
from gnubg_py.matchfiles.contents import LUCKS, SKILLS, MatchContents, Place, clean_text
from gnubg_py.notation import from_position_id, position_id
from gnubg_py.typed import shortened

if TYPE_CHECKING:
    from gnubg_py.game.analysis import CubeJudgement, Judgement, PlayJudgement
    from gnubg_py.matchfiles.judgements import KeptPlay

_FIELDS = {"action", "comment", "luck", "cube", "plays", "skill", "luck mark", "judged", "rollouts"}
_MOST_PLAYS = 4000
_MOST_ROLLOUTS = 200
_LONGEST_PLAY = 8


def said_as_json(contents: MatchContents, number: int) -> list[dict[str, Any]]:
    """Analysis and comments of a game: one object for each action that has any."""
    told = (
        contents.analysis,
        contents.comments,
        contents.skills,
        contents.lucks,
        contents.rollouts,
    )
    places = {place for said in told for place in said if place[0] == number}
    return [_object(contents, place) for place in sorted(places)]


def _object(contents: MatchContents, place: Place) -> dict[str, Any]:
    from gnubg_py.game.analysis import CubeJudgement, Luck

    said: dict[str, Any] = {"action": place[1]}
    if comment := contents.comments.get(place):
        said["comment"] = comment
    if skill := contents.skills.get(place):
        said["skill"] = skill
    if luck := contents.lucks.get(place):
        said["luck mark"] = luck
    if place in contents.analysis:
        said["judged"] = True
    if rolled := contents.rollouts.get(place):
        said["rollouts"] = dict(rolled)
    for item in contents.analysis.get(place, ()):
        if isinstance(item, Luck):
            said["luck"] = item.luck
        elif isinstance(item, CubeJudgement):
            said["cube"] = _cube(item)
        else:
            said["plays"] = _plays(item)
    return said


def _cube(item: CubeJudgement) -> list[float]:
    return [item.ply, *item.decision.kept_values, *(item.probabilities or (0.0,) * 5)]


def _plays(item: PlayJudgement) -> list[list[Any]]:
    return [
        [position_id(play.board), play.ply, play.equity, *map(float, play.probabilities)]
        for play in item.plays
    ]


@dataclass
class Said:
    """Analysis, comments and marks of the actions of a match."""

    analysis: dict[Place, tuple[Judgement, ...]] = field(default_factory=dict)
    comments: dict[Place, str] = field(default_factory=dict)
    skills: dict[Place, str] = field(default_factory=dict)
    lucks: dict[Place, str] = field(default_factory=dict)
    rollouts: dict[Place, dict[str, str]] = field(default_factory=dict)


def read_said(said: Said, value: object, number: int, game: GameRecord) -> None:
    """Add the analysis and comments of a game; ``ValueError`` says what is wrong."""
    if not isinstance(value, list):
        raise ValueError("'said' should be a list")
    for item in value:
        if not isinstance(item, dict) or not set(item) <= _FIELDS:
            raise ValueError(f"{shortened(item)}: should have of {', '.join(sorted(_FIELDS))}")
        action = item.get("action")
        if type(action) is not int or not 0 <= action < len(game.actions):
            raise ValueError(f"'said' of action {shortened(action)}: there is none")
        place = (number, action)
        if "comment" in item:
            if not isinstance(item["comment"], str):
                raise ValueError(f"'comment' of action {action} should be a text")
            said.comments[place] = clean_text(item["comment"])
        for name, marks, kept in (
            ("skill", SKILLS, said.skills),
            ("luck mark", LUCKS, said.lucks),
        ):
            if name in item:
                if item[name] not in marks:
                    raise ValueError(f"'{name}' of action {action}: one of {', '.join(marks)}")
                kept[place] = item[name]
        if "rollouts" in item:
            said.rollouts[place] = _rollouts(item["rollouts"], action)
        if item.get("judged") is True:
            said.analysis[place] = tuple(_judgements(item, action, game))


def _rollouts(value: object, action: int) -> dict[str, str]:
    texts = value if isinstance(value, dict) and len(value) <= _MOST_ROLLOUTS else None
    if texts is None or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"'rollouts' of action {action} should be texts by plays")
    return {letters: text for letters, text in texts.items() if len(letters) <= _LONGEST_PLAY}


def _judgements(item: dict[str, Any], place: int, game: GameRecord) -> list[Judgement]:
    from gnubg_py.matchfiles.judgements import cube_judgement, luck_judgement, play_judgement

    action, before = game.actions[place], game.positions[place]
    found: list[Judgement | None] = []
    if "cube" in item and isinstance(action, Roll | Double | Redouble | Take | Drop):
        ply, no_double, take, *five = _numbers(item["cube"], 8)
        turned = None if isinstance(action, Roll) else action
        found.append(cube_judgement(before, turned, (no_double, take), five, int(ply)))
    if "luck" in item and isinstance(action, Roll | Move):
        dice = action.dice if isinstance(action, Roll) else before.match.dice
        found.append(luck_judgement(before, dice, _numbers([item["luck"]], 1)[0]))
    if "plays" in item and isinstance(action, Move):
        if not isinstance(item["plays"], list) or len(item["plays"]) > _MOST_PLAYS:
            raise ValueError(f"'plays' of action {place} should be a list")
        kept = [_play(play) for play in item["plays"]]
        found.append(play_judgement(before, kept, game.positions[place + 1].board))
    return [item for item in found if item is not None]


def _play(value: object) -> KeptPlay:
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise ValueError(f"{shortened(value)}: should be a Position ID and numbers")
    ply, equity, *five = _numbers(value[1:], 7)
    return from_position_id(value[0]), int(ply), equity, five


def _numbers(value: object, count: int) -> list[float]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) == count and all(type(x) in (int, float) and abs(x) < 1e5 for x in numbers):
        return [float(x) for x in numbers]
    raise ValueError(f"{shortened(value)}: should be {count} numbers")
