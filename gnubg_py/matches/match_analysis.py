"""``analyse``: judge every decision of a match, with statistics of all of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gnubg_py.analysis import chosen_settings
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.engine import Engine, engine_of
from gnubg_py.evaluators.protocol import Evaluator
from gnubg_py.files import write_aside
from gnubg_py.frames import as_csv, as_frame
from gnubg_py.game.actions import Accept, Move, Reject, Resign, Setup
from gnubg_py.game.analysis import Analyst, CubeJudgement, Judgement, Luck
from gnubg_py.game.record import GameRecord, MatchRecord
from gnubg_py.game.statistics import PR_SCALE, Statistics, collect, match_result
from gnubg_py.matches.decisions import DECISION_COLUMNS, Decision
from gnubg_py.matches.judge import PlaceJudgements, judge_places
from gnubg_py.matches.rolled_out import RolledOut
from gnubg_py.matches.statistics_text import Scale, statistics_text
from gnubg_py.matchfiles.contents import MatchContents, Place
from gnubg_py.matchfiles.registry import read_match
from gnubg_py.matchfiles.saved import save_match
from gnubg_py.search.context import StoppedError, StopToken
from gnubg_py.search.settings import EvalSettings, MoveFilter, Strength
from gnubg_py.workers import HERE, Workers, WorkersLostError

AnyMatch: TypeAlias = MatchContents | MatchRecord | str | os.PathLike[str]
"""A match, or the path of a file that holds one, of any format that ``read_match`` knows."""

_UNJUDGED = (Setup, Resign, Accept, Reject)


@dataclass(frozen=True, eq=False)
class MatchAnalysis:
    """An analysed match: a sequence of its ``Decision``s, in the order of play.

    ``contents`` hold the record of the match and the judgements; ``complete`` is False where the
    analysis was stopped. Money sessions count as matches to 0 points.
    """

    contents: MatchContents
    complete: bool = True
    met: MatchEquityTable | None = None
    rollouts: Mapping[Place, RolledOut] = field(default_factory=dict)

    @property
    def record(self) -> MatchRecord:
        """The match as it was played."""
        return self.contents.record

    @property
    def players(self) -> tuple[str, str]:
        """The names of player 0 and player 1."""
        return self.record.players

    @property
    def length(self) -> int:
        """The points that the match is played to, 0 for money."""
        return self.record.length

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision that was judged, in the order of play."""
        return tuple(_decisions(self.contents, self.rollouts))

    def __len__(self) -> int:
        return len(self.decisions)

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __getitem__(self, index: int) -> Decision:
        return self.decisions[index]

    def mistakes(self, above: float = 0.02, player: int | str | None = None) -> list[Decision]:
        """The decisions that lost at least ``above``, the largest first, of one player or both."""
        seat = None if player is None else self.seat(player)
        found = [one for one in self if one.loss >= above and (seat is None or one.player == seat)]
        return sorted(found, key=lambda decision: -decision.loss)

    def seat(self, player: int | str) -> int:
        """The number of a player, who is given by name or number; ``ValueError`` if unknown."""
        if player in (0, 1):
            return int(player)
        folded = [name.casefold() for name in self.players]
        if isinstance(player, str) and player.casefold() in folded:
            return folded.index(player.casefold())
        raise ValueError(f"player {player!r}: should be {self.players[0]!r} or {self.players[1]!r}")

    def judgements(self, game: int | None = None) -> list[Judgement]:
        """The judgements and the luck of a game (from 1), or of all games."""
        analysis = self.contents.analysis
        return [
            item
            for place in sorted(analysis)
            if game is None or place[0] == game - 1
            for item in analysis[place]
        ]

    def statistics(self, game: int | None = None) -> tuple[Statistics, Statistics]:
        """gnubg's statistics of both players, of a game (from 1) or of the match."""
        return collect(self.judgements(game))

    def performance(self, player: int | str) -> tuple[float, float]:
        """The performance rating (the mean loss of a decision times 500) and its standard error.

        Plays that were not forced and close cube actions count, as in ``Decision.counts``.
        """
        seat = self.seat(player)
        return performance_of([one for one in self if one.player == seat])

    def result(self) -> float | None:
        """What player 0 won: points, or its match winning chance less one half.

        It is None if the last game is in progress or there is no game.
        """
        games = range(len(self.record.games))
        return match_result(self.record, games, self.met or kazaross_xg2()) if games else None

    def table(self, game: int | None = None) -> str:
        """The statistics as gnubg prints them."""
        result = self.result() if game is None else None
        return statistics_text(self.statistics(game), self.players, Scale(self.length), result)

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each decision, with one value for each column."""
        return [decision.row() for decision in self]

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame; only this method needs pandas."""
        return as_frame(self.rows(), DECISION_COLUMNS)

    def to_csv(self) -> str:
        """The rows as CSV text after a line with the names of the columns."""
        return as_csv(self.rows(), DECISION_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Everything as a dict for JSON."""
        return {
            "players": list(self.players),
            "length": self.length,
            "complete": self.complete,
            "result": self.result(),
            "statistics": [_statistics_dict(one) for one in self.statistics()],
            "decisions": [decision.to_dict() for decision in self],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match with its analysis; ``load_analysis`` reads it back."""
        if Path(path).suffix.lower() == ".csv":
            write_aside(Path(path), self.to_csv().encode())
        else:
            save_match(self.contents, path)

    def __str__(self) -> str:
        return _summary(self)

    def __repr__(self) -> str:
        names = " - ".join(self.players)
        points = f"{self.length} points" if self.length else "money"
        rates = " and ".join(f"{one.performance:.1f}" for one in self.statistics())
        return f"<MatchAnalysis {names}, {points}, {len(self)} decisions, PR {rates}>"


def performance_of(decisions: list[Decision]) -> tuple[float, float]:
    """The performance rating of some decisions, and its standard error."""
    losses = np.array([one.loss for one in decisions if one.counts])
    if not len(losses):
        return 0.0, 0.0
    error = float(losses.std(ddof=1)) / math.sqrt(len(losses)) if len(losses) > 1 else 0.0
    return PR_SCALE * float(losses.mean()), PR_SCALE * error


def _statistics_dict(one: Statistics) -> dict[str, Any]:
    return {
        "performance": one.performance,
        "decisions": one.decisions,
        "error": one.total[0],
        "cost": one.total[1],
        "play_error": one.play_error.equity,
        "cube_error": one.cube_error[0],
        "luck": one.luck.equity,
        "luck_cost": one.luck.worth,
        "moves": one.moves,
        "doubles": one.doubles,
        "takes": one.takes,
        "passes": one.passes,
    }


def _decisions(contents: MatchContents, rollouts: Mapping[Place, RolledOut]) -> Iterator[Decision]:
    for number, game in enumerate(contents.record.games):
        moves = [1, 1]
        luck: float | None = None
        for place, action in enumerate(game.actions):
            for item in contents.analysis.get((number, place), ()):
                if isinstance(item, Luck):
                    luck = item.luck
                    continue
                is_play = not isinstance(item, CubeJudgement)
                yield Decision(
                    (number, place),
                    moves[item.player],
                    item.player,
                    contents.record.players[item.player],
                    game.positions[place],
                    item,
                    luck if is_play else None,
                    rollouts.get((number, place)),
                )
            if isinstance(action, Move):
                moves[action.player] += 1
                luck = None


def analyse(
    match: AnyMatch,
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    filters: MoveFilter | str | None = None,
    luck: EvalSettings | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
    earlier: MatchAnalysis | None = None,
    progress: Callable[[int, int], None] | None = None,
    stop: StopToken | None = None,
    workers: Workers = HERE,
) -> MatchAnalysis:
    """Judge every play, cube action and roll of a match.

    ``ply``, ``settings``, ``filters``, ``evaluator``, ``engine`` and ``stop`` are those of
    ``hint``; ``luck`` are the settings that judge rolls, by default 0-ply. Judgements of
    ``earlier`` are kept; it should be of the same match and settings. ``progress`` is called with
    the number of actions judged so far and the number of all. Ctrl-C ends the analysis: the
    judgements so far are returned, with ``complete=False``. ``workers`` do the work; if they are
    lost, the error's ``partial`` is the analysis so far.

    >>> from gnubg_py.game.actions import Move
    >>> from gnubg_py.game.record import with_action, with_new_game
    >>> record = with_action(with_new_game(MatchRecord(length=7), (1, 3)), Move(1, "24/23 13/10"))
    >>> analyse(record, ply=0)[0].best
    '8/5 6/5'
    """
    analyst = make_analyst(
        ply=ply,
        settings=settings,
        filters=filters,
        luck=luck,
        evaluator=evaluator,
        engine=engine,
        beavers=beavers,
    )
    contents = _contents_of(match)
    analyst = analyst_for(contents.record, analyst)
    known = {} if earlier is None else dict(earlier.contents.analysis)
    try:
        complete = _judge_all(contents.record, known, analyst, progress, stop, workers)
    except WorkersLostError as error:
        error.partial = analysis_of(contents, known, analyst, complete=False)
        raise
    return analysis_of(contents, known, analyst, complete)


def make_analyst(
    *,
    ply: int | None = None,
    settings: EvalSettings | str | None = None,
    filters: MoveFilter | str | None = None,
    luck: EvalSettings | None = None,
    evaluator: Evaluator | str | None = None,
    engine: Engine | None = None,
    beavers: bool = False,
) -> Analyst:
    """The analyst that judges a match with these settings, which are those of ``analyse``."""
    how, chosen = chosen_settings(settings, filters, ply)
    strength = Strength(how, replace(how, cubeful=True), chosen)
    analyst = Analyst(engine or engine_of(evaluator), strength, beavers=beavers)
    return analyst if luck is None else replace(analyst, luck=luck)


def analyst_for(record: MatchRecord, analyst: Analyst) -> Analyst:
    """The analyst of a match, who judges no cube actions where its rules have no cube."""
    return replace(analyst, cubes=analyst.cubes and record.rules.cube)


def analysis_of(
    contents: MatchContents, known: PlaceJudgements, analyst: Analyst, complete: bool
) -> MatchAnalysis:
    """The analysis made of an analyst's judgements."""
    return MatchAnalysis(replace(contents, analysis=known), complete, analyst.engine.met)


def _judge_all(
    record: MatchRecord,
    known: PlaceJudgements,
    analyst: Analyst,
    progress: Callable[[int, int], None] | None,
    stop: StopToken | None,
    workers: Workers,
) -> bool:
    """Add the missing judgements to ``known``; return whether all actions are judged."""
    places = [place for place in judged_places(record.games) if place not in known]
    done = 0
    try:
        for judged in judge_places(record.games, places, analyst, stop, workers):
            known |= judged
            done += len(judged)
            if progress is not None:
                progress(done, len(places))
    except (StoppedError, KeyboardInterrupt):
        return False
    return True


def judged_places(games: tuple[GameRecord, ...]) -> list[Place]:
    """The places of all actions that can be judged."""
    return [
        (number, place)
        for number, game in enumerate(games)
        for place, action in enumerate(game.actions)
        if not isinstance(action, _UNJUDGED)
    ]


def load_analysis(path: str | os.PathLike[str]) -> MatchAnalysis:
    """An analysis that was saved, or the analysis that any other match file holds."""
    contents = read_match(path)
    missing = set(judged_places(contents.record.games)) - set(contents.analysis)
    return MatchAnalysis(contents, complete=not missing)


def _contents_of(match: AnyMatch) -> MatchContents:
    """The contents of a match that is given as such, as a record or by the path of its file."""
    if isinstance(match, MatchContents):
        return match
    return MatchContents(match) if isinstance(match, MatchRecord) else read_match(match)


def _summary(analysis: MatchAnalysis) -> str:
    """The players side by side, and their largest mistakes, in a few lines."""
    both = analysis.statistics()
    points = f"Match to {analysis.length} points" if analysis.length else "Money session"
    games = len(analysis.record.games)
    lines = [f"{points}, {games} game{'' if games == 1 else 's'}", ""]
    lines.append(_line("", *analysis.players))
    errors = [f"{analysis.performance(seat)[1]:.1f}" for seat in (0, 1)]
    rates = [f"{one.performance:.1f} ± {error}" for one, error in zip(both, errors, strict=True)]
    lines.append(_line("Performance rating (PR)", *rates))
    lines.append(_line("Decisions that count", *(str(one.decisions) for one in both)))
    lines.append(_line("Loss in plays", *(f"{one.play_error.equity:.3f}" for one in both)))
    lines.append(_line("Loss in cube actions", *(f"{one.cube_error[0]:.3f}" for one in both)))
    lines.append(_line("Very bad plays", *(str(one.marks["very bad"]) for one in both)))
    lines.append(_line("Luck", *(f"{one.luck.equity:+.3f}" for one in both)))
    worst = analysis.mistakes()[:5]
    if worst:
        lines += ["", "The dearest mistakes", *(f"  {decision}" for decision in worst)]
    if not analysis.complete:
        lines += ["", "The analysis was stopped before its end."]
    return "\n".join(lines)


def _line(title: str, left: str, right: str) -> str:
    return f"{title:<26}{left[:22]:<24}{right[:22]}".rstrip()
