"""Match files in gnubg and here: each program reads what the other writes, and finds the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnubg_py.game.record import MatchRecord
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.mat import from_mat, to_mat
from gnubg_py.matchfiles.registry import read_match
from gnubg_py.matchfiles.sgf_write import to_sgf
from gnubg_py.matchfiles.snowietxt import from_snowietxt, to_position_line
from tests.match_samples import played, to_oldmoves, to_sgg, to_tmg
from tests.random_matches import random_match

from .test_shell_peers import gnubg_session, our_session

PLAYED = """
set seed {seed}
set automatic move on
set automatic roll on
set automatic game on
set player 0 gnubg
set player 1 gnubg
set player 0 chequer evaluation plies 0
set player 1 chequer evaluation plies 0
set player 0 cube evaluation plies 0
set player 1 cube evaluation plies 0
new match 3
set analysis chequerplay evaluation plies 0
set analysis cubedecision evaluation plies 0
analyse match
save match gnubg.sgf
export match mat gnubg.mat
"""


def read_by_gnubg(command: str, folder: Path) -> MatchRecord:
    """The match that gnubg finds in a file, from the .mat file that it makes of it."""
    gnubg_session([command, "export match mat found.mat", "quit", "y"], folder)
    return from_mat((folder / "found.mat").read_text()).record


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [3, 7])
def test_gnubg_opens_our_files_and_finds_the_same_match(
    seed: int, length: int, tmp_path: Path
) -> None:
    record = random_match(seed, length, games=3)
    (tmp_path / "our.sgf").write_text(to_sgf(MatchContents(record)))
    (tmp_path / "our.mat").write_text(to_mat(record))
    (tmp_path / "our.txt").write_bytes(to_oldmoves(record))
    for command in ("load match our.sgf", "import mat our.mat"):
        assert played(read_by_gnubg(command, tmp_path)) == played(record)
    # gnubg takes every resignation in a list of old moves for one of a single game.
    assert played(read_by_gnubg("import oldmoves our.txt", tmp_path))[:2] == played(record)[:2]


def test_gnubg_seats_the_players_of_truemoneygames_as_we_do(tmp_path: Path) -> None:
    record = random_match(2, 5, games=2)
    (tmp_path / "our.tmg").write_bytes(to_tmg(record))
    assert played(read_by_gnubg("import tmg our.tmg", tmp_path)) == played(record)


@pytest.mark.parametrize("length", [0, 1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_gnubg_finds_in_a_file_of_gamesgrids_what_we_find(
    seed: int, length: int, tmp_path: Path
) -> None:
    record = random_match(seed, length, games=3)
    (tmp_path / "our.sgg").write_bytes(to_sgg(record))
    found = read_by_gnubg("import sgg our.sgg", tmp_path)
    assert played(found) == played(read_match(tmp_path / "our.sgg").record)


@pytest.mark.parametrize("seed", [11, 12])
def test_we_open_gnubgs_files_with_their_analysis(seed: int, tmp_path: Path) -> None:
    gnubg_session(PLAYED.format(seed=seed).splitlines(), tmp_path)
    sgf, mat = (read_match(tmp_path / f"gnubg.{suffix}") for suffix in ("sgf", "mat"))
    assert not sgf.warnings
    assert not mat.warnings
    assert played(sgf.record) == played(mat.record)
    (tmp_path / "again.sgf").write_text(to_sgf(sgf))
    theirs = statistics(gnubg_session(["load match gnubg.sgf", "show statistics match"], tmp_path))
    again = statistics(gnubg_session(["load match again.sgf", "show statistics match"], tmp_path))
    ours = statistics(our_session([f"load match {tmp_path}/gnubg.sgf", "show statistics match"]))
    assert len(theirs) > 14
    assert again == theirs
    assert ours == theirs


def statistics(text: str) -> dict[str, list[str]]:
    """Rows that a file decides; gnubg counts a roll before a resignation as a move, we do not."""
    rows = re.findall(r"^([A-Z][a-z][^\n]*?\)?) {2,}(\S[^\n]*)$", text, re.MULTILINE)
    kept = {}
    wanted = r"Total cube|Unforced|Moves marked|Rolls|Doubles|Takes|Passes|Close|Luck total"
    for title, values in rows:
        if re.match(wanted, title):
            kept[title] = re.sub(r"\( +", "(", values).split()
    return kept


def test_gnubg_reads_our_line_of_snowies(tmp_path: Path) -> None:
    record = random_match(4, 5, games=1)
    for place in (0, 5, 10):
        position = record.games[0].positions[place]
        line = to_position_line(position, record.players)
        (tmp_path / "our.txt").write_text(line)
        gnubg_session(["import snowietxt our.txt", "export position snowietxt found.txt"], tmp_path)
        found = from_snowietxt((tmp_path / "found.txt").read_text()).record.games[0].start
        ours = from_snowietxt(line).record.games[0].start
        assert found.gnubg_id == ours.gnubg_id
