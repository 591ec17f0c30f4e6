"""gnubg's Position ID: a board in 14 base64 characters.

Each point is as many 1 bits as it has checkers, then a 0: the other side's 24 points and bar,
then those of the side on roll. That is 50 zeros and at most 30 ones, so 80 bits, filled from the
least significant bit of each byte.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Sequence

import numpy as np

from gnubg_py.board import Board, Boards, check_board
from gnubg_py.errors import NotationError

_ALPHABET = frozenset(string.ascii_letters + string.digits + "+/")
_LENGTH = 14
_BITS = 80
_PLACES = 50


def check_base64(text: str, length: int, name: str) -> None:
    """Raise ``ValueError``, naming the fault, unless ``text`` is ``length`` base64 characters."""
    if len(text) != length:
        raise NotationError(f"{name} {text!r}: {len(text)} characters, should be {length}")
    for place, character in enumerate(text, start=1):
        if character not in _ALPHABET:
            raise NotationError(
                f"{name} {text!r}: {character!r} (character {place}) is not one of A-Z a-z 0-9 + /"
            )


def position_ids(boards: Boards) -> list[str]:
    """Position IDs of ``int8[n, 2, 25]``, which must be possible positions (see ``check_board``).

    >>> from gnubg_py.board import START
    >>> position_ids(START[None])
    ['4HPwATDgc/ABMA']
    """
    n = len(boards)
    counts = boards[:, ::-1].reshape(n, _PLACES).astype(np.int64)
    ends = np.cumsum(counts + 1, axis=1)
    if n and int(ends[:, -1].max()) > _BITS:
        raise NotationError("a position has more than 30 checkers: at most 15 a side")
    bits = np.arange(_BITS)[None, :] < ends[:, -1:]
    bits[np.arange(n)[:, None], ends - 1] = False
    key = np.zeros((n, 12), dtype=np.uint8)  # two spare bytes: base64 takes three at a time
    key[:, :10] = np.packbits(bits, axis=1, bitorder="little")
    text = base64.b64encode(key.tobytes()).decode("ascii")
    return [text[i : i + _LENGTH] for i in range(0, 16 * n, 16)]


def position_id(board: Board) -> str:
    """The Position ID of one board ``int8[2, 25]``."""
    check_board(board)
    return position_ids(np.asarray(board)[None])[0]


def from_position_ids(ids: Sequence[str]) -> Boards:
    """Boards ``int8[n, 2, 25]`` of Position IDs; ``ValueError`` names the first bad one.

    >>> from_position_ids(["4HPwATDgc/ABMA"])[0, 0].nonzero()[0].tolist()
    [5, 7, 12, 23]
    """
    for text in ids:
        check_base64(text, _LENGTH, "Position ID")
    n = len(ids)
    key = np.frombuffer(base64.b64decode("".join(text + "AA" for text in ids)), dtype=np.uint8)
    bits = np.unpackbits(key.reshape(n, 12), axis=1, bitorder="little")
    is_zero = bits == 0
    place = np.cumsum(is_zero, axis=1) - is_zero  # zeros before each bit: the place it counts for
    ones = np.flatnonzero((bits == 1).any(axis=1) & (np.where(bits, place, 0).max(axis=1) >= 50))
    if len(ones):
        raise NotationError(
            f"Position ID {ids[int(ones[0])]!r}: bits are left over after the last bar"
        )
    rows, columns = np.nonzero(bits)
    counts = np.zeros((n, _PLACES), dtype=np.int8)
    np.add.at(counts, (rows, place[rows, columns]), 1)
    boards = np.ascontiguousarray(counts.reshape(n, 2, 25)[:, ::-1])
    for text, board in zip(ids, boards, strict=True):
        try:
            check_board(board)
        except ValueError as error:
            raise NotationError(f"Position ID {text!r}: {error}") from None
    return boards


def from_position_id(text: str) -> Board:
    """The board of one Position ID.

    >>> from_position_id("4HPwATDgc/ABM")
    Traceback (most recent call last):
    gnubg_py.errors.NotationError: Position ID '4HPwATDgc/ABM': 13 characters, should be 14
    """
    return np.array(from_position_ids([text])[0])


def from_position_letters(text: str) -> Board:
    """The board of gnubg-nn's position string: two letters from A to P for each byte of the ID.

    >>> from_position_letters("OAHDPAABDAOAHDPAABDA")[0].nonzero()[0].tolist()
    [5, 7, 12, 23]
    """
    digits = [ord(letter) - ord("A") for letter in text]
    key = bytes(16 * high + low for high, low in zip(digits[::2], digits[1::2], strict=True))
    return from_position_id(base64.b64encode(key).decode("ascii").rstrip("="))
