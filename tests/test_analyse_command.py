"""``gnubg-py analyse``: files and folders, what is printed, kept, and written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import gnubg_py
from gnubg_py import cli
from gnubg_py.game.actions import Accept, Double, Drop, Move, Resign, Roll, Take
from gnubg_py.game.analysis import Analyst
from gnubg_py.game.record import MatchRecord, with_action, with_new_game
from gnubg_py.match import Resignation
from gnubg_py.matches.judge import PlaceJudgements, Question, judge_part, questions_at
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.matchfiles.saved import save_match
from gnubg_py.matchfiles.sgf_write import to_sgf


def short_match(*players: str) -> MatchRecord:
    """A match to 3 of two games with errors of both kinds, without an end."""
    record = with_new_game(MatchRecord(length=3, players=(players[0], players[1])), (1, 3))
    for action in [
        Move(1, "24/23 24/21"),
        Roll(0, (6, 2)),
        Move(0, "24/18 13/11"),
        Double(1),
        Drop(0),
    ]:
        record = with_action(record, action)
    record = with_new_game(record, (5, 2))
    for action in [
        Move(0, "13/8 24/22"),
        Double(1),
        Take(0),
        Roll(1, (6, 6)),
        Move(1, "24/18(2) 13/7(2)"),
        Resign(0, Resignation.SINGLE),
        Accept(1),
    ]:
        record = with_action(record, action)
    return record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three matches in three formats, and a file that is none."""
    matches = tmp_path / "matches"
    matches.mkdir()
    (matches / "one.mat").write_text(to_mat(short_match("Ann", "Bob")))
    (matches / "two.sgf").write_text(to_sgf(MatchContents(short_match("Ann", "Zoë <b>"))))
    save_match(short_match("日本", "ann"), matches / "three.json")
    (matches / "broken.mat").write_bytes(b"\x00\xff nothing")
    (matches / "notes.txt").write_text("texts and JSON that are no matches are passed over")
    (matches / "other.json").write_text("{}")
    (matches / "notes.md").write_text("not a match, and not one of the suffixes")
    return matches


def analyse(*words: object) -> int:
    """The exit status of the command at 0-ply."""
    return cli.main(["analyse", *map(str, words), "--ply", "0"])


@pytest.fixture(autouse=True)
def _kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNUBG_PY_CACHE", str(tmp_path / "cache"))


def test_a_match_is_summed_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse(folder / "one.mat") == 0
    out = capsys.readouterr().out
    assert "Performance rating" in out
    assert "Ann pass, best take" in out


def test_a_broken_file_does_not_stop_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert analyse(folder) == 0
    out, err = capsys.readouterr()
    assert all(name in out for name in ("one.mat", "two.sgf", "three.json", "日本"))
    assert err.count("\n") == 1
    assert "broken.mat" in err


def test_nothing_that_can_be_read_is_bad_input(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert analyse(folder / "broken.mat", tmp_path / "missing.mat") == 2
    assert capsys.readouterr().err.count("\n") == 2
    (tmp_path / "empty").mkdir()
    assert analyse(tmp_path / "empty") == 2
    assert "no match file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--rollout-above", "0"), "--rollout-above 0.0: should be an equity above 0"),
        (("--json", "--csv"), "one of the two"),
        (("--html", "page.html"), "should be a folder"),
        (("--html", "season", "--player", "Eve"), "nobody of that name"),
    ],
)
def test_wrong_wishes_are_said_in_a_line(
    folder: Path,
    words: tuple[str, ...],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder.parent)
    assert analyse(folder, *words) == 2
    assert complaint in capsys.readouterr().err


