"""``gnubg-py analyse``: matches from files, judged; their mistakes, a report, flashcards."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.commands.searching import add_search_options, chosen_filter, search_options
from gnubg_py.exits import BAD_INPUT, DONE, INTERRUPTED
from gnubg_py.files import check_target, write_aside
from gnubg_py.frames import as_csv
from gnubg_py.game.analysis import Analyst
from gnubg_py.matches.anki import flashcards
from gnubg_py.matches.decisions import DECISION_COLUMNS
from gnubg_py.matches.match_analysis import MatchAnalysis, analyst_for, make_analyst
from gnubg_py.matches.report_html import match_report
from gnubg_py.matches.rolled_out import roll_out_mistakes
from gnubg_py.matches.season import Entry, check_player, season_text, write_season
from gnubg_py.matches.season_analysis import analyse_season
from gnubg_py.matches.store import (
    analyses_folder,
    analysis_key,
    keep_analysis,
    kept_analysis,
    kept_rollouts,
)
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.registry import looks_like_a_match, read_match
from gnubg_py.messages import print_answer, problem_text, progress, say
from gnubg_py.rollouts.settings import RolloutSettings
from gnubg_py.workers import HERE, Workers, WorkersLostError

SUFFIXES = (
    ".mat",
    ".bgf",
    ".sgf",
    ".json",
    ".txt",
    ".sgg",
    ".tmg",
    ".gam",
    ".xg",
    ".xgp",
    ".pos",
    ".bkg",
)
"""The files of a folder that may be matches."""


def configure_analyse(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``analyse``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a match file, or a folder of them")
    add_search_options(parser)
    rolled = parser.add_argument_group("rollouts")
    rolled.add_argument(
        "--rollout-above", type=float, metavar="LOSS", help="roll out mistakes of at least this"
    )
    rolled.add_argument("--trials", type=int, default=1296, help="games of each (default 1296)")
    out = parser.add_argument_group("what is written")
    out.add_argument(
        "--html", type=Path, metavar="OUT", help="a report: a page, or a folder for many matches"
    )
    out.add_argument("--csv", action="store_true", help="print a line for every decision")
    out.add_argument("--anki", type=Path, metavar="OUT", help="mistakes as flashcards for Anki")
    out.add_argument(
        "--player", metavar="NAME", help="whose mistakes the flashcards and the season are about"
    )
    out.add_argument(
        "--above", type=float, default=0.05, metavar="LOSS", help="of flashcards (default 0.05)"
    )
    add("--analysis", type=Path, metavar="FOLDER", help="where analyses are kept between runs")
    add_cluster_option(parser)


@dataclass
class _Work:
    """What was read so far, and what could not be."""

    entries: list[Entry]
    broken: list[str]
    complete: bool = True


def _run(args: argparse.Namespace) -> int:
    """Analyse the files and print or write what was asked for."""
    files = list(files_of(args.files))
    _check(args, len(files))
    with chosen_workers(args) as workers:
        work = _analysed(args, files, workers)
    if not work.entries:
        for line in work.broken:
            say(line)
        if not work.broken:
            raise ValueError(f"{args.files[0]}: no match file in this folder")
        return BAD_INPUT if work.complete else INTERRUPTED
    _write(args, work)
    print_answer(_text(args, work))
    for line in work.broken:
        say(line)
    return DONE if work.complete else INTERRUPTED


def _check(args: argparse.Namespace, files: int) -> None:
    """Complain before the work begins, not after it."""
    if args.json and args.csv:
        raise ValueError("--json with --csv: one of the two can be printed")
    for name in ("rollout_above", "above"):
        value = getattr(args, name)
        if value is not None and not 0 < value < 10:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} {value}: should be an equity above 0, such as 0.04")
    if args.anki is not None:
        check_target(args.anki)
    if args.html is None:
        return
    if not _is_season(args):
        check_target(args.html)
        if files > 1:
            raise ValueError(f"--html {args.html}: a page for {files} files: should be a folder")
    elif args.html.exists() and not args.html.is_dir():
        raise ValueError(f"--html {args.html}: is a file; a page's name ends in .html")


def _is_season(args: argparse.Namespace) -> bool:
    """Whether the report is a folder: it is one already, or not named as a page."""
    return args.html is not None and args.html.suffix.lower() not in (".html", ".htm")


def files_of(paths: list[Path]) -> Iterator[Path]:
    """The files named, and those in the folders named that may be matches, each once."""
    seen: set[Path] = set()
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            if (file is path or _may_be_match(file)) and file not in seen:
                seen.add(file)
                yield file


def _may_be_match(file: Path) -> bool:
    """Whether a file of a folder is one to read; texts and JSON may be about anything."""
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES or file.name.startswith(".") or not file.is_file():
        return False
    return suffix not in (".txt", ".json") or looks_like_a_match(file)


@dataclass(frozen=True, eq=False)
class _Read:
    """A match that was read: its file, its number among the files, and the key of its analysis."""

    file: Path
    number: int
    key: str
    earlier: MatchAnalysis | None


@dataclass(eq=False)
class _Season:
    """The files of a season, the matches read from them, and where analyses are kept."""

    files: Sequence[Path]
    analyst: Analyst
    folder: Path
    work: _Work
    read: list[_Read] = field(default_factory=list)

    def matches(self) -> Iterator[tuple[MatchContents, MatchAnalysis | None]]:
        """Each match that can be read, with what is kept of it; it is put into ``read``."""
        for number, file in enumerate(self.files):
            try:
                contents = read_match(file)
                key = analysis_key(contents, analyst_for(contents.record, self.analyst))
            except ValueError as error:
                self.work.broken.append(str(error))
                continue
            earlier = kept_analysis(self.folder, key, contents)
            self.read.append(_Read(file, number, key, earlier))
            yield contents, earlier

    def keep(self, number: int, analysis: MatchAnalysis) -> _Read:
        """Keep the analysis of a match if it is more than what is kept; the match."""
        one = self.read[number]
        if one.earlier is None or len(one.earlier) < len(analysis):
            _keep(self.folder, one.key, analysis)
        return one


def _analysed(args: argparse.Namespace, files: list[Path], workers: Workers) -> _Work:
    analyst = make_analyst(filters=chosen_filter(args), **search_options(args))
    work = _Work([], [])
    season = _Season(files, analyst, args.analysis or analyses_folder(), work)
    shares: dict[int, float] = {}
    found: dict[int, Entry] = {}
    with progress(100 * len(files), "matches") as bar:

        def advance(number: int, done: int, total: int) -> None:
            shares[number] = done / max(total, 1)
            bar.n = round(100 * sum(shares.values()))
            bar.refresh()

        with closing(analyse_season(season.matches(), analyst, advance, workers)) as analyses:
            try:
                for number, analysis in analyses:
                    if isinstance(analysis, ValueError):
                        work.broken.append(str(analysis))
                        continue
                    one = season.keep(number, analysis)
                    rolled = partial(advance, number)
                    analysis = _with_rollouts(args, season, one, analysis, rolled, workers)
                    found[one.number] = Entry(one.file, analysis)
                    work.complete &= analysis.complete
                    if not analysis.complete and workers is HERE:
                        break
            except WorkersLostError as error:
                for number, analysis in error.partial or []:
                    if not isinstance(analysis, ValueError):
                        season.keep(number, analysis)
                raise
    work.entries = [found[number] for number in sorted(found)]
    return work


def _with_rollouts(
    args: argparse.Namespace,
    season: _Season,
    one: _Read,
    analysis: MatchAnalysis,
    advance: Callable[[int, int], None],
    workers: Workers,
) -> MatchAnalysis:
    """The analysis with the rollouts that were asked for."""
    if args.rollout_above is None or not analysis.complete:
        return analysis
    settings = RolloutSettings(trials=args.trials)
    known = kept_rollouts(season.folder, one.key, args.trials)
    engine, above = season.analyst.engine, args.rollout_above
    try:
        rolled = roll_out_mistakes(analysis, above, settings, engine, known, advance, workers)
    except WorkersLostError as error:
        _keep(season.folder, one.key, error.partial)
        error.partial = None
        raise
    except ValueError as error:
        season.work.broken.append(str(error))
        return analysis
    _keep(season.folder, one.key, rolled)
    return rolled


def _keep(folder: Path, key: str, analysis: MatchAnalysis) -> None:
    """Keep an analysis; where that fails, say so and go on."""
    try:
        keep_analysis(folder, key, analysis)
    except (OSError, ValueError) as error:
        say(f"the analysis is not kept: {problem_text(error)}")


def _write(args: argparse.Namespace, work: _Work) -> None:
    if args.player is not None and work.entries:
        check_player(work.entries, args.player)
    if args.anki is not None:
        cards = flashcards([one.analysis for one in work.entries], args.player, args.above)
        write_aside(args.anki, cards.encode())
    if args.html is None:
        return
    if _is_season(args):
        write_season(args.html, work.entries, args.player)
    else:
        write_aside(args.html, match_report(work.entries[0].analysis).encode())


def _text(args: argparse.Namespace, work: _Work) -> str:
    """What is printed."""
    if args.csv:
        rows = [
            {"file": str(one.file)} | row for one in work.entries for row in one.analysis.rows()
        ]
        return as_csv(rows, ("file", *DECISION_COLUMNS)).rstrip("\n") if rows else ""
    if args.json:
        matches = [{"file": str(one.file)} | one.analysis.to_dict() for one in work.entries]
        return json.dumps({"matches": matches, "broken": work.broken})
    if len(work.entries) == 1:
        return str(work.entries[0].analysis)
    return season_text(work.entries)
