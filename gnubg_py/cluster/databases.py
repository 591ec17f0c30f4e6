"""Databases on workers: those that a machine does not hold are sent to it, once, as files.

The usual bearoff databases are built everywhere in a second, and are not sent. Larger ones and
those of hypergammon go to one worker of every folder of databases that does not hold a file of the
same checksum. The functions that take no client run on workers.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from gnubg_py.bearoff.hypergammon import hypergammon_name
from gnubg_py.bearoff.one_sided import one_sided_name
from gnubg_py.bearoff.store import cache_directory, path_of
from gnubg_py.bearoff.two_sided import two_sided_name
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF, OneSidedLeaf, TwoSidedLeaf
from gnubg_py.evaluators.hypergammon import HypergammonLeaf
from gnubg_py.files import aside_path, remove_forgotten
from gnubg_py.messages import problem_text, progress, say

LARGEST_SENT = 1 << 30
_PART = 1 << 25

Ask: TypeAlias = Callable[..., Mapping[str, Any]]
"""Called with a function, its arguments and ``workers``: what it returns on each of them."""


def database_of(item: object) -> str | None:
    """The name of the database that a leaf reads; None for other objects and the usual ones."""
    if isinstance(item, OneSidedLeaf) and item != BEAROFF1_LEAF:
        return one_sided_name(item.points)
    if isinstance(item, TwoSidedLeaf) and item != BEAROFF2_LEAF:
        return two_sided_name(item.points, item.checkers)
    return hypergammon_name(item.checkers) if isinstance(item, HypergammonLeaf) else None


class DatabaseSender:
    """Sends databases to the workers of one connection, by ``ask``."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._not_sent: set[str] = set()
        self._cannot: set[tuple[str, str]] = set()

    def send(self, name: str, addresses: list[str] | None) -> bool:
        """Send a database to the workers at these addresses, or all, whose machines lack it.

        False where this process does not hold it either, or it is too large: a worker then builds
        it when it first needs it, with the same contents.
        """
        checksum = None if name in self._not_sent else database_checksum(name)
        if checksum is None:
            self._not_sent.add(name)
            return False
        missing = self._without(name, checksum, addresses)
        size = path_of(name).stat().st_size
        if missing and size > LARGEST_SENT:
            say(
                f"database {name} has {size:,} bytes, and more than {LARGEST_SENT:,} are not sent: "
                "workers build it when they need it, unless you copy it to their machines"
            )
            self._not_sent.add(name)
            return False
        if missing:
            self._send_file(name, size, checksum, missing)
        return True

    def _without(self, name: str, checksum: str, addresses: list[str] | None) -> list[str]:
        """A worker of every folder that lacks a database and can keep it.

        A worker that does not answer is none of them.
        """
        folders = {}
        for one, folder in self._ask(folder_here, workers=addresses).items():
            if not isinstance(folder, BaseException) and (one, name) not in self._cannot:
                folders[folder] = one
        folders.pop(folder_here(), None)
        if not folders:
            return []
        held = self._ask(database_checksum, name, workers=list(folders.values()))
        return [
            one
            for one, theirs in held.items()
            if theirs != checksum and not isinstance(theirs, BaseException)
        ]

    def _send_file(self, name: str, size: int, checksum: str, missing: list[str]) -> None:
        """Send the file in parts, and put it in its place when all have come."""
        token = secrets.token_hex(8)
        with path_of(name).open("rb") as file, progress(size, f"sending {name}") as bar:
            while missing and (part := file.read(_PART)):
                words = keep_part, name, token, file.tell() - len(part), part
                missing = self._those_that_can(name, self._ask(*words, workers=missing))
                bar.update(len(part))
        if missing:
            self._those_that_can(
                name, self._ask(keep_whole, name, token, checksum, workers=missing)
            )

    def _those_that_can(self, name: str, found: Mapping[str, Any]) -> list[str]:
        """The workers that kept what was sent; the others are named, in a line each."""
        for one, problem in found.items():
            if problem is not None:
                self._cannot.add((one, name))
                say(f"worker {one} cannot keep database {name} ({problem_text(problem)})")
        return [one for one, problem in found.items() if problem is None]


def folder_here() -> tuple[str, str, int, int]:
    """What is the same for all processes that keep databases in the same folder as this one."""
    folder = cache_directory()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        found = folder.stat()
        return platform.node(), str(folder.resolve()), found.st_dev, found.st_ino
    return platform.node(), str(folder), 0, 0


def database_checksum(name: str) -> str | None:
    """The checksum of a database's file, None where there is none."""
    try:
        with path_of(name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def keep_part(name: str, token: str, start: int, part: bytes) -> None:
    """Write a part of a file that is being sent."""
    aside = aside_path(path_of(name), token)
    if start == 0:
        remove_forgotten(path_of(name))
    with aside.open("xb" if start == 0 else "r+b") as file:
        file.seek(start)
        file.write(part)


def keep_whole(name: str, token: str, checksum: str) -> None:
    """Put the file in its place when all of it has come."""
    aside = aside_path(path_of(name), token)
    with aside.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != checksum:
        aside.unlink()
        raise OSError("the file came with another checksum")
    os.replace(aside, path_of(name))