def test_json_and_csv_hold_every_decision(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert analyse(folder / "one.mat", folder / "two.sgf", "--json") == 0
    value = json.loads(capsys.readouterr().out)
    decisions = [one for match in value["matches"] for one in match["decisions"]]
    assert analyse(folder / "one.mat", folder / "two.sgf", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["played"] for row in rows] == [one["played"] for one in decisions]
    assert {row["file"] for row in rows} == {str(folder / "one.mat"), str(folder / "two.sgf")}


def test_what_is_analysed_is_kept(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = tmp_path / "kept"
    assert analyse(folder / "one.mat", "--analysis", kept, "--json") == 0
    first = capsys.readouterr().out
    (file,) = kept.iterdir()
    assert gnubg_py.load_analysis(file).complete
    judged: list[int] = []
    real = questions_at

    def counting(games: Any, places: list[Any], *rest: Any) -> object:
        judged.append(len(places))
        return real(games, places, *rest)

    monkeypatch.setattr("gnubg_py.matches.season_analysis.questions_at", counting)
    assert analyse(folder / "one.mat", "--analysis", kept, "--json") == 0
    assert capsys.readouterr().out == first
    assert judged == [0]
    assert analyse(folder / "one.mat", "--analysis", kept, "--filter", "huge", "--cubeless") == 0
    assert judged[1] > 0
    file.write_text("damaged")
    assert analyse(folder / "one.mat", "--analysis", kept) == 0
    assert judged[2] > 0


def test_an_analysis_that_cannot_be_kept_is_printed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    assert analyse(folder / "one.mat", "--analysis", tmp_path / "file" / "kept") == 0
    out, err = capsys.readouterr()
    assert "Performance rating" in out
    assert "the analysis is not kept" in err


def test_an_interrupted_analysis_goes_on_where_it_stopped(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = tmp_path / "kept"
    monkeypatch.setattr("gnubg_py.matches.judge.PART", 2)
    real = judge_part
    parts: list[int] = []

    def interrupted(analyst: Analyst, part: Sequence[Question]) -> PlaceJudgements:
        parts.append(len(part))
        if len(parts) == 3:
            raise KeyboardInterrupt
        return real(analyst, part)

    monkeypatch.setattr("gnubg_py.matches.season_analysis.judge_part", interrupted)
    assert analyse(folder / "one.mat", "--analysis", kept) == 130
    assert "stopped" in capsys.readouterr().out
    assert analyse(folder / "one.mat", "--analysis", kept) == 0
    assert "stopped" not in capsys.readouterr().out
    whole = gnubg_py.load_analysis(next(kept.glob("*.json")))
    assert whole.to_dict() == gnubg_py.analyse(folder / "one.mat", ply=0).to_dict()


def test_mistakes_are_rolled_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (folder / "one.mat", "--rollout-above", "0.1", "--trials", "36", "--json")
    assert analyse(*words) == 0
    first = capsys.readouterr().out
    decisions = json.loads(first)["matches"][0]["decisions"]
    rolled = [one for one in decisions if one["rolled_out"]]
    assert {one["loss"] >= 0.1 for one in rolled} == {True}
    assert "pass" in {one["played"] for one in rolled}
    assert all(one["rolled_out"]["trials"] == 36 for one in rolled)
    assert analyse(*words) == 0
    assert capsys.readouterr().out == first


def test_flashcards_are_of_ones_own_mistakes(folder: Path, tmp_path: Path) -> None:
    cards = tmp_path / "cards.csv"
    assert analyse(folder, "--anki", cards, "--player", "ANN", "--above", "0.03") == 0
    lines = cards.read_text("utf-8").splitlines(keepends=True)
    heads = [line for line in lines if line.startswith("#")]
    assert heads[0] == "#separator:Comma\n"
    rows = list(csv.reader(io.StringIO("".join(lines[len(heads) :]))))
    assert rows
    for front, back, tags in rows:
        svg = front[: front.index("</svg>") + 6]
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert "which lost" in back
        assert tags.startswith("gnubg_py ")


def test_a_season_has_an_index_and_a_page_a_match(folder: Path, tmp_path: Path) -> None:
    season = tmp_path / "season"
    assert analyse(folder, "--html", season) == 0
    index = (season / "index.html").read_text("utf-8")
    pages = sorted(path.name for path in season.glob("0*.html"))
    assert len(pages) == 3
    assert all(f'href="{page}"' in index for page in pages)
    assert "The matches of Ann" in index
    assert "Zoë &lt;b&gt;" in index
    assert "<b>" not in index
