"""``analyse``, and judgements in words."""

from __future__ import annotations

from dataclasses import replace

from gnubg_py.game.actions import Action, Move, Roll, Setup
from gnubg_py.game.analysis import Analyst, CubeJudgement, Judgement, Luck, PlayJudgement
from gnubg_py.game.position import Position
from gnubg_py.game.record import MatchRecord
from gnubg_py.game.statistics import luck_mark, play_mark
from gnubg_py.matches.judge import judge_places
from gnubg_py.matchfiles.contents import Place, depth_words
from gnubg_py.messages import progress
from gnubg_py.notation import play_text
from gnubg_py.shell import engine, rolled
from gnubg_py.shell.autosave import autosave
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command


def analyst_of(session: Session) -> Analyst:
    """The analyst with the settings of `set analysis'."""
    options = session.analysis
    return Analyst(
        engine=engine.session_engine(session),
        strength=session.analyst,
        luck=session.luck,
        beavers=session.rules.beavers > 0,
        moves=options.moves,
        cubes=options.cube and session.match().rules.cube,
        dice=options.luck,
    )


def _judges_alike(one: Analyst, other: Analyst) -> bool:
    """Whether two analysts would judge the same game alike."""
    if one.engine.met is not other.engine.met:
        return False
    if one.engine.evaluator.identity != other.engine.evaluator.identity:
        return False
    return replace(one, engine=other.engine) == other


def _analyse(session: Session, places: list[Place]) -> bool:
    """Judge the actions at some places; whether all were. Ctrl-C keeps those that are done."""
    record = session.match()
    analyst = analyst_of(session)
    if session.analysed_by is None:  # what a file held stays unless this analysis is deeper
        kept = {p: said for p, said in session.analysed.items() if _is_as_deep(said, analyst)}
        session.analysed, session.analysed_by = kept, analyst
    elif not _judges_alike(analyst, session.analysed_by):
        session.analysed, session.analysed_by = {}, analyst
    todo = [place for place in places if place not in session.analysed]
    wanted = [at for at in todo if session.analysed_players[_action(record, at).player]]
    session.analysed |= dict.fromkeys(set(todo) - set(wanted), ())
    with progress(len(wanted), "analysis") as bar:
        try:
            for judged in judge_places(record.games, wanted, analyst, workers=session.workers):
                for place, said in judged.items():
                    position = record.games[place[0]].positions[place[1]]
                    action = _action(record, place)
                    session.analysed[place] = rolled.judgements(session, position, action, said)
                bar.update(len(judged))
                if session.autosave.analysis:
                    autosave(session)
        except KeyboardInterrupt:
            session.stopped = True
            session.say("Analysis was stopped: what is finished is kept.")
            return False
    return True


def _action(record: MatchRecord, place: Place) -> Action:
    return record.games[place[0]].actions[place[1]]


def _is_as_deep(judgements: tuple[Judgement, ...], analyst: Analyst) -> bool:
    """Whether some judgements look as many plies ahead as an analyst would."""
    for item in judgements:
        if isinstance(item, PlayJudgement) and item.plays[0].ply < analyst.strength.plays.plies:
            return False
        if isinstance(item, CubeJudgement) and item.ply < analyst.strength.cube.plies:
            return False
    return bool(judgements)


def _places(session: Session, games: range) -> list[Place]:
    record = session.match()
    return [(g, i) for g in games for i in range(len(record.games[g].actions))]


def analyse_game(session: Session) -> None:
    if _analyse(session, _places(session, range(session.game_index, session.game_index + 1))):
        session.note("The game has been analysed: see `show statistics game'.")


def analyse_match(session: Session) -> None:
    """``analyse match``, ``analyse session``."""
    if _analyse(session, _places(session, range(len(session.match().games)))):
        session.note("The match has been analysed: see `show statistics match'.")


def analyse_clear(session: Session) -> None:
    """``analyse clear``, ``analyse clear match``."""
    session.analysed = {}
    session.note("The analysis has been cleared.")


def analyse_clear_game(session: Session) -> None:
    game = session.game_index
    session.analysed = {at: found for at, found in session.analysed.items() if at[0] != game}
    session.note("The analysis of the game has been cleared.")


def analyse_clear_move(session: Session) -> None:
    """``analyse clear move``: of the turn that `analyse move' shows."""
    session.match()
    for place in _turn(session):
        session.analysed.pop((session.game_index, place), None)
    session.note("The analysis of the move has been cleared.")


