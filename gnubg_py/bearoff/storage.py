"""Database files: written whole or not at all, checked when opened, memory-mapped.

A file is a fixed head (magic, version, sizes, checksum), a JSON table of its arrays, and the
arrays themselves, each beginning at a multiple of 64 bytes. The checksum is a CRC-32 of all that
follows the head, taken once a process, when the file is opened. It leaves nothing unchecked and
costs a few milliseconds for the usual sizes, which reading the pages in would cost anyway.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnubg_py.messages import say

MAGIC = b"GPYBEAR\n"
VERSION = 1
CACHE_VARIABLE = "GNUBG_PY_CACHE"

_HEAD = struct.Struct("<8sIIQQ")  # magic, version, CRC-32, length of the table, length of the file
_ALIGN = 64
_PART = ".part"  # what the name of a file being written ends in
_DTYPES = {"i1", "i4", "f4", "f8"}

Arrays: TypeAlias = dict[str, NDArray[Any]]


class DamagedFileError(ValueError):
    """A database file that cannot be trusted; the message names it and says what is wrong."""


def cache_directory() -> Path:
    """Where databases are kept: ``$GNUBG_PY_CACHE``, or else the user's cache directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("gnubg_py")


def _aligned(n: int) -> int:
    return -(-n // _ALIGN) * _ALIGN


def _table(name: str, arrays: Mapping[str, NDArray[Any]]) -> tuple[bytes, list[int], int]:
    """The JSON table, where each array begins in the file, and the file's length."""
    entries: list[dict[str, object]] = [
        {"name": key, "dtype": a.dtype.str[1:], "shape": list(a.shape)} for key, a in arrays.items()
    ]
    text = json.dumps({"database": name, "arrays": entries}).encode()
    starts = []
    end = _aligned(_HEAD.size + len(text))
    for a in arrays.values():
        starts.append(end)
        end = _aligned(end + a.nbytes)
    return text, starts, end


def write(path: Path, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Store ``arrays`` as database ``name`` at ``path``: under another name first, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{_PART}")
    try:
        with temporary.open("wb") as file:
            _write_file(file, name, arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_file(file: BinaryIO, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    text, starts, length = _table(name, arrays)
    pieces: list[tuple[int, Any]] = [(_HEAD.size, text)]
    for start, a in zip(starts, arrays.values(), strict=True):
        pieces.append((start, np.ascontiguousarray(a, a.dtype.newbyteorder("<")).data.cast("B")))
    pieces.append((length, b""))
    crc = 0
    position = _HEAD.size
    file.seek(position)
    for start, data in pieces:
        for piece in (bytes(start - position), data):
            file.write(piece)
            crc = zlib.crc32(piece, crc)
        position = start + len(data)
    file.seek(0)
    file.write(_HEAD.pack(MAGIC, VERSION, crc, len(text), length))


def read(path: Path, name: str) -> Arrays:
    """The arrays of database ``name`` at ``path``, read-only views of the mapped file.

    ``FileNotFoundError`` when there is none, ``DamagedFileError`` when anything about it is wrong.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _HEAD.size:
            raise DamagedFileError(f"{path}: {size} bytes, too short for a bearoff database")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    magic, version, crc, text_length, length = _HEAD.unpack_from(mapped)
    if magic != MAGIC:
        raise DamagedFileError(f"{path}: not a gnubg_py bearoff database")
    if version != VERSION:
        raise DamagedFileError(f"{path}: version {version}, this program reads version {VERSION}")
    if size != length:
        raise DamagedFileError(f"{path}: {size} bytes, should be {length}")
    with memoryview(mapped) as view, view[_HEAD.size :] as body:
        if zlib.crc32(body) != crc:
            raise DamagedFileError(f"{path}: its checksum does not match its contents")
    try:
        return _views(mapped, text_length, name)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path}: its table of arrays is wrong ({error})") from None


def _views(mapped: mmap.mmap, text_length: int, name: str) -> Arrays:
    table = json.loads(mapped[_HEAD.size : _HEAD.size + text_length])
    if table["database"] != name:
        raise ValueError(f"it holds {table['database']!r}, not {name!r}")
    arrays: Arrays = {}
    end = _aligned(_HEAD.size + text_length)
    for entry in table["arrays"]:
        if entry["dtype"] not in _DTYPES:
            raise ValueError(f"unknown type {entry['dtype']!r}")
        dtype = np.dtype("<" + entry["dtype"])
        shape = tuple(int(n) for n in entry["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        arrays[entry["name"]] = np.frombuffer(mapped, dtype, count, end).reshape(shape)
        end = _aligned(end + count * dtype.itemsize)
    return arrays


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock file at ``path``: one builder at a time. It ends with its process."""
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


def path_of(name: str) -> Path:
    """The file that holds database ``name``."""
    return cache_directory() / f"{name}.bearoff"


def _usable(path: Path, name: str) -> Arrays | None:
    """The arrays stored, or None when they must be built; says on stderr what it cannot trust."""
    try:
        return read(path, name)
    except FileNotFoundError:
        return None
    except DamagedFileError as error:
        say(f"{error}; building it again")
        return None


def fetch(name: str, build: Callable[[], Arrays], rebuild: bool = False) -> Arrays:
    """The arrays of database ``name``, from its file, or built and stored.

    One process builds while others wait for it. Where nothing can be written, the database is
    built for this process alone, and a line on stderr says so.
    """
    path = path_of(name)
    built: Arrays | None = None
    damaged = ""
    try:
        if not rebuild:
            try:
                return read(path, name)
            except FileNotFoundError:
                pass
            except DamagedFileError as error:
                damaged = f"{error}; "
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_suffix(".lock")):
            # Looked at again here, where no other process can be building it.
            stored = None if rebuild else _usable(path, name)
            if stored is None:
                for left_over in path.parent.glob(f"{path.name}.*{_PART}"):
                    left_over.unlink(missing_ok=True)
                built = build()
                write(path, name, built)
                stored = read(path, name)
            return stored
    except OSError as error:
        say(
            f"{damaged}cannot keep a database in {path.parent} ({error.strerror}): "
            f"built for this run alone; {CACHE_VARIABLE} can name another folder"
        )
        built = built or build()
        for a in built.values():
            a.setflags(write=False)
        return built
