"""gnubg's external players: the protocol's lines, and sockets that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gnubg_py.board import START
from gnubg_py.external.address import Address, connected, parse_address
from gnubg_py.external.player import ExternalPlayer
from gnubg_py.external.protocol import Request, answer
from gnubg_py.external.server import LONGEST_REQUEST, serve
from gnubg_py.match import MatchState
from gnubg_py.notation.fibs_board import fibs_board

OPENING = fibs_board(START, MatchState(dice=(3, 1)))


class Echo:
    """Answers that show what was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def decision(self, request: Request) -> str:
        self.asked.append(request)
        return "8/5 6/5" if request.match.dice != (0, 0) else "roll"

    def evaluation(self, request: Request) -> tuple[Sequence[float], float]:
        self.asked.append(request)
        return (0.5, 0.25, 0.0, 0.125, 0.0), 0.0625


@pytest.fixture
def echo() -> Echo:
    return Echo()


def test_a_board_line_is_answered_with_a_play(echo: Echo) -> None:
    assert answer(OPENING, echo) == "8/5 6/5"
    (request,) = echo.asked
    assert (request.board == START).all()
    assert request.match.dice == (3, 1)


def test_an_evaluation_has_six_numbers(echo: Echo) -> None:
    line = f"EVALUATION fibsboard {OPENING} PLIES 2 cube on noise 0.5"
    assert answer(line, echo) == "0.500000 0.250000 0.000000 0.125000 0.000000 0.062500"
    options = echo.asked[0].options
    assert (options.plies, options.cube, options.noise, options.prune) == (2, True, 0.5, None)


def test_names_may_hold_blanks(echo: Echo) -> None:
    line = fibs_board(START, MatchState(dice=(3, 1)), ("gnu bg", "Ann B"))
    assert answer(f"{line} plies 1", echo) == "8/5 6/5"
    assert echo.asked[0].options.plies == 1


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("version", "Interface: 2\nRFBF: 0\nEngine: 1.00\nSoftware: 1.07.001"),
        ("help", "\tNo help information available"),
        ("set debug on", "Debug output ON"),
        ("exit", None),
        ("", "Error: no command given"),
        ("garbage", "Error: unknown command 'garbage': expected board:..., evaluation or version"),
        ("evaluation", "Error: evaluation: expected fibsboard board:..."),
        (f"{OPENING} plies", "Error: 'plies': expected a value after it"),
        (f"{OPENING} plies 9", "Error: plies '9': expected 0 to 4"),
        (f"{OPENING} cube maybe", "Error: cube 'maybe': expected on or off"),
        (f"{OPENING} noise nan", "Error: noise 'nan': expected 0 to 1"),
    ],
)
def test_lines_that_are_no_positions(echo: Echo, line: str, reply: str | None) -> None:
    assert answer(line, echo) == reply


def test_a_resignation_is_mine_to_answer(echo: Echo) -> None:
    before = fibs_board(START, MatchState())
    answer(f"{before} resignation 2", echo)
    match = echo.asked[0].match
    assert (int(match.resigned), match.move, match.turn) == (2, 1, 0)


@pytest.mark.parametrize("text", ["", "localhost:", "localhost:0", "localhost:99999", "host:12x"])
def test_an_address_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match="external player"):
        parse_address(text)


@pytest.fixture
def address(tmp_path: Path) -> Address:
    """A Unix socket, which no other program of the machine has."""
    return Address(path=str(tmp_path / "door"))


@pytest.fixture
def server(address: Address, echo: Echo) -> Iterator[list[str]]:
    """A server of two clients in a thread; its reports."""
    reports: list[str] = []
    ready = threading.Event()

    def report(line: str) -> None:
        reports.append(line)
        ready.set()

    thread = threading.Thread(target=serve, args=(address, echo, report, 2), daemon=True)
    thread.start()
    assert ready.wait(5)
    yield reports
    thread.join(5)
    assert not thread.is_alive()


def test_a_player_and_a_server_talk(address: Address, server: list[str]) -> None:
    for _ in range(2):
        player = ExternalPlayer(address)
        assert player.ask(OPENING) == "8/5 6/5"
        assert player.ask(fibs_board(START, MatchState())) == "roll"
        player.close()


def test_floods_and_half_lines_cost_their_connection_only(
    address: Address, server: list[str]
) -> None:
    with connected(address, 5) as flood:
        flood.sendall(b"\xff\x00" * LONGEST_REQUEST)
        assert flood.recv(10) == b""
    with connected(address, 5) as half:
        half.sendall(b"\xff\xfe\nvers")
        assert half.recv(100).startswith(b"Error: unknown command")
        half.sendall(b"ion\n")
        assert half.recv(100).startswith(b"Interface")
        half.sendall(b"never ended")


def test_nobody_listening_is_an_error(address: Address) -> None:
    with pytest.raises(OSError, match="No such file"):
        ExternalPlayer(address).ask(OPENING)


def test_a_port_on_this_machine() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ready = threading.Event()
    where = parse_address(f"localhost:{port}")
    thread = threading.Thread(
        target=serve, args=(where, Echo(), lambda line: ready.set(), 1), daemon=True
    )
    thread.start()
    assert ready.wait(5)
    player = ExternalPlayer(where)
    assert player.ask(OPENING) == "8/5 6/5"
    player.close()
    thread.join(5)


def test_who_does_not_listen_is_named() -> None:
    with pytest.raises(OSError, match="refused") as caught:
        connected(Address("localhost", 1), 5)
    assert caught.value.filename == "localhost:1"
