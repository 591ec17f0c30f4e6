"""``cmark``, ``analyse rollout`` and ``annotate``: what a person marks and writes about a match."""

from __future__ import annotations

import re

from gnubg_py.game.actions import Move, Roll
from gnubg_py.match import NO_DICE
from gnubg_py.matchfiles.contents import Place
from gnubg_py.shell import words
from gnubg_py.shell.answer_commands import asked, find_plays, rollout_command
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run

CUBE = 0
"""The mark of a cube decision, where plays have their numbers."""


def mark_plays(session: Session, given: list[str]) -> None:
    """``cmark move set N ...``."""
    position = asked(session)
    if position.match.dice == NO_DICE:
        raise ValueError("You must roll the dice before plays can be marked.")
    # gnubg names what is marked for, and marks for nothing but rollouts.
    numbers = given[1:] if given and "rollout".startswith(given[0].lower()) else given
    if not numbers:
        raise ValueError("You must specify plays by their numbers in the hint list.")
    if not session.last_plays:
        find_plays(session, position)
    most = len(session.last_plays)
    session.marks.update(
        words.whole([n.removeprefix("=")], 1, most, "the number of a play") for n in numbers
    )
    show_plays(session)


def show_plays(session: Session) -> None:
    """``cmark move show``."""
    position = asked(session)
    plays = session.marks - {CUBE}
    if not plays:
        session.say("No plays are marked.")
        return
    if not session.last_plays:
        find_plays(session, position)
    for n in sorted(plays):
        session.say(f"{n} ({session.last_plays[n - 1].play}) marked")


def clear_plays(session: Session) -> None:
    """``cmark move clear``."""
    asked(session)
    session.marks.intersection_update({CUBE})
    session.say("No plays are marked.")


def mark_cube(session: Session, given: list[str]) -> None:
    """``cmark cube set [rollout]``, ``cmark cube clear``, ``cmark cube show``."""
    wanted = given[0].lower()[:2] if given else ""
    if wanted not in ("se", "cl", "sh"):
        raise ValueError("You must specify set, clear or show.")
    asked(session)
    if wanted == "se":
        session.marks.add(CUBE)
    elif wanted == "cl":
        session.marks.discard(CUBE)
    session.say(f"The cube decision is {'' if CUBE in session.marks else 'not '}marked.")


def _marked(session: Session, game: int | None) -> list[Place]:
    """The places with marks, of one game or of all."""
    session.match()
    return [at for at, marks in sorted(session.marked.items()) if marks and game in (None, at[0])]


def _show_marks(session: Session, game: int | None) -> None:
    places = _marked(session, game)
    if not places:
        session.say("Nothing is marked.")
    for number, place in places:
        shown = ", ".join("cube" if n == CUBE else f"={n}"
                          for n in sorted(session.marked[number, place]))  # fmt: skip
        session.say(f"Game {number + 1}, move {place + 1}: {shown}")


def _clear_marks(session: Session, game: int | None) -> None:
    for place in _marked(session, game):
        del session.marked[place]
    session.say("The marks have been cleared.")


def _rollout_here(session: Session, *, cube: bool) -> None:
    asked(session)
    if not (CUBE in session.marks if cube else session.marks - {CUBE}):
        raise ValueError(f"No {'cube decision' if cube else 'moves'} marked for rollout")
    rollout_command(session, ["cube"] if cube else [])


def _rollout_marked(session: Session, game: int | None) -> None:
    """Roll out what is marked in a game or the match, and come back."""
    places = _marked(session, game)
    if not places:
        raise ValueError("No moves marked for rollout")
    here = session.game_index, session.cursor
    try:
        for number, place in places:
            session.go_to(number, place)
            session.say(f"Game {number + 1}, move {place + 1}:")
            rollout_command(session, [])
            if session.stopped:
                return
    finally:
        session.go_to(*here)


def _annotated(session: Session, kind: type = object) -> Place:
    """What an annotation is about: in the next turn of the record, or at its end the last done."""
    actions, here = session.game().actions, min(session.cursor, len(session.game().actions))
    turn = range(here, min(here + 2, len(actions)))  # a turn is a roll and a play
    done = range(here - 1, -1, -1)
    found = next((i for i in (turn or done) if isinstance(actions[i], kind)), None)
    if found is None:
        raise ValueError("You must select a move to annotate first.")
    return session.game_index, found


_SKILLS = {"bad": "bad", "doubtful": "doubtful", "verybad": "very bad"}
_LUCKS = {
    "lucky": "lucky", "unlucky": "unlucky", "verylucky": "very lucky",
    "veryunlucky": "very unlucky",
}  # fmt: skip


