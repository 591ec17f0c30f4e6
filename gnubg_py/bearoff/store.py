"""Database files: safetensors, written whole or not at all, checked when opened, memory-mapped.

A file's metadata hold a card: the name of its database, the version, and a CRC-32 of its arrays
with their names, types and shapes. Each process verifies the checksum once, when it opens the file.
That takes a few milliseconds for the usual sizes, and reads pages that will be needed anyway.
safetensors would copy the arrays when it reads a file, so this module reads the header, a short
JSON table, itself, and the arrays are views of the mapped file.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from gnubg_py.files import remove_forgotten, writing_aside
from gnubg_py.messages import say

_VERSION = 2
"""Version 1 was another format."""
CACHE_VARIABLE = "GNUBG_PY_CACHE"

_CARD = "gnubg_py database"  # the key of the card in the metadata
_LENGTH_BYTES = 8
_LONGEST_HEADER = 65536
_DTYPES = {"I8": "<i1", "I32": "<i4", "F32": "<f4", "F64": "<f8"}

Arrays: TypeAlias = dict[str, NDArray[Any]]


class DamagedFileError(ValueError):
    """A database file that cannot be trusted; the message names it and says what is wrong."""


def cache_directory() -> Path:
    """Where databases are kept: ``$GNUBG_PY_CACHE``, or else the user's cache directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else _users_cache()


@cache
def _users_cache() -> Path:
    """The user's cache directory, which takes a tenth of a hint's time to find."""
    from platformdirs import user_cache_path

    return user_cache_path("gnubg_py")


def path_of(name: str) -> Path:
    """The file that holds database ``name``."""
    return cache_directory() / f"{name}.safetensors"


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """CRC-32 of the arrays in order of name, each after its name, type and shape."""
    crc = 0
    for key in sorted(arrays):
        a = np.ascontiguousarray(arrays[key])
        crc = zlib.crc32(f"{key} {a.dtype.str} {a.shape}".encode(), crc)
        crc = zlib.crc32(a.data.cast("B") if a.size else b"", crc)
    return f"{crc:08x}"


def write(path: Path, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Store ``arrays`` as database ``name`` at ``path``, by a temporary file that is renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    card = {"name": name, "version": _VERSION, "crc32": _checksum(arrays)}
    # safetensors writes several metadata entries in no fixed order; with one, equal databases are
    # equal files. Its own function for files makes them readable by their owner only.
    data = save(dict(arrays), {_CARD: json.dumps(card)})
    with writing_aside(path) as file:
        file.write(data)


def read(path: Path, name: str) -> Arrays:
    """The arrays of database ``name`` at ``path``, read-only views of the mapped file.

    ``FileNotFoundError`` when there is none, ``DamagedFileError`` when anything about it is wrong.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < _LENGTH_BYTES:
            raise DamagedFileError(f"{path}: too short for a database")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        card, arrays = _views(mapped)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise DamagedFileError(f"{path}: not a whole safetensors file ({error})") from None
    if card.get("version") != _VERSION:
        raise DamagedFileError(f"{path}: it is not of version {_VERSION}")
    if card.get("name") != name:
        raise DamagedFileError(f"{path}: it holds {card.get('name')!r}, not {name!r}")
    if card.get("crc32") != _checksum(arrays):
        raise DamagedFileError(f"{path}: its checksum does not match its contents")
    return arrays


def _views(mapped: mmap.mmap) -> tuple[dict[str, object], Arrays]:
    """The card and the arrays of a safetensors file: 8 bytes of length, JSON, then the data."""
    length = int.from_bytes(mapped[:_LENGTH_BYTES], "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"a header of {length:,} bytes: at most {_LONGEST_HEADER:,} are read")
    start = _LENGTH_BYTES + length
    table = json.loads(mapped[_LENGTH_BYTES:start])
    card = dict(json.loads(table.pop("__metadata__")[_CARD]))
    arrays: Arrays = {}
    length = start
    for key, entry in table.items():
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        begin, end = (start + int(n) for n in entry["data_offsets"])
        length = max(length, end)
        count = (end - begin) // dtype.itemsize
        arrays[key] = np.frombuffer(mapped, dtype, count, begin).reshape(entry["shape"])
    if length != len(mapped):
        raise ValueError(f"{len(mapped):,} bytes, should be {length:,}")
    return card, arrays


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file at ``path``, so that one process builds at a time. It ends with it."""
    with path.open("a+b") as file:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
            try:
                yield
            finally:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def fetch(name: str, build: Callable[[], Arrays], rebuild: bool = False) -> Arrays:
    """The arrays of database ``name``, from its file, or built and stored.

    One process builds while others wait for it. Where nothing can be written, the database is
    built for this process alone, and a line on stderr says so.
    """
    path = path_of(name)
    if not rebuild:
        with suppress(FileNotFoundError, DamagedFileError):
            return read(path, name)
    built: Arrays | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_suffix(".lock")):
            stored = None if rebuild else _usable(path, name)  # another may just have built it
            if stored is None:
                remove_forgotten(path, 0)  # nobody else writes it now
                built = build()
                write(path, name, built)
                stored = read(path, name)
            return stored
    except OSError as error:
        say(
            f"cannot keep a database in {path.parent} ({error.strerror or error}): "
            f"built for this run alone; {CACHE_VARIABLE} can name another folder"
        )
        built = built or build()
        for a in built.values():
            a.setflags(write=False)
        return built


def _usable(path: Path, name: str) -> Arrays | None:
    """The stored arrays, or None if they must be built; a damaged file is reported on stderr."""
    try:
        return read(path, name)
    except FileNotFoundError:
        return None
    except DamagedFileError as error:
        say(f"{error}; building it again")
        return None
