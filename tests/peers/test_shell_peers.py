"""The same command files in gnubg and in our shell, and our matches read by gnubg."""

from __future__ import annotations

import io
import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.bench.gnubg_program import find_gnubg
from gnubg_py.board import check_board
from gnubg_py.matchfiles.saved import load_match
from gnubg_py.notation import from_gnubg_id, parse_play
from gnubg_py.shell.loop import FAULT, run_line, run_lines
from gnubg_py.shell.session import Session
from tests.shell_lines import PLAIN, random_line

from . import peers

FOLDER = Path(__file__).parents[1] / "shell_sessions"
FILES = sorted(FOLDER.glob("*.txt"))
# A command of both programs that prints one line and changes nothing cuts their output up.
MARK, MARKED = "show matchlength", re.compile(r"New matches default to 7 points\.\n?")
_ID = re.compile(r"Position ID: (\S+)\s+Match ID   : (\S+)")
_HINTED = re.compile(r"^ +\d+\. Cube\S+ \d-ply +(\S.*?)  +\S*Eq", re.MULTILINE)
_SLACK = str.maketrans({".": " "})


def gnubg_session(lines: list[str], folder: Path, timeout: float = 120) -> str:
    """What gnubg prints when it is given lines on its standard input."""
    program = find_gnubg()
    if program is None:
        pytest.skip(peers.GNUBG_HINT)
    prefs = folder / "prefs"
    prefs.mkdir(exist_ok=True)
    done = subprocess.run(
        [program, "--tty", "--quiet", "--no-rc", "--prefsdir", str(prefs)],
        input="\n".join(lines) + "\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        cwd=folder,
    )
    return done.stdout


def our_session(lines: list[str]) -> str:
    """What our shell prints for the same lines."""
    out = io.StringIO()
    session = Session(out=out, err=out)
    run_lines(session, ["set evaluation preset expert", *lines])
    return out.getvalue()


def position_shown(text: str) -> tuple[str, str] | None:
    """The IDs of the last board in some output."""
    found = _ID.findall(text)
    return found[-1] if found else None


