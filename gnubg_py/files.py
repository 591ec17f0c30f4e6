"""Files that a user names: checked before they are read, written whole or not at all.

Every untrusted file is read through this module. A reader gets an ordinary file of limited size;
``open_source`` with ``pipes=True`` also accepts a FIFO, ``/dev/stdin`` or a terminal. The kind of
file is checked on the open file, so that nobody can replace it between the check and the reading.
"""

from __future__ import annotations

import glob
import gzip
import json
import math
import os
import secrets
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from gnubg_py.errors import FileError

DEEPEST_JSON = 64
"""How many brackets may be open at once in JSON that is read."""
LARGEST_TEXT = 20 << 20
LARGEST_LINES = 1 << 30
LARGEST_UNZIPPED = 1 << 28
"""The most bytes of a file of lines, plain and after it was unzipped."""
_LONGEST_LINE = 1 << 20
MOST_LINES = 5_000_000

_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
_SUFFIX = ".part"
_FORGOTTEN = 3600.0  # a partly written file older than these seconds was left by a killed process


def net_name(path: Path) -> str:
    """The name of the net in a file: the name of the file, or of the training run's folder.

    >>> net_name(Path("mine.onnx")), net_name(Path("runs/tiny/net.safetensors"))
    ('mine', 'tiny')
    >>> net_name(Path("runs/tiny/best.safetensors"))
    'tiny-best'
    """
    run = path.absolute().parent.name
    return {"net": run, "best": f"{run}-best"}.get(path.stem, path.stem)


def check_source(path: Path, largest: int) -> Path:
    """Return ``path`` if it is an ordinary file of at most ``largest`` bytes, else ``ValueError``.

    >>> check_source(Path("/"), 1)
    Traceback (most recent call last):
    gnubg_py.errors.FileError: /: is a folder
    """
    with open_source(path, largest):
        return path


def read_bytes(path: Path, largest: int) -> bytes:
    """All bytes of a file, at most ``largest``; ``ValueError`` says in one line what is wrong."""
    try:
        with open_source(path, largest) as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    if len(data) > largest:
        raise FileError(f"{path}: larger than the {largest:,} bytes that are read")
    return data


def read_text(path: Path, largest: int = LARGEST_TEXT, latin: bool = False) -> str:
    """The text of a file; ``ValueError`` where it is too large or not text.

    With ``latin``, a file that is not UTF-8 is read as Latin-1, as older programs wrote it.
    """
    data = read_bytes(path, largest)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not latin:
            raise FileError(f"{path}: not a text file: byte {error.start} is not UTF-8") from None
        text = data.decode("latin-1")
    if "\0" in text:
        raise FileError(f"{path}: not a text file: it has a zero byte")
    return text


def parse_json(text: str) -> Any:
    """The value of JSON text; ``ValueError`` for what is not JSON, or is nested too deep.

    >>> parse_json("[" * 100 + "]" * 100)
    Traceback (most recent call last):
    ValueError: brackets are nested more than 64 deep
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"brackets are nested more than {DEEPEST_JSON} deep") from None
    level = [value]
    for _ in range(DEEPEST_JSON + 1):
        level = [inner for item in level for inner in _contents(item)]
        if not level:
            return value
    raise ValueError(f"brackets are nested more than {DEEPEST_JSON} deep")


def _contents(value: Any) -> list[Any]:
    """The lists and dicts directly inside a list or dict."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in inner if isinstance(item, (dict, list))]


