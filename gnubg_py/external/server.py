"""Serve gnubg's protocol at an address: one client at a time, until the user stops it."""

from __future__ import annotations

import socket
from collections.abc import Callable

from gnubg_py.external.address import Address, listening, read_line
from gnubg_py.external.protocol import Answers, answer

LONGEST_REQUEST = 4096
"""Bytes of a line; a client that sends more is sent away."""


def serve(
    address: Address,
    answers: Answers,
    report: Callable[[str], None],
    clients: int | None = None,
) -> None:
    """Answer clients, one after another, until Ctrl-C or until ``clients`` have come and gone.

    ``report`` is called with a line for each connection, in gnubg's words. A client that vanishes,
    floods or sends bytes that are no text costs its own connection only.
    """
    served = 0
    with listening(address) as door:
        while clients is None or served < clients:
            report(f"Waiting for a connection from {address}...")
            connection, peer = door.accept()
            report(f"Accepted connection from {peer[0] if address.host else address}.")
            with connection:
                _converse(connection, answers, report)
            served += 1


def _converse(connection: socket.socket, answers: Answers, report: Callable[[str], None]) -> None:
    """Answer one client until it leaves."""
    waiting = bytearray()
    try:
        while (line := read_line(connection, waiting, LONGEST_REQUEST)) is not None:
            reply = answer(line, answers)
            if reply is None:
                return
            connection.sendall(f"{reply}\n".encode())
    except ValueError as error:
        report(f"External connection refused: {error}.")
    except OSError:
        pass  # The client has gone without a word: the next one is waited for.
    report("External connection closed.")