def plain(text: str) -> str:
    """A reply without the differences that are of no account: spaces, full stops, a slip."""
    text = (
        text.replace("GNU Backgammon", "gnubg_py")
        .replace("in on", "is on")
        .replace("2*(L-T)", "2*(T-L)")
        .translate(_SLACK)
    )
    text = re.sub(r"\s*([=<>+)-])\s*", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_command_file_leads_to_the_same_positions(path: Path, tmp_path: Path) -> None:
    lines = path.read_text().splitlines()
    begin = lines.index("# compare from here")
    checked = lines[begin + 1 :]
    run = [*lines[:begin], MARK]
    for line in checked:
        run += [line, MARK, "show board", MARK]
    theirs = MARKED.split(gnubg_session(run, tmp_path))
    ours = MARKED.split(our_session(run))
    assert len(theirs) == len(ours) == 2 * len(checked) + 2
    before = None
    for i, line in enumerate(checked):
        (their_reply, their_board), (our_reply, our_board) = (
            replies[1 + 2 * i : 3 + 2 * i] for replies in (theirs, ours)
        )
        assert position_shown(our_board) == position_shown(their_board), line
        if line.startswith("hi"):
            assert before is not None
            assert hinted(our_reply, before) == hinted(their_reply, before), line
        elif line.startswith("sh"):
            assert plain(our_reply) == plain(their_reply), line
        elif not any("Illegal" in s or position_shown(s) for s in (their_reply, our_reply)):
            assert first_words(our_reply) == first_words(their_reply), line
        before = position_shown(our_board)


def first_words(text: str) -> str:
    """The first line of a reply, as ``plain`` has it, as far as the first bracket."""
    return plain(text.strip().splitlines()[0].split(" (")[0]) if text.strip() else ""


def hinted(text: str, ids: tuple[str, str]) -> set[bytes]:
    """The positions that the plays of a hint lead to."""
    board, match = from_gnubg_id(":".join(ids))
    plays = _HINTED.findall(text)
    assert plays
    return {parse_play(board, match.dice, play).tobytes() for play in plays}


def test_gnubg_imports_and_analyses_a_match_of_ours(tmp_path: Path) -> None:
    mat, saved = tmp_path / "ours.mat", tmp_path / "ours.json"
    ours = our_session(
        [
            *PLAIN,
            "set player 0 gnubg", "set player 1 gnubg", "set defaultnames Ann Bob",
            "set seed 11", "new match 7",
            f"export match mat {mat}", f"save match {saved}",
        ]
    )  # fmt: skip
    assert "has won the match." in ours
    theirs = gnubg_session(
        [
            f"import mat {mat}",
            "set analysis chequerplay evaluation plies 0",
            "set analysis cubedecision evaluation plies 0",
            "analyse match",
            "show statistics match",
            "show score",
            "list match",
        ],
        tmp_path,
    )
    assert not re.search(r"WARNING|[Ii]nvalid|[Ii]llegal|[Ee]rror reading|Unable", theirs), theirs
    record = load_match(saved)
    a, b = record.games[-1].end.match.score
    assert f"Ann {a}, Bob {b} (match to 7 points)" in theirs
    moves = [
        sum(action.word == "move" and action.player == player
            for game in record.games for action in game.actions)
        for player in (0, 1)
    ]  # fmt: skip
    total = re.search(r"Total moves +(\d+) +(\d+)", theirs)
    assert total is not None
    assert [int(total[1]), int(total[2])] == moves
    doubles = re.search(r"\nDoubles +(\d+) +(\d+)", theirs)
    assert doubles is not None
    expected = [
        sum(action.word == "double" and action.player == player
            for game in record.games for action in game.actions)
        for player in (0, 1)
    ]  # fmt: skip
    assert [int(doubles[1]), int(doubles[2])] == expected


def test_we_import_a_match_of_gnubgs(tmp_path: Path) -> None:
    mat = tmp_path / "theirs.mat"
    theirs = gnubg_session(
        [
            "set automatic roll on", "set automatic game on", "set display off",
            *(f"set player {n} gnubg" for n in (0, 1)),
            *(f"set player {n} {what} evaluation plies 0"
              for n in (0, 1) for what in ("chequerplay", "cubedecision")),
            *(f"set player {n} chequerplay evaluation noise 0.05" for n in (0, 1)),
            "set seed 5", "new match 5", "show score", f"export match mat {mat}",
        ],
        tmp_path,
    )  # fmt: skip
    score = re.findall(r"gnubg (\d+), \w+ (\d+) \(match to 5", theirs)[-1]
    ours = our_session([f"import mat {mat}", "show score"])
    assert f"gnubg {score[0]}," in ours.splitlines()[-1]
    assert f" {score[1]} (match to 5 points)" in ours.splitlines()[-1]


def test_race_counts_are_gnubgs(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    lines, begin = ["set player 0 human", "set player 1 human", "new session", "set turn 1"], []
    from gnubg_py.notation import simple

    for _ in range(40):
        board = np.zeros((2, 25), np.int8)
        for side in (0, 1):
            points = np.minimum(11, generator.exponential(4.0, generator.integers(5, 16)))
            np.add.at(board[side], points.astype(int), 1)
        begin.append(f"set board simple {simple(board)}")
    counts = ("pipcount", "thorp", "keith", "kleinman", "isight", "8912")
    run = [*lines, MARK]
    for line in begin:
        run += [line, MARK]
        for count in counts:
            run += [f"show {count}", MARK]
    theirs = MARKED.split(gnubg_session(run, tmp_path))[1:]
    ours = MARKED.split(our_session(run))[1:]
    assert len(theirs) == len(ours) == 40 * 7 + 1
    for i, (a, b) in enumerate(zip(theirs, ours, strict=True)):
        if i % 7:
            assert plain(b) == plain(a), (begin[i // 7], counts[i % 7 - 1])


def test_ten_thousand_random_lines_harm_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generator, out = random.Random(2026), io.StringIO()
    session = Session(out=out, err=out, settings_folder=tmp_path)
    for number in range(10_000):
        if number % 200 == 0:
            run_lines(session, PLAIN)
        line = random_line(generator)
        run_line(session, line)
        session.leaving = False
        if session.record is not None and session.record.games:
            check_board(session.shown().board)
    assert FAULT not in out.getvalue()
    assert "Traceback" not in out.getvalue()
