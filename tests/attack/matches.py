"""Match files with a few bytes changed: never half a match without a word.

A reader may refuse a file in one line, or warn. Where it does neither, a small damage must not
have cost more than a part of the match.
"""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.registry import TITLES, read_as, read_match
from tests.attack.formats import FORMATS, Format

MATCHES = {form.name.removeprefix("match."): form for form in FORMATS if "match." in form.name}
_LEAST = 0.5
"""The part of the actions that a file must keep where nothing is said."""
_ODD = b"\0\r\n\t ;:()[]{}\"'/*-+0123456789aAzZ\xff\xc3\xa9"


def attack(seed: int, folder: Path, rounds: int = 20) -> int:
    """Read files of every format with small damages, ``rounds`` of each; how many were read."""
    for name, form in MATCHES.items():
        generator = random.Random(f"{name} {seed}")
        for _ in range(rounds):
            _attack_one(generator, name, form, folder)
    return rounds * len(MATCHES)


def _attack_one(generator: random.Random, name: str, form: Format, folder: Path) -> None:
    number = generator.randrange(12)
    good, whole, path = form.sample(number), _whole(name, number), folder / form.name
    damaged = nicked(generator, good)
    reader = name if generator.random() < 0.8 else "auto"
    try:
        contents = _read(path, damaged, reader)
    except ValueError as problem:
        if "\n" in str(problem):
            raise AssertionError(f"{name}: a complaint of several lines") from problem
        return
    if any("\n" in warning for warning in contents.warnings):
        raise AssertionError(f"{name}: a warning of several lines")
    kept = _actions(contents)
    if not contents.warnings and kept < _LEAST * whole:
        raise AssertionError(f"{name}: {kept} of {whole} actions were read without a word")


@cache
def _whole(name: str, number: int) -> int:
    """How many actions a good sample of a format has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"whole.{name}"
        return _actions(_read(path, MATCHES[name].sample(number), name))


def _read(path: Path, data: bytes, name: str) -> MatchContents:
    path.write_bytes(data)
    return read_match(path) if name == "auto" else read_as(name, path)


def _actions(contents: MatchContents) -> int:
    return sum(len(game.actions) for game in contents.record.games)


def nicked(generator: random.Random, data: bytes) -> bytes:
    """``data`` with one or two bytes changed, left out, or put in."""
    out = bytearray(data)
    for _ in range(generator.choice((1, 1, 2))):
        place = generator.randrange(len(out))
        byte = generator.choice((generator.choice(_ODD), generator.randrange(256)))
        kind = generator.randrange(3)
        if kind == 0:
            out[place] = byte
        elif kind == 1:
            del out[place]
        else:
            out.insert(place, byte)
    return bytes(out)


assert set(MATCHES) <= set(TITLES)
