"""What Position IDs and Match IDs share: they are plain base64 of a fixed length."""

from __future__ import annotations

import string

from gnubg_py.errors import NotationError

_ALPHABET = frozenset(string.ascii_letters + string.digits + "+/")


def check_base64(text: str, length: int, name: str) -> None:
    """Raise ``ValueError``, naming the fault, unless ``text`` is ``length`` base64 characters."""
    if len(text) != length:
        raise NotationError(f"{name} {text!r}: {len(text)} characters, should be {length}")
    for place, character in enumerate(text, start=1):
        if character not in _ALPHABET:
            raise NotationError(
                f"{name} {text!r}: {character!r} (character {place}) is not one of A-Z a-z 0-9 + /"
            )
