"""Analyse many matches together, so that the workers always have parts of some match to do."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gnubg_py.game.analysis import Analyst
from gnubg_py.matches.judge import PlaceJudgements, Question, judge_part, questions_at
from gnubg_py.matches.match_analysis import MatchAnalysis, analysis_of, analyst_for, judged_places
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.workers import HERE, Workers, WorkersLostError

Finished: TypeAlias = tuple[int, MatchAnalysis | ValueError]
"""The number of a match, and its analysis, or why it cannot be analysed."""

Advance = Callable[[int, int, int], None]
"""Called with a match's number, the number of actions judged in this run, and of those to judge."""


@dataclass(eq=False)
class _Match:
    """A match in progress: its judgements, and the number of parts that are missing."""

    contents: MatchContents
    known: PlaceJudgements
    parts: int
    actions: int
    done: int = 0
    fault: ValueError | None = None

    def analysis(self, analyst: Analyst) -> MatchAnalysis | ValueError:
        """The analysis as far as it went, or why the match cannot be analysed."""
        return self.fault or analysis_of(self.contents, self.known, analyst, not self.parts)


@dataclass(eq=False)
class _Season:
    """The matches in progress by number, and for each part the number of its match."""

    analyst: Analyst
    workers: Workers
    working: dict[int, _Match] = field(default_factory=dict)
    owners: list[int] = field(default_factory=list)

    def parts(
        self, matches: Iterable[tuple[MatchContents, MatchAnalysis | None]]
    ) -> Iterator[tuple[bool, list[Question]]]:
        """Yield the parts of one match after another, each with whether the match uses a cube."""
        for number, (contents, earlier) in enumerate(matches):
            known = {} if earlier is None else dict(earlier.contents.analysis)
            places = [p for p in judged_places(contents.record.games) if p not in known]
            analyst = analyst_for(contents.record, self.analyst)
            nothing, parts = questions_at(contents.record.games, places, analyst, self.workers)
            known |= nothing
            self.working[number] = _Match(contents, known, len(parts), len(places), len(nothing))
            for part in parts:
                self.owners.append(number)
                yield analyst.cubes, part

    def take(self, number: int, judged: PlaceJudgements | ValueError) -> int:
        """Add the judgements of a part to their match; return the number of the match."""
        owner = self.owners[number]
        match = self.working[owner]
        match.parts -= 1
        if isinstance(judged, ValueError):
            match.fault = judged
        else:
            match.known |= judged
            match.done += len(judged)
        return owner

    def finished(self) -> Iterator[Finished]:
        """The analyses of matches with nothing left to judge."""
        for number in [number for number, match in self.working.items() if not match.parts]:
            yield number, self.working.pop(number).analysis(self.analyst)

    def unfinished(self) -> Iterator[Finished]:
        """The analyses of all others, as far as they went."""
        for number in list(self.working):
            yield number, self.working.pop(number).analysis(self.analyst)


def analyse_season(
    matches: Iterable[tuple[MatchContents, MatchAnalysis | None]],
    analyst: Analyst,
    advance: Advance | None = None,
    workers: Workers = HERE,
) -> Generator[Finished, None, None]:
    """Yield the analyses of matches with their numbers, as they are finished.

    For a match that cannot be analysed there is an error. Matches come with the judgements known
    before, and are read when workers are free. After Ctrl-C the unfinished matches follow, not
    ``complete``; if the workers are lost, they are the ``partial`` of the error.
    """
    season = _Season(analyst, workers)
    found = workers.results(_judge, analyst, season.parts(matches))
    with closing(found):
        try:
            for number, judged in found:
                owner = season.take(number, judged)
                match = season.working[owner]
                if advance is not None:
                    advance(owner, match.done, match.actions)
                yield from season.finished()
            yield from season.finished()
        except WorkersLostError as error:
            error.partial = list(season.unfinished())
            raise
        except KeyboardInterrupt:
            yield from season.unfinished()


def _judge(analyst: Analyst, item: tuple[bool, list[Question]]) -> PlaceJudgements | ValueError:
    """The judgements of a part, or why there are none: one match does not stop the others."""
    cubes, part = item
    try:
        return judge_part(replace(analyst, cubes=cubes), part)
    except ValueError as error:
        return error
