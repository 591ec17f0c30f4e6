"""Boards as pictures, and the HTML report."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gnubg_py import cli
from gnubg_py.board import START, Board, parse, swap
from gnubg_py.compare.report import html_report
from gnubg_py.drawing.png import write_board_png
from gnubg_py.drawing.shapes import CHECKER, HEIGHT, WIDTH, Circle, Rect, Text, board_shapes
from gnubg_py.drawing.svg import board_svg
from gnubg_py.match import MatchState
from tests.conftest import play_random_positions
from tests.judged import OPENING, judged_lines, write_lines

SVG = "{http://www.w3.org/2000/svg}"


def checkers_drawn(board: Board, state: MatchState) -> list[int]:
    """How many checkers of player 0 and 1 a drawing shows, on the board and off it."""
    shapes = board_shapes(board, state)
    drawn = [0, 0]
    for i, shape in enumerate(shapes):
        following = shapes[i + 1] if i + 1 < len(shapes) else None
        for player in (0, 1):
            if isinstance(shape, Circle) and shape.radius == 18 and shape.fill == CHECKER[player]:
                more = isinstance(following, Text) and (following.x, following.y) == (
                    shape.x,
                    shape.y,
                )
                drawn[player] += 1
                if more and isinstance(following, Text):
                    # The number stands on the last checker shown, for all that are there.
                    shown = 5 if shape.x != 310 else 4
                    drawn[player] += int(following.text) - shown
            if isinstance(shape, Rect) and shape.width == 30 and shape.fill == CHECKER[player]:
                drawn[player] += 1
    return drawn


def test_every_checker_is_drawn() -> None:
    boards = [*play_random_positions(60, 5), parse("x bar:6 6:2 / o bar:2 1:9 2:1")]
    for board in boards:
        for move in (0, 1):
            assert checkers_drawn(board, MatchState(move=move, turn=move)) == [15, 15]


def test_shapes_stay_inside() -> None:
    for board in [parse("x bar:15 / o bar:15"), *play_random_positions(20, 6)]:
        state = MatchState(cube_value=4, cube_owner=1, dice=(6, 6), match_length=25)
        for shape in board_shapes(board, state):
            if isinstance(shape, Circle):
                assert shape.radius <= shape.x <= WIDTH - shape.radius
                assert shape.radius <= shape.y <= HEIGHT - shape.radius
            if isinstance(shape, Rect):
                assert 0 <= shape.x <= shape.x + shape.width <= WIDTH
                assert 0 <= shape.y <= shape.y + shape.height <= HEIGHT


def test_the_sides_are_where_gnubg_has_them() -> None:
    """X bears off at the lower right: its ace point is there, whoever is on roll."""
    board = parse("x 1:2 / o 6:3")
    for seen, move in ((board, 1), (swap(board), 0)):
        shapes = board_shapes(seen, MatchState(move=move, turn=move))
        x_checkers = [s for s in shapes if isinstance(s, Circle) and s.radius == 18
                      and s.fill == CHECKER[1]]  # fmt: skip
        assert len(x_checkers) == 2
        assert all(s.x > WIDTH / 2 and s.y > HEIGHT / 2 for s in x_checkers)


def labels(board: Board, state: MatchState) -> list[str]:
    return [s.text for s in board_shapes(board, state) if isinstance(s, Text)]


def test_points_are_numbered_from_the_side_on_roll() -> None:
    def lower_right(move: int) -> str:
        texts = [s for s in board_shapes(START, MatchState(move=move, turn=move))
                 if isinstance(s, Text) and s.y > HEIGHT - 40 and s.text.isdigit()]  # fmt: skip
        return max(texts, key=lambda s: s.x).text

    assert (lower_right(1), lower_right(0)) == ("1", "24")


def test_cube_dice_and_score_are_shown() -> None:
    state = MatchState(cube_value=2, cube_owner=0, dice=(6, 5), match_length=7, score=(3, 2))
    texts = labels(START, state)
    assert "2" in texts
    assert "O   pips 167   score 3 of 7" in texts
    assert "X   pips 167   score 2 of 7   on roll" in texts
    pips = [s for s in board_shapes(START, state) if isinstance(s, Circle) and s.radius < 4]
    assert len(pips) == 11
    assert "64" in labels(START, MatchState())
    assert "64" not in labels(START, MatchState(match_length=3, score=(2, 0), crawford=True))
    assert "4" in labels(START, MatchState(cube_value=2, cube_owner=1, doubled=True, turn=0))


def test_svg_is_xml_and_needs_nothing_else() -> None:
    text = board_svg(START, MatchState(dice=(3, 1), match_length=5))
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert len(root.findall(f"{SVG}polygon")) == 24
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text is not None
    assert title.text.startswith("4HPwATDgc/ABMA:")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert len(text) < 12_000


def test_an_impossible_board_is_refused() -> None:
    board = START.copy()
    board[0, 0] = 9
    with pytest.raises(ValueError, match="x has 24 checkers"):
        board_svg(board, MatchState())


def test_png_of_a_board(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    path = tmp_path / "board.png"
    write_board_png(START, MatchState(dice=(3, 1)), path, width=620)
    picture = image.imread(path)
    assert picture.shape[:2] == (HEIGHT, WIDTH)
    dark = np.abs(picture[:, :, :3] - np.array([0x24, 0x3B, 0x53]) / 255).max(axis=2) < 0.01
    # X's 15 checkers and two dice are dark, of the lower half more than of the upper.
    assert 15 * 700 < dark.sum() < 20 * 1100
    assert dark[HEIGHT // 2 :].sum() > dark[: HEIGHT // 2].sum()


class Page(HTMLParser):
    """The tags of a page in order, those left open, and every address it names."""

    VOID = frozenset(("meta", "br"))

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset") and v]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    decisions = write_lines(folder / "judged.jsonl", judged_lines())
    words = ["compare", "--decisions", str(decisions), "--evaluator", "ten-factor-play",
             "ten-factor", "pseudopip", "--games", "60", "--show", "2",
             "--html", str(folder / "report.html")]  # fmt: skip
    assert cli.main(words) == 0
    return (folder / "report.html").read_text("utf-8")


def test_the_report_is_one_whole_page(page: str) -> None:
    read = Page(page)
    assert read.open == []
    assert read.addresses == []
    assert not {"script", "link", "img", "iframe"} & set(read.tags)
    assert "url(" not in page
    assert "@import" not in page
    assert '<meta name="viewport" content="width=device-width,initial-scale=1">' in page
    assert len(page) < 200_000


def test_the_report_tells_everything(page: str) -> None:
    for words in (
        "6 checker decisions of judged.jsonl",
        "By class", "By phase of the game", "By situation", "How often they make the same play",
        "Are its chances true?", "Where ten-factor-play gives up most more than pseudopip",
        "gnubg-py compare --decisions", "--games 60",
    ):  # fmt: skip
        assert words in page
    assert page.count("<svg xmlns") == 4
    assert page.count('class="plot"') == 3 + 3
    assert "nan" not in re.sub(r"<[^>]*>", " ", page).lower().split()


def test_names_are_escaped(tmp_path: Path) -> None:
    from dataclasses import replace

    from gnubg_py.compare.agreement import compare_players
    from gnubg_py.compare.decisions import read_decisions
    from gnubg_py.compare.players import player_named

    path = write_lines(tmp_path / "judged.jsonl", judged_lines())
    player = replace(player_named("pseudopip"), name="<b>&")
    agreement = compare_players([player], read_decisions(path), "<i>")
    text = html_report(agreement, [], [], "<u>", "<s>")
    assert not {"b", "i", "u", "s"} & set(Page(text).tags)
    assert "&lt;b&gt;&amp;" in text


def test_a_report_of_a_file_of_positions(tmp_path: Path) -> None:
    positions = tmp_path / "positions.txt"
    positions.write_text(f"{OPENING} 31\n{OPENING} 64\n")
    out = tmp_path / "report.html"
    words = ["compare", "--positions", str(positions), "--evaluator", "pseudopip"]
    assert cli.main([*words, "--html", str(out)]) == 0
    read = Page(out.read_text("utf-8"))
    assert read.open == []
