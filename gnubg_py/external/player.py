"""A player at the other end of a socket: it gets a board line and sends its decision back."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field

from gnubg_py.external.address import Address, connected, read_line

SECONDS_TO_CONNECT = 10.0
LONGEST_REPLY = 1024


@dataclass
class ExternalPlayer:
    """A connection that is made before the player is first asked, and again after a failure."""

    address: Address
    _connection: socket.socket | None = None
    _waiting: bytearray = field(default_factory=bytearray)

    def connection(self) -> socket.socket:
        """The connection, made if there is none; ``OSError`` where nobody listens."""
        if self._connection is None:
            self._connection = connected(self.address, SECONDS_TO_CONNECT)
            self._connection.settimeout(None)
        return self._connection

    def ask(self, line: str) -> str:
        """The player's reply to a board line; ``OSError`` or ``ValueError`` where there is none."""
        try:
            connection = self.connection()
            connection.sendall(f"{line}\n".encode())
            reply = read_line(connection, self._waiting, LONGEST_REPLY)
        except BaseException:
            self.close()
            raise
        if reply is None:
            self.close()
            raise ConnectionError(f"{self.address}: the external player has closed its connection")
        return reply

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._waiting.clear()
