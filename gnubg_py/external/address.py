"""Where an external player listens: ``HOST:PORT`` on the network, or the path of a local socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Address:
    """A host and port, or the path of a Unix socket (``host`` is then empty)."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Read ``HOST:PORT``, ``:PORT`` (this machine alone) or a path; ``ValueError`` says what fails.

    >>> parse_address("localhost:4321")
    Address(host='localhost', port=4321, path='')
    >>> parse_address(":4321").host
    '127.0.0.1'
    """
    host, colon, port = text.strip().rpartition(":")
    if not colon or "/" in port:
        if not text.strip():
            raise ValueError("external player '': expected HOST:PORT or the path of a socket")
        return Address(path=text.strip())
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"external player {text!r}: port {port!r} should be 1 to 65535")
    return Address(host.strip("[]") or LOOPBACK, int(port))


def connected(address: Address, seconds: float) -> socket.socket:
    """A connection to whoever listens at an address; ``OSError`` with it after ``seconds``."""
    with _named(address):
        if not address.path:
            return socket.create_connection((address.host, address.port), seconds)
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(seconds)
        try:
            line.connect(address.path)
        except OSError:
            line.close()
            raise
        return line


@contextmanager
def _named(address: Address) -> Iterator[None]:
    """Errors inside name the address."""
    try:
        yield
    except OSError as error:
        error.filename = str(address)
        raise


@contextmanager
def listening(address: Address) -> Iterator[socket.socket]:
    """A socket that listens at an address, closed at the end; a Unix socket's file is removed."""
    if address.path:
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            door.bind(address.path)
            door.listen(1)
            yield door
        finally:
            door.close()
            with suppress(OSError):
                Path(address.path).unlink()
        return
    with _named(address):
        family, kind, _, _, where = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    with socket.socket(family, kind) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with _named(address):
            door.bind(where)
        door.listen(1)
        yield door


def read_line(stream: socket.socket, waiting: bytearray, longest: int) -> str | None:
    """The next line of a connection without its end; None where the other side has closed.

    ``waiting`` keeps the bytes that came after the last line. A line above ``longest`` bytes is a
    ``ValueError``; bytes that are not UTF-8 are replaced.
    """
    while b"\n" not in waiting:
        if len(waiting) > longest:
            raise ValueError(f"a line of over {longest} bytes")
        found = stream.recv(4096)
        if not found:
            return None
        waiting += found
    line, _, rest = bytes(waiting).partition(b"\n")
    waiting[:] = rest
    if len(line) > longest:
        raise ValueError(f"a line of over {longest} bytes")
    return line.decode("utf-8", "replace").strip("\r\0 ")
