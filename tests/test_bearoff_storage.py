"""Database files: whole or absent, checked, rebuilt, and safe with several processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gnubg_py.bearoff import one_sided, storage, turns, two_sided

DATABASES: dict[str, Callable[[], object]] = {
    one_sided.name_of(): one_sided.load,
    two_sided.name_of(): two_sided.load,
    turns.NAME: turns.load,
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(storage.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def small() -> storage.Arrays:
    return {"a": np.arange(5, dtype=np.int32), "b": np.linspace(0, 1, 6).reshape(2, 3)}


def same(found: storage.Arrays) -> bool:
    return all((found[key] == value).all() for key, value in small().items())


def test_what_is_stored_is_read_back_without_building(cache: Path) -> None:
    def never() -> storage.Arrays:
        raise AssertionError("built again")

    assert same(storage.fetch("small", small))
    found = storage.fetch("small", never)
    assert same(found)
    assert not found["a"].flags.writeable
    assert {p.name for p in cache.iterdir()} == {"small.bearoff", "small.lock"}


def test_the_cache_is_the_users_unless_the_variable_names_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(storage.CACHE_VARIABLE, raising=False)
    assert storage.cache_directory().name == "gnubg_py"
    monkeypatch.setenv(storage.CACHE_VARIABLE, "/somewhere/else")
    assert storage.cache_directory() == Path("/somewhere/else")


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("damage", ["truncated", "one bit changed", "empty"])
def test_a_damaged_database_is_named_and_built_again(
    name: str, damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    load = DATABASES[name]
    good = load()
    whole = storage.path_of(name).read_bytes()
    path = tmp_path / storage.path_of(name).name
    if damage == "truncated":
        path.write_bytes(whole[:-100])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        changed = bytearray(whole)
        changed[len(changed) // 2] ^= 4
        path.write_bytes(changed)
    monkeypatch.setenv(storage.CACHE_VARIABLE, str(tmp_path))
    rebuilt = load.__wrapped__()  # type: ignore[attr-defined]
    for field, value in vars(good).items():
        assert np.array_equal(getattr(rebuilt, field), value), field
    lines = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert len(lines) == 1
    assert str(path) in lines[0]
    assert lines[0].endswith("building it again")
    assert path.read_bytes() == whole


def changed(path: Path, offset: int, value: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[offset : offset + len(value)] = value
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (0, b"X", "not a gnubg_py bearoff database"),
        (8, b"\x09", "version 9, this program reads version 1"),
        (12, b"\x00\x00\x00\x00", "checksum does not match"),
        (16, b"\x05", "its table of arrays is wrong"),
        (24, b"\x05", "bytes, should be"),
        (40, b"X", "checksum does not match"),
    ],
)
def test_every_field_of_the_head_is_checked(
    cache: Path, offset: int, value: bytes, message: str
) -> None:
    storage.fetch("small", small)
    path = storage.path_of("small")
    changed(path, offset, value)
    with pytest.raises(storage.DamagedFileError, match=message) as error:
        storage.read(path, "small")
    assert str(path) in str(error.value)
    assert same(storage.fetch("small", small))


def test_a_file_under_another_databases_name_is_not_trusted(cache: Path) -> None:
    storage.fetch("small", small)
    shutil.copy(storage.path_of("small"), storage.path_of("other"))
    with pytest.raises(storage.DamagedFileError, match="it holds 'small', not 'other'"):
        storage.read(storage.path_of("other"), "other")


def test_a_build_that_stops_leaves_no_file(cache: Path) -> None:
    def stopped() -> storage.Arrays:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        storage.fetch("small", stopped)
    assert [p.name for p in cache.iterdir()] == ["small.lock"]


def test_a_write_that_fails_leaves_no_file_and_the_arrays_are_used(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert same(storage.fetch("small", small))
    assert "No space left on device" in capsys.readouterr().err
    assert [p.name for p in cache.iterdir()] == ["small.lock"]


def test_half_files_of_killed_builds_are_cleared_away(cache: Path) -> None:
    cache.mkdir()
    half = cache / "small.bearoff.123.part"
    half.write_bytes(b"half")
    storage.fetch("small", small)
    assert not half.exists()


def test_where_nothing_can_be_written_the_database_is_built_for_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(storage.CACHE_VARIABLE, str(tmp_path / "file"))
    assert same(storage.fetch("small", small))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "built for this run alone" in lines[0]


KILLED = """
import os, signal
import numpy as np
from gnubg_py.bearoff import storage
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
storage.fetch("small", lambda: {"a": np.arange(5, dtype=np.int32)})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_build_killed_while_it_writes_is_done_again(cache: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], timeout=60, check=False)
    assert killed.returncode == -9
    assert not storage.path_of("small").exists()
    assert same(storage.fetch("small", small))
    assert {p.name for p in cache.iterdir()} == {"small.bearoff", "small.lock"}


BOTH = """
import time
import numpy as np
from gnubg_py.bearoff import storage
def build():
    with open(storage.cache_directory() / "builds", "a") as log:
        log.write("built\\n")
    time.sleep(0.5)
    return {"a": np.arange(1000, dtype=np.int32)}
assert storage.fetch("both", build)["a"].sum() == 499500
"""


def test_of_two_builds_at_once_one_builds_and_the_other_reads(cache: Path) -> None:
    cache.mkdir()
    running = [subprocess.Popen([sys.executable, "-c", BOTH]) for _ in range(2)]
    assert [p.wait(timeout=60) for p in running] == [0, 0]
    assert (cache / "builds").read_text() == "built\n"
    assert storage.read(storage.path_of("both"), "both")["a"].sum() == 499500
    assert not list(cache.glob("*.part"))
