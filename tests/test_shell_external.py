"""The shell at either end of gnubg's external protocol."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gnubg_py.board import START, parse
from gnubg_py.external.address import Address, connected, listening, read_line
from gnubg_py.external.player import ExternalPlayer
from gnubg_py.external.protocol import answer
from gnubg_py.external.server import serve
from gnubg_py.match import MatchState
from gnubg_py.notation.fibs_board import fibs_board
from gnubg_py.shell.external_commands import SessionAnswers
from gnubg_py.shell.session import Session
from tests.shell_lines import PLAIN, Shell

HIT = parse("x bar:1 24:1 14:1 13:4 8:3 6:5 / o 24:2 13:5 8:3 6:5")
SHOT = parse("x 15:1 13:4 8:5 6:5 / o 24:2 15:1 13:4 8:3 6:5")
CLOSED_OUT = parse("x bar:1 13:5 8:3 6:6 / o 24:2 6:2 5:2 4:2 3:2 2:2 1:3")
FAR_AHEAD = parse("x 1:2 2:2 / o 6:5 5:5 4:5")


def line_of(turn: int, dice: tuple[int, int] = (0, 0), doubled: int = 0) -> str:
    """A line for a side that is far ahead, with the fields that say whose turn it is."""
    fields = fibs_board(FAR_AHEAD, MatchState(), ("you", "me")).split(":")
    fields[32:37] = map(str, (turn, *dice, *dice))
    fields[40] = str(doubled)
    return ":".join(fields)


@pytest.fixture
def player(tmp_path: Path) -> Iterator[ExternalPlayer]:
    """A client of a session that answers at a socket."""
    session = Session(out=io.StringIO())
    address, ready = Address(path=str(tmp_path / "door")), threading.Event()
    work = (address, SessionAnswers(session), lambda line: ready.set(), 1)
    thread = threading.Thread(target=serve, args=work, daemon=True)
    thread.start()
    assert ready.wait(5)
    client = ExternalPlayer(address)
    yield client
    client.close()
    thread.join(5)


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (line_of(1), "double"),
        (line_of(-1), "roll"),
        (line_of(1, doubled=1), "drop"),
        (line_of(1, (3, 1)), "2/0 1/0 "),
        (fibs_board(START, MatchState(dice=(3, 1))), "8/5 6/5 "),
        (fibs_board(START, MatchState(dice=(6, 6))), "24/18 24/18 13/7 13/7"),
        (fibs_board(HIT, MatchState(dice=(5, 4))), "25/20 24/20 "),
        (fibs_board(SHOT, MatchState(dice=(3, 2))), "15/13 13/10* "),
        (fibs_board(CLOSED_OUT, MatchState(dice=(6, 6))), ""),
    ],
)
def test_decisions_are_those_of_gnubg(line: str, reply: str) -> None:
    """gnubg 1.07 gives these answers to these lines, a blank after each step but a fourth."""
    assert answer(f"{line} plies 0", SessionAnswers(Session(out=io.StringIO()))) == reply


def test_an_evaluation_is_of_the_side_on_roll(player: ExternalPlayer) -> None:
    ahead = player.ask(f"evaluation fibsboard {line_of(1)} plies 0 cube off").split()
    behind = player.ask(f"evaluation fibsboard {line_of(-1)} plies 0 cube off").split()
    assert player.ask(f"evaluation fibsboard {line_of(1)}").split() == ahead
    assert [len(word.split(".")[1]) for word in ahead] == [6] * 6
    assert float(ahead[0]) == 1
    assert float(behind[0]) < 0.001
    assert float(behind[5]) < -1


def replies(address: Address, answers: list[str], lines: list[str]) -> threading.Thread:
    """A program at a socket that gives fixed answers and keeps the lines it got."""
    ready = threading.Event()

    def work() -> None:
        with listening(address) as door:
            ready.set()
            connection, _ = door.accept()
            waiting = bytearray()
            with connection:
                for answer in answers:
                    line = read_line(connection, waiting, 4096)
                    if line is None:
                        return
                    lines.append(line)
                    connection.sendall(f"{answer}\n".encode())

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(5)
    return thread


@pytest.fixture
def against(tmp_path: Path, shell: Shell) -> Iterator[Callable[..., tuple[str, list[str]]]]:
    """``against(answers, commands...)``: the shell with player 0 at a socket."""
    threads = []

    def run(answers: list[str], *commands: str) -> tuple[str, list[str]]:
        address, lines = Address(path=str(tmp_path / "door")), list[str]()
        threads.append(replies(address, answers, lines))
        shell(*PLAIN, "new session", "set turn 1", f"set player 0 external {address}")
        return shell(*commands), lines

    yield run
    for thread in threads:
        thread.join(5)


def test_an_external_player_plays_its_roll(against: Callable[..., tuple[str, list[str]]]) -> None:
    said, lines = against(["8/5 6/5"], "set turn 0", "set dice 31", "play")
    assert "moves 8/5 6/5" in said
    assert lines[0].startswith("board:Ann:Bob:0:0:0:")
    assert ":-1:3:1:3:1:" in lines[0]


def test_an_external_player_answers_a_double(
    against: Callable[..., tuple[str, list[str]]],
) -> None:
    said, lines = against(["drop"], "double")
    assert "refuses the cube and gives up 1 point" in said
    assert lines[0].split(":")[40] == "1"


@pytest.mark.parametrize("reply", ["8/4 6/4", "nonsense", ""])
def test_a_bad_answer_is_said_and_changes_nothing(
    against: Callable[..., tuple[str, list[str]]], reply: str
) -> None:
    said, _ = against([reply], "set turn 0", "set dice 31", "play", "show dice")
    assert f"answered {reply!r}" in said
    assert "rolled 3 and 1" in said


def test_nobody_at_the_socket_is_said(shell: Shell, tmp_path: Path) -> None:
    said = shell(*PLAIN, "new session", f"set player 0 external {tmp_path}/none")
    assert "No such file" in said
    assert "Type: external" not in shell("show player")


def test_a_socket_must_be_named(shell: Shell) -> None:
    assert "You must specify the name of the socket" in shell("external")
    assert "You must specify the name of the socket" in shell("set player 1 external")
    assert "port '0' should be 1 to 65535" in shell("external localhost:0")


def test_a_line_can_be_sent_by_hand(player: ExternalPlayer) -> None:
    with connected(player.address, 5) as stream:
        stream.sendall(b"version\n")
        assert stream.recv(200).startswith(b"Interface: 2\n")