def analyse_move(session: Session) -> None:
    """``analyse move``: of the turn that begins where the user stands, or else the last one."""
    places = [(session.game_index, place) for place in _turn(session)]
    _analyse(session, places)
    for at in places:
        for judgement in session.analysed.get(at, ()):
            session.say(judgement_text(session, judgement, at))
        if at in session.comments:
            session.say(f"Annotation: {session.comments[at]}")


def _turn(session: Session) -> list[int]:
    """The places of the turn shown: an action, and with a roll its play."""
    actions = session.game().actions
    real = [i for i, action in enumerate(actions) if not isinstance(action, Setup)]
    if not real:
        raise ValueError("There is no move here to analyse.")
    place = next((i for i in real if i >= session.cursor), real[-1])
    turn = [place]
    if isinstance(actions[place], Move) and isinstance(actions[place - 1], Roll) and place:
        turn.insert(0, place - 1)
    if isinstance(actions[place], Roll) and place + 1 in real:
        turn.append(place + 1)
    return turn


def judgement_text(session: Session, judgement: Judgement, place: Place) -> str:
    """One judgement of the action at ``place`` in gnubg's layout."""
    limits = session.analysis.limits
    name = session.names[judgement.player]
    if isinstance(judgement, Luck):
        a, b = judgement.dice
        mark = luck_mark(judgement.luck, limits)
        words_ = "" if mark == "unmarked" else f" {mark}"
        return f"{name} rolled {a}{b} ({judgement.luck:+.3f}){words_}"
    if isinstance(judgement, PlayJudgement):
        position = session.match().games[place[0]].positions[place[1]]
        return _play_text(session, judgement, position)
    return _cube_text(name, judgement)


def _play_text(session: Session, judgement: PlayJudgement, position: Position) -> str:
    lines = []
    for i, play in enumerate(judgement.plays):
        if i >= 5 and i != judgement.chosen:
            continue
        star = "*" if i == judgement.chosen else " "
        loss = "" if i == 0 else f" ({play.equity - judgement.plays[0].equity:+.3f})"
        text = play_text(position.board, judgement.dice, play.board)
        lines.append(
            f"{star}{i + 1:>5}. {depth_words(play.ply)}    {text:<28} Eq.: {play.equity:+.3f}{loss}"
        )
    mark = play_mark(judgement.loss, session.analysis.limits)
    name = session.names[judgement.player]
    if judgement.forced:
        lines.append(f"{name} had no choice.")
    elif mark != "unmarked":
        lines.append(f"{name}'s play is {mark}: it cost {judgement.loss:.3f}.")
    return "\n".join(lines)


def _cube_text(name: str, judgement: CubeJudgement) -> str:
    decision = judgement.decision
    did = judgement.answer or ("double" if judgement.doubled else "no double")
    lines = [
        f"Cube: {name}'s {did}",
        f"  No double      {decision.no_double:+.3f}",
        f"  Double, take   {decision.double_take:+.3f}",
        f"  Double, pass   {decision.double_pass:+.3f}",
        f"  Proper cube action: {decision.words}",
    ]
    if judgement.loss > 0:
        lines.append(f"  It cost {judgement.loss:.3f}.")
    return "\n".join(lines)


def is_marked(session: Session, place: Place) -> bool:
    """Whether what was done there was an error worth marking."""
    return bool(skill_at(session, place))


def skill_at(session: Session, place: Place) -> str:
    """The mark of what was done there, "doubtful" to "very bad", given or judged; or ""."""
    limits, judged = session.analysis.limits, session.analysed.get(place, ())
    losses = [item.loss for item in judged if not isinstance(item, Luck)]
    mark = play_mark(max(losses, default=0.0), limits)
    return session.skills.get(place, "" if mark == "unmarked" else mark)


def luck_at(session: Session, place: Place) -> str:
    """The mark of the roll there, "very unlucky" to "very lucky", given or judged; or ""."""
    limits, judged = session.analysis.limits, session.analysed.get(place, ())
    marks = [luck_mark(item.luck, limits) for item in judged if isinstance(item, Luck)]
    mark = marks[0] if marks else "unmarked"
    return session.lucks.get(place, "" if mark == "unmarked" else mark)


COMMANDS = (
    Command("analyse clear", "Forget all analysis", analyse_clear),
    Command("analyse clear game", "Of the game shown", analyse_clear_game),
    Command("analyse clear match", "Of the match", analyse_clear),
    Command("analyse clear session", "Of the session", analyse_clear),
    Command("analyse clear move", "Of the turn shown", analyse_clear_move),
    Command("analyse game", "The game shown", analyse_game),
    Command("analyse match", "The match", analyse_match),
    Command("analyse move", "The turn shown", analyse_move),
    Command("analyse session", "The session", analyse_match),
)