def _mark_skill(kind: type, skill: str) -> Run:
    def run(session: Session) -> None:
        session.skills[_annotated(session, kind)] = skill
        session.say(f"Move marked as {skill}.")

    return run


_LONGEST = 10_000
_BEFORE = re.compile(r"\s*(?:\S+\s+){3}")
"""The words before a comment: annotate, what, and comment."""


def _raw_comment(line: str) -> str:
    """A comment as it was typed, with its quotes."""
    return _BEFORE.sub("", line, count=1).strip()[:_LONGEST]


def _forget_comments(session: Session, at: Place) -> None:
    """Drop what was written of a turn: as in gnubg a roll and its play have one comment."""
    game, place = at
    actions = session.game().actions
    one = {place}
    if isinstance(actions[place], Roll) and isinstance((*actions, None)[place + 1], Move):
        one.add(place + 1)
    if place and isinstance(actions[place], Move) and isinstance(actions[place - 1], Roll):
        one.add(place - 1)
    for each in one:
        session.comments.pop((game, each), None)


def _clear_comment(session: Session) -> None:
    _forget_comments(session, _annotated(session))
    session.say("Commentary for this move cleared.")


def _comment(kind: type) -> Run:
    def run(session: Session, given: list[str]) -> None:
        if not given:
            raise ValueError("You must specify a comment.")
        at = _annotated(session, kind)
        _forget_comments(session, at)
        session.comments[at] = _raw_comment(session.line) or " ".join(given)[:_LONGEST]
        session.say("Commentary for this move added.")

    return run


def _mark_luck(luck: str) -> Run:
    def run(session: Session) -> None:
        session.lucks[_annotated(session, Roll)] = luck
        session.say(f"Roll marked as {luck}.")

    return run


def _clear(name: str, what: str, kind: type = object) -> Run:
    def run(session: Session) -> None:
        getattr(session, name).pop(_annotated(session, kind), None)
        session.say(f"{what} cleared.")

    return run


WORDS = (
    "move", "roll", "cube", "double", "accept", "drop", "pass", "reject", "resign", "take",
)  # fmt: skip
"""What can be annotated."""


def _annotations() -> list[Command]:
    commands = [
        Command("annotate clear comment", "The comment", _clear_comment),
        Command("annotate clear luck", "The luck", _clear("lucks", "Luck annotation", Roll)),
        Command("annotate clear skill", "The skill", _clear("skills", "Skill annotation")),
    ]  # fmt: skip
    for word in WORDS:
        if word == "roll":
            continue
        kind = Move if word == "move" else object
        prefix = f"annotate {word}"
        commands += [
            Command(f"{prefix} comment", "Write about it", _comment(kind), "<text>"),
            *(Command(f"{prefix} {name}", f"Call it {skill}", _mark_skill(kind, skill))
              for name, skill in _SKILLS.items()),
            Command(f"{prefix} clear", "Call it nothing",
                    _clear("skills", "Skill annotation", kind)),
        ]  # fmt: skip
        if word == "move":
            commands += [
                Command("annotate roll clear", "Call it nothing",
                        _clear("lucks", "Luck annotation", Roll)),
                *(Command(f"annotate roll {name}", f"Call it {luck}", _mark_luck(luck))
                  for name, luck in _LUCKS.items()),
            ]  # fmt: skip
    return commands


def _this_game(run: Run) -> Run:
    return lambda session: run(session, session.game_index)


def _whole_match(run: Run) -> Run:
    return lambda session: run(session, None)


COMMANDS = (
    Command("analyse rollout cube", "The cube decision that is marked",
            lambda session: _rollout_here(session, cube=True)),
    Command("analyse rollout game", "What is marked in the game", _this_game(_rollout_marked)),
    Command("analyse rollout match", "What is marked in the match", _whole_match(_rollout_marked)),
    Command("analyse rollout move", "The plays that are marked",
            lambda session: _rollout_here(session, cube=False)),
    Command("cmark match clear", "Mark nothing", _whole_match(_clear_marks)),
    Command("cmark match show", "List what is marked", _whole_match(_show_marks)),
    Command("cmark game clear", "Mark nothing", _this_game(_clear_marks)),
    Command("cmark game show", "List what is marked", _this_game(_show_marks)),
    Command("cmark move clear", "Mark none", clear_plays),
    Command("cmark move set", "Mark plays by number", mark_plays, "<n> ..."),
    Command("cmark move show", "List those marked", show_plays),
    Command("cmark cube", "The cube decision", mark_cube, "set|clear|show",
            values=("set", "clear", "show")),
    *_annotations(),
)  # fmt: skip