def without_nan(value: Any) -> Any:
    """A JSON value with null in place of nan and infinity, which JSON does not have.

    >>> without_nan({"error": 1.0, "rest": [float("nan")]})
    {'error': 1.0, 'rest': [None]}
    """
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path) -> Any:
    """The value in a JSON file; ``ValueError`` says in one line what is wrong."""
    text = read_text(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise FileError(f"{path}: not JSON: {error}") from None


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, gzipped or not, so that little memory is used."""
    total = 0
    for number, data in enumerate(_raw_lines(path), 1):
        total += len(data)
        if len(data) > _LONGEST_LINE:
            raise FileError(f"{path}, line {number}: longer than {_LONGEST_LINE:,} bytes")
        if number > MOST_LINES:
            raise FileError(f"{path}: more than the {MOST_LINES:,} lines that are read")
        try:
            yield data.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise FileError(f"{path}, line {number}: not a text file ({error})") from None


def _raw_lines(path: Path) -> Iterator[bytes]:
    try:
        with open_source(path, LARGEST_LINES) as file:
            zipped = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            room = LARGEST_UNZIPPED if zipped else LARGEST_LINES
            lines: Any = gzip.GzipFile(fileobj=file) if zipped else file
            while data := lines.readline(_LONGEST_LINE + 1):
                room -= len(data)
                if room < 0:
                    what = "unzips to more" if zipped else "larger"
                    largest = LARGEST_UNZIPPED if zipped else LARGEST_LINES
                    raise FileError(f"{path}: {what} than the {largest:,} bytes that are read")
                yield data
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path}: cannot be read ({error})") from None


def open_source(path: Path, largest: int, pipes: bool = False) -> BinaryIO:
    """Open a file; ``ValueError`` if its kind or its size is not allowed."""
    # Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
    flags = 0 if pipes else getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | flags)
        file = os.fdopen(descriptor, "rb")
    except IsADirectoryError:
        raise FileError(f"{path}: is a folder") from None
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode):
        wrong = found.st_size > largest and f"{found.st_size:,} bytes: at most {largest:,} are read"
    else:
        ends = pipes and _streams(file, found)
        wrong = not ends and f"is {_kind(found)}, where a file is needed"
    if wrong:
        file.close()
        raise FileError(f"{path}: {wrong}")
    return file


def _streams(file: BinaryIO, found: os.stat_result) -> bool:
    """Whether the open file is a pipe, a terminal or ``/dev/null``, which come to an end."""
    if stat.S_ISFIFO(found.st_mode) or file.isatty():
        return True
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev


def _kind(found: os.stat_result) -> str:
    return next((name for test, name in _KINDS if test(found.st_mode)), "a device")


def check_target(path: Path) -> Path:
    """The path to write to for ``path``, with links resolved; ``ValueError`` if that is impossible.

    >>> check_target(Path("/"))
    Traceback (most recent call last):
    gnubg_py.errors.FileError: /: is a folder
    """
    if path.is_dir():
        raise FileError(f"{path}: is a folder")
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: is no ordinary file")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(f"{path}: there is no folder {target.parent}")
    return target


def write_aside(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path`` and rename it: a full disk leaves the old file as it was."""
    try:
        with writing_aside(check_target(path)) as file:
            file.write(data)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


@contextmanager
def writing_aside(target: Path) -> Iterator[BinaryIO]:
    """A file to write that is renamed to ``target`` when all of it is on the disk.

    Until then it has a random name in the same folder. If that name already exists, for example as
    a link, nothing is written. A later save removes the files that killed processes left.
    """
    remove_forgotten(target)
    aside = aside_path(target, secrets.token_hex(8))
    try:
        # Files of tempfile could be read only by their owner, also after they are renamed.
        with aside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, target)
    except BaseException:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def aside_path(target: Path, token: str) -> Path:
    """The place of a partly written file for ``target``, which ``remove_forgotten`` knows."""
    return target.with_name(f"{_aside_name(target)}{token}{_SUFFIX}")


def remove_forgotten(target: Path, seconds: float = _FORGOTTEN) -> None:
    """Remove the partly written files for ``target`` that are older than ``seconds``."""
    with suppress(OSError):
        for left in target.parent.glob(f"{glob.escape(_aside_name(target))}*{_SUFFIX}"):
            with suppress(OSError):
                if time.time() - left.lstat().st_mtime > seconds:
                    left.unlink()


def _aside_name(target: Path) -> str:
    return f".{target.name[:100]}."
