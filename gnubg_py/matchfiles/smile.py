"""Smile, a binary form of JSON: read only.

Its specification is public: https://github.com/FasterXML/smile-format-specification. Numbers with
more digits than a double, and binary data, are passed over: they are read as None.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_HEADER = b":)\n"
_SHARED_NAMES, _SHARED_VALUES = 1, 2
_MOST_SHARED = 1024
_DEEPEST = 60
_END_OF_TEXT = b"\xfc"
_LITERALS: dict[int, object] = {0x20: "", 0x21: None, 0x22: False, 0x23: True}
_START_ARRAY, _END_ARRAY, _START_OBJECT, _END_OBJECT = 0xF8, 0xF9, 0xFA, 0xFB


def from_smile(data: bytes) -> object:
    """The value that is written in ``data``; ``ValueError`` says where it cannot be read.

    >>> from_smile(b":)\\n\\x01\\xfa\\x80a\\xf8\\xc2\\x40b\\xf9\\xfb")
    {'a': [1, 'b']}
    """
    if data[:3] != _HEADER or len(data) < 4:
        raise ValueError("no Smile: it should begin with ':)'")
    reader = _Reader(data, 4, bool(data[3] & _SHARED_NAMES), bool(data[3] & _SHARED_VALUES))
    try:
        return _value(reader, reader.byte(), 0)
    except (IndexError, struct.error):
        raise ValueError(f"the Smile data end too early, after {len(data)} bytes") from None
    except UnicodeDecodeError:
        raise ValueError(f"a text before byte {reader.at} is no UTF-8") from None


@dataclass
class _Reader:
    """The data, the place of the next byte, and the texts that may be referred to again."""

    data: bytes
    at: int
    shares_names: bool
    shares_values: bool
    names: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def byte(self) -> int:
        """The next byte."""
        self.at += 1
        return self.data[self.at - 1]

    def take(self, n: int) -> bytes:
        """The next n bytes."""
        part = self.data[self.at : self.at + n]
        if len(part) < n:
            raise IndexError
        self.at += n
        return part

    def text(self, n: int) -> str:
        """A text of n bytes."""
        return self.take(n).decode("utf-8")

    def long_text(self) -> str:
        """A text up to its end mark."""
        end = self.data.find(_END_OF_TEXT, self.at)
        if end < 0:
            raise IndexError
        text = self.text(end - self.at)
        self.at += 1
        return text

    def number(self) -> int:
        """A number of any length: seven bits a byte, and six in the last one, which is marked."""
        total = 0
        for _ in range(10):
            byte = self.byte()
            if byte & 0x80:
                return total << 6 | byte & 0x3F
            total = total << 7 | byte
        raise ValueError(f"a number before byte {self.at} has no end")

    def bits(self, n: int) -> int:
        """The number in n bytes of seven bits each."""
        total = 0
        for byte in self.take(n):
            total = total << 7 | byte & 0x7F
        return total


def _signed(number: int) -> int:
    """0, 1, 2, 3, 4 stand for 0, -1, 1, -2, 2."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


def _shared(known: list[str], index: int, reader: _Reader) -> str:
    if index >= len(known):
        raise ValueError(f"byte {reader.at} refers to a text that is not there")
    return known[index]


def _remembered(known: list[str], text: str) -> str:
    if len(known) == _MOST_SHARED:
        known.clear()
    known.append(text)
    return text


def _value(reader: _Reader, token: int, depth: int) -> object:
    """The value that begins with a token."""
    if depth > _DEEPEST:
        raise ValueError(f"the Smile data are more than {_DEEPEST} deep")
    if token in _LITERALS:
        return _LITERALS[token]
    if token == _START_ARRAY:
        return _array(reader, depth)
    if token == _START_OBJECT:
        return _object(reader, depth)
    if 0x40 <= token < 0xC0:
        return _short_text(reader, token)
    if 0xC0 <= token < 0xE0:
        return _signed(token & 0x1F)
    if 0x01 <= token < 0x20:
        return _shared(reader.values, token - 1, reader)
    if 0xEC <= token < 0xF0:
        return _shared(reader.values, (token & 3) << 8 | reader.byte(), reader)
    if token in (0xE0, 0xE4):
        return reader.long_text()
    return _odd_value(reader, token)


def _odd_value(reader: _Reader, token: int) -> object:
    """Long numbers and binary data."""
    if token in (0x24, 0x25):
        return _signed(reader.number())
    if token == 0x28:
        return float(struct.unpack(">f", (reader.bits(5) & 0xFFFFFFFF).to_bytes(4))[0])
    if token == 0x29:
        return float(struct.unpack(">d", (reader.bits(10) & (2**64 - 1)).to_bytes(8))[0])
    if token == 0x2A:  # a decimal number: its scale, then its digits
        reader.number()
    if token in (0x26, 0x2A, 0xE8):
        reader.take(-(-8 * reader.number() // 7))
        return None
    if token == 0xFD:
        reader.take(reader.number())
        return None
    raise ValueError(f"byte {reader.at} is {token}, which begins no value")


def _short_text(reader: _Reader, token: int) -> str:
    """A text of up to 65 bytes."""
    ascii_only = token < 0x80
    text = reader.text((token & 0x3F) + (1 if ascii_only else 2))
    return _remembered(reader.values, text) if reader.shares_values else text


def _array(reader: _Reader, depth: int) -> list[object]:
    items: list[object] = []
    while (token := reader.byte()) != _END_ARRAY:
        items.append(_value(reader, token, depth + 1))
    return items


def _object(reader: _Reader, depth: int) -> dict[str, object]:
    items: dict[str, object] = {}
    while (token := reader.byte()) != _END_OBJECT:
        name = _name(reader, token)
        items[name] = _value(reader, reader.byte(), depth + 1)
    return items


def _name(reader: _Reader, token: int) -> str:
    """The name of a member of an object."""
    if 0x40 <= token < 0x80:
        return _shared(reader.names, token - 0x40, reader)
    if 0x30 <= token < 0x34:
        return _shared(reader.names, (token & 3) << 8 | reader.byte(), reader)
    if token == 0x20:
        return ""
    if token == 0x34:
        return reader.long_text()
    if not 0x80 <= token < 0xF8:
        raise ValueError(f"byte {reader.at} is {token}, which begins no name")
    name = reader.text((token & 0x3F) + (1 if token < 0xC0 else 2))
    return _remembered(reader.names, name) if reader.shares_names else name
