"""Lines and bytes for the external protocol: one line of answer each, and the service goes on."""

from __future__ import annotations

import random
import socket
import threading
from pathlib import Path

from gnubg_py.external.address import Address
from gnubg_py.external.protocol import answer
from gnubg_py.external.server import serve
from gnubg_py.notation.fibs_board import fibs_board
from gnubg_py.shell.external_commands import SessionAnswers
from tests.attack.mutations import mutated_bytes
from tests.random_matches import random_match
from tests.shell_lines import Shell

LINES = 100
_OPTIONS = ("plies 0", "plies 1", "plies 9", "cube on", "cube off", "prune maybe", "noise 0.5",
            "noise nan", "noise 1e999", "deterministic off", "jacobyrule on", "resignation 2",
            "resignation 7", "crawfordrule on", "beavers on", "plies", "")  # fmt: skip
_OTHERS = ("version", "help", "set debug on", "evaluation", "evaluation fibsboard", "board:", ":",
           "", "   ", "EXIT now", "9" * 4000, "board:" + ":" * 60)  # fmt: skip


def attack(seed: int, folder: Path, lines: int = LINES) -> int:
    """Random lines to the protocol, and random bytes to a socket; the number of lines."""
    generator = random.Random(seed)
    shell = Shell()
    answers = SessionAnswers(shell.session)
    for _ in range(lines):
        reply = answer(_line(generator), answers)
        assert reply is None or (isinstance(reply, str) and len(reply) < 10_000)
    _attack_socket(generator, folder, answers)
    return lines


def _line(generator: random.Random) -> str:
    if generator.random() < 0.15:
        return generator.choice(_OTHERS)
    record = random_match(generator.randrange(3), length=generator.choice((0, 3)), games=1)
    position = generator.choice(record.games[0].positions)
    line = fibs_board(position.board, position.match, record.players)
    if generator.random() < 0.3:
        line = f"evaluation fibsboard {line}"
    line = " ".join([line, *generator.choices(_OPTIONS, k=generator.randrange(3))])
    if generator.random() < 0.6:
        line = mutated_bytes(generator, line.encode()).decode("utf-8", "replace")
    return line[:4096].split("\n")[0]


def _attack_socket(generator: random.Random, folder: Path, answers: SessionAnswers) -> None:
    """Three clients that flood, send garbage or vanish; then one that is answered as ever."""
    address, opened = Address(path=str(folder / "door")), threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            serve(address, answers, lambda line: opened.set(), clients=4)
        except BaseException as problem:
            failures.append(problem)

    service = threading.Thread(target=work, daemon=True)
    service.start()
    assert opened.wait(30)
    for _ in range(3):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(address.path)
            try:
                client.sendall(mutated_bytes(generator, generator.randbytes(6000) + b"\n"))
            except OSError:  # it has been sent away
                continue
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(address.path)
        client.settimeout(60)  # not before: a full queue of clients would be an error at once
        client.sendall(b"version\nexit\n")
        assert client.recv(100).startswith(b"Interface: 2")
    service.join(60)
    assert not service.is_alive()
    assert not failures, failures
