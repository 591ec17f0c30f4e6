"""Exports of matches as text and HTML, Snowie's position, and where a match was played."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from gnubg_py.matchfiles.registry import read_match
from tests.shell_lines import Shell
from tests.test_sgf import GNUBG


@pytest.fixture
def match(shell: Shell, tmp_path: Path) -> Shell:
    """A shell with a match of gnubg's, analysed and commented."""
    path = tmp_path / "match.sgf"
    path.write_text(GNUBG)
    shell(f"load match {path}")
    return shell


def test_a_match_as_text(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match(f"export match text {path}")
    text = path.read_text()
    for part in [
        "The score (after 0 games) is: white 0, black 1 (match to 3 points)",
        "white's rating: 1800",
        "Move number 1:  white to play 21",
        "Match ID   : MABlAAAACAAE",
        "* white moves 24/23 13/11",
        "Rolled 21 (-0.009):",
        "*    1. Cubeful 0-ply    24/23 13/11                  Eq.: -0.009",
        "     2. Cubeful 0-ply    24/21                        Eq.: -0.025 (-0.016)",
        "Move number 2:  black to play 41",
        "0-ply cubeless equity ",
        "No double           ",
        "Proper cube action: ",
        "nice: \\ here]",
        "* black doubles",
        "* white accepts",
        "white wins 2 points",
        "Chequerplay statistics",
    ]:
        assert part in text


def test_numbers_are_printed_as_set_output_says(match: Shell, tmp_path: Path) -> None:
    text, html = tmp_path / "match.txt", tmp_path / "match.html"
    match("set output digits 5", "set output winpc on", f"export match text {text}")
    play = "     2. Cubeful 0-ply    24/21                        Eq.: -0.02493 (-0.01585)\n"
    assert f"{play}        49.586  12.480   0.000 -  50.414  10.000   0.000\n" in text.read_text()
    match(f"export match html {html}")
    assert '<td class="moveequity">-0.02493 (-0.01585)</td>' in html.read_text()
    assert "Eq.: -0.02493 (-0.01585)" in match("first game", "show board")
    match("set output winpc off", "set output mwc on", f"export match text {text}")
    assert "24/21                        MWC:  37.1494% ( -0.1987%)\n" in text.read_text()
    assert "Rolled 21 (-0.114%):" in text.read_text()


def test_empty_lines_stand_where_gnubg_has_them(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match(f"export match text {path}")
    text = path.read_text()
    assert "* white moves 24/23 13/11\n\nRolled 21 (-0.009):\n" in text
    assert "- 0.504 0.100 0.000\n\n\nMove number 2:" in text
    assert "* black moves 6/2*/1*\n\nCube analysis\n" in text
    match("analyse match", f"export match text {path}")
    assert "* black doubles\n\n\nCube analysis\n" in path.read_text()
    assert "* white accepts\n\n\nCube analysis\n" in path.read_text()


def test_what_is_marked_follows_the_thresholds(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match(f"export match text {path}")
    assert "Alert:" not in path.read_text()
    match("set analysis threshold unlucky 0.005", f"export match text {path}")
    assert "* white moves 24/23 13/11\nAlert: unlucky roll! ( -0.009)\n\n" in path.read_text()


def test_what_an_export_leaves_out(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match("set export show board 0", "set export include statistics off")
    match("set export include annotations off", "set export include matchinfo off")
    match("set export moves number 1", "set export moves probabilities off")
    match("set export show player 0", f"export match text {path}")
    text = path.read_text()
    for part in ["+-13", "Chequerplay statistics", "nice:", "rating:", "24/21", "0.499"]:
        assert part not in text
    assert "*    1. Cubeful 0-ply    24/23 13/11" in text


def test_an_export_names_the_settings_of_evaluations(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match("set export moves parameters evaluation on", "set export cube parameters evaluation on")
    match("set export cube probabilities off", f"export match text {path}")
    text = path.read_text()
    assert "Cubeful equities:\n  0-ply cubeful [expert]\n1. " in text
    assert "Cube analysis\n0-ply cubeless equity" in text
    assert text.count("0-ply cubeful [expert]") > 1
    match(f"export match html {path}")
    assert "<td>0-ply cubeful [expert]</td>" in path.read_text()


def test_each_game_has_its_page(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "two.sgf"
    path.write_text(GNUBG + "\n" + GNUBG.replace("[ws:0]", "[ws:2]").replace("game:0", "game:1"))
    shell(f"load match {path}", f"export match html {tmp_path}/m.html")
    first, second = (tmp_path / name for name in ("m.html", "m_002.html"))
    for page in (first, second):
        body = page.read_text().removeprefix("<!DOCTYPE html>")
        ElementTree.fromstring(body.replace("&nbsp;", " ").replace("&bull;", "-"))
        assert "<svg" in body
        assert "m_002.html" in body


def test_pages_have_the_classes_that_programs_look_for(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "m.html"
    match(f"export match html {path}")
    text = path.read_text()
    for part in [
        '<p><b><a name="game1.move1">Move number 1:</a></b> white to play 21</p>',
        '<span class="positionid">Position ID: <tt>4HPwATDgc/ABMA</tt> Match ID: <tt>',
        '<td class="movenumber">&bull; </td>\n<td class="movenumber">1</td>',
        '<td class="movemove">24/23 13/11</td>',
        '<tr><th colspan="4" class="cubedecisionheader">Cube decision</th></tr>',
        '<td colspan="2" class="cubeaction">',
        '<div class="comment">nice: \\ here]</div>',
        '<p class="result">white wins 2 points</p>',
        '<th colspan="3" style="text-align: center">Chequer play statistics</th>',
        "<td>Unforced moves</td>",
    ]:
        assert part in text
    match("first game", f"export position html {path}")
    assert '<td class="movemove">24/23 13/11</td>' in path.read_text()


def test_names_of_strangers_do_no_harm_in_a_page(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "evil.sgf"
    path.write_text(GNUBG.replace("PW[white]", "PW[<script>alert(1)</script>]"))
    shell(f"load match {path}", f"export match html {tmp_path}/m.html")
    assert "<script" not in (tmp_path / "m.html").read_text()


@pytest.mark.parametrize("kind", ["text", "html", "bgonline", "snowietxt", "svg"])
def test_a_position_in_every_form(match: Shell, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"position.{kind}"
    match("first game", "next", f"export position {kind} {path}")
    assert path.stat().st_size > 50


@pytest.mark.parametrize("kind", ["gam", "text", "html", "snowietxt"])
def test_a_game_in_every_form(match: Shell, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"game.{kind}"
    match(f"export game {kind} {path}")
    assert "24/23 13/11" in path.read_text()


def test_exports_go_to_their_folder(match: Shell, tmp_path: Path) -> None:
    match(f"set export folder {tmp_path}", "export match mat played.mat")
    assert "3 point match" in (tmp_path / "played.mat").read_text()


def test_where_and_when_a_match_was_played(match: Shell, tmp_path: Path) -> None:
    assert match("set matchinfo date 2021-12-31") == "Match date set to 2021-12-31."
    assert "is not a valid date" in match("set matchinfo date 31.12.2021")
    assert match("set matchinfo rating black 1900") == "Rating for black set to: 1900"
    assert "which player's rating" in match("set matchinfo rating nobody 3")
    assert match("set matchinfo place") == "Match place cleared."
    assert match("show matchinfo").splitlines()[0] == "white (1800) vs. black (1900), 2021-12-31"
    path = tmp_path / "saved.sgf"
    match(f"save match {path}")
    info = read_match(path).info
    assert (info.date, info.place, info.ratings) == ("2021-12-31", "", ("1800", "1900"))


def test_a_saved_match_keeps_its_analysis(match: Shell, tmp_path: Path) -> None:
    for name in ("saved.sgf", "saved.json"):
        path = tmp_path / name
        match(f"save match {path}", "analyse clear", f"load match {path}", "first game")
        match(f"export match text {tmp_path}/t.txt")
        assert "Rolled 21 (-0.009)" in (tmp_path / "t.txt").read_text()


def test_what_a_person_wrote_about_a_match_is_saved(match: Shell, tmp_path: Path) -> None:
    match("first game", "next", "annotate move comment well rolled", "annotate move verybad")
    match("next", "annotate roll lucky")
    for name in ("noted.sgf", "noted.json"):
        path = tmp_path / name
        match(f"save match {path}")
        contents = read_match(path)
        assert "well rolled" in contents.comments.values()
        assert "very bad" in contents.skills.values()
        assert "lucky" in contents.lucks.values()


def test_a_mat_file_tells_where_and_when(match: Shell, tmp_path: Path) -> None:
    path = tmp_path / "told.mat"
    match(f"export match mat {path}")
    assert '; [EventDate "2020.02.03"]' in path.read_text()
    assert read_match(path).info.event == "Open"


def test_a_dance_is_told_as_gnubg_tells_it(shell: Shell, tmp_path: Path) -> None:
    closed = "".join(f"[{letter}]" * 2 for letter in "stuvwx")
    path = tmp_path / "dance.sgf"
    path.write_text(
        f"(;GM[6]MI[length:3]PW[Ann]PB[Bob];PL[W]AE[a:y]AW[y][a]AB{closed};W[31];B[21sqst])"
    )
    shell(f"load match {path}", f"export game text {tmp_path}/t.txt")
    text = (tmp_path / "t.txt").read_text()
    assert "* Ann cannot move" in text


@pytest.mark.parametrize("starter", [0, 1])
def test_who_begins_may_be_set_by_hand(shell: Shell, tmp_path: Path, starter: int) -> None:
    """A .mat file has room for it: a program sets who is on roll and the dice of every turn."""
    shell("set player 0 human", "set player 1 human", "new match 3", f"set turn {starter}")
    shell("set dice 62", "move 24/18 13/11", f"export match mat {tmp_path}/m.mat")
    text = (tmp_path / "m.mat").read_text()
    assert "62: 24/18 13/11" in text
    assert read_match(tmp_path / "m.mat").record.games[0].start.match.move == starter
