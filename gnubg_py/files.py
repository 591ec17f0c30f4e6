"""Files that a user names: checked before they are read, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def net_name(path: Path) -> str:
    """The name of a file's net: the file's, or that of the run whose folder it is in.

    >>> net_name(Path("mine.onnx")), net_name(Path("runs/tiny/net.safetensors"))
    ('mine', 'tiny')
    >>> net_name(Path("runs/tiny/best.safetensors"))
    'tiny-best'
    """
    run = path.absolute().parent.name
    return {"net": run, "best": f"{run}-best"}.get(path.stem, path.stem)


def check_source(path: Path, largest: int) -> Path:
    """``path``, an ordinary file of at most ``largest`` bytes; ``ValueError`` where it is none.

    >>> check_source(Path("/"), 1)
    Traceback (most recent call last):
    ValueError: /: is a folder
    """
    if not path.is_file():
        raise ValueError(f"{path}: {'is a folder' if path.is_dir() else 'no such file'}")
    size = path.stat().st_size
    if size > largest:
        raise ValueError(f"{path}: {size:,} bytes: at most {largest:,} are read")
    return path


def check_target(path: Path) -> Path:
    """Where a file named ``path`` is to be written, links followed; ``ValueError`` if it cannot be.

    >>> check_target(Path("/"))
    Traceback (most recent call last):
    ValueError: /: is a folder
    """
    if path.is_dir():
        raise ValueError(f"{path}: is a folder")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is no ordinary file")
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {target.parent}")
    return target


def write_aside(path: Path, data: bytes) -> None:
    """Write ``data`` beside ``path`` and rename it: a full disk leaves the old file as it was."""
    target = check_target(path)
    # Not tempfile's: its files are for their owner's eyes alone, and stay so under a new name.
    aside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(data)
        os.replace(aside, target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
