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

from gnubg_py.bearoff import one_sided, store, two_sided

DATABASES: dict[str, Callable[[], object]] = {
    one_sided.one_sided_name(): one_sided.one_sided_database,
    two_sided.two_sided_name(): two_sided.two_sided_database,
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def small() -> store.Arrays:
    return {"a": np.arange(5, dtype=np.int32), "b": np.linspace(0, 1, 6).reshape(2, 3)}


def same(found: store.Arrays) -> bool:
    return all((found[key] == value).all() for key, value in small().items())


def test_what_is_stored_is_read_back_without_building(cache: Path) -> None:
    def never() -> store.Arrays:
        raise AssertionError("built again")

    assert same(store.fetch("small", small))
    found = store.fetch("small", never)
    assert same(found)
    assert not found["a"].flags.writeable
    assert {p.name for p in cache.iterdir()} == {"small.safetensors", "small.lock"}


def test_the_cache_is_the_users_unless_the_variable_names_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(store.CACHE_VARIABLE, raising=False)
    assert store.cache_directory().name == "gnubg_py"
    monkeypatch.setenv(store.CACHE_VARIABLE, "/somewhere/else")
    assert store.cache_directory() == Path("/somewhere/else")


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("damage", ["truncated", "one bit changed", "empty"])
def test_a_damaged_database_is_named_and_built_again(
    name: str, damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    load = DATABASES[name]
    good = load()
    whole = store.path_of(name).read_bytes()
    path = tmp_path / store.path_of(name).name
    if damage == "truncated":
        path.write_bytes(whole[:-100])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        changed = bytearray(whole)
        changed[len(changed) // 2] ^= 4
        path.write_bytes(changed)
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path))
    rebuilt = load.__wrapped__()  # type: ignore[attr-defined]
    for field, value in vars(good).items():
        assert np.array_equal(getattr(rebuilt, field), value), field
    lines = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert len(lines) == 1
    assert str(path) in lines[0]
    assert lines[0].endswith("building it again")
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'{"', b'["', "not a whole safetensors file"),
        (b'"version\\": 2', b'"version\\": 1', "it is not of version 2"),
        (b'crc32\\": \\"', b'crc32\\": \\"0', "not a whole safetensors file"),
        (b"crc32", b"crc33", "checksum does not match"),
        (b'"shape":[5]', b'"shape":[6]', "cannot reshape"),
        (b'"shape":[2,3]', b'"shape":[3,2]', "checksum does not match"),
        (b'"dtype":"I32"', b'"dtype":"I64"', "I64"),
        (b'"a":', b'"c":', "checksum does not match"),
        (b"__metadata__", b"__metadatum_", "not a whole safetensors file"),
    ],
)
def test_everything_in_the_header_is_checked(
    cache: Path, old: bytes, new: bytes, message: str
) -> None:
    store.fetch("small", small)
    path = store.path_of("small")
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(store.DamagedFileError, match=message) as error:
        store.read(path, "small")
    assert str(path) in str(error.value)
    assert same(store.fetch("small", small))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x05" * 7, "too short"),
        (b"\xff" * 100, "at most 65,536 are read"),
        ((60000).to_bytes(8, "little") + b"[" * 60000, "not a whole safetensors file"),
        ((2).to_bytes(8, "little") + b"{}", "not a whole safetensors file"),
    ],
)
def test_files_that_are_no_databases_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(store.DamagedFileError, match=message):
        store.read(tmp_path / "x", "small")


def test_a_file_under_another_databases_name_is_not_trusted(cache: Path) -> None:
    store.fetch("small", small)
    shutil.copy(store.path_of("small"), store.path_of("other"))
    with pytest.raises(store.DamagedFileError, match="it holds 'small', not 'other'"):
        store.read(store.path_of("other"), "other")


def test_a_build_that_stops_leaves_no_file(cache: Path) -> None:
    def stopped() -> store.Arrays:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.fetch("small", stopped)
    assert [p.name for p in cache.iterdir()] == ["small.lock"]


def test_a_write_that_fails_leaves_no_file_and_the_arrays_are_used(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert same(store.fetch("small", small))
    assert "No space left on device" in capsys.readouterr().err
    assert [p.name for p in cache.iterdir()] == ["small.lock"]


def test_half_files_of_killed_builds_are_cleared_away(cache: Path) -> None:
    cache.mkdir()
    half = cache / ".small.safetensors.0123456789abcdef.part"
    half.write_bytes(b"half")
    store.fetch("small", small)
    assert not half.exists()


def test_where_nothing_can_be_written_the_database_is_built_for_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(store.CACHE_VARIABLE, str(tmp_path / "file"))
    assert same(store.fetch("small", small))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "built for this run alone" in lines[0]


KILLED = """
import os, signal
import numpy as np
from gnubg_py.bearoff import store
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
store.fetch("small", lambda: {"a": np.arange(5, dtype=np.int32)})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_build_killed_while_it_writes_is_done_again(cache: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], timeout=60, check=False)
    assert killed.returncode == -9
    assert not store.path_of("small").exists()
    assert same(store.fetch("small", small))
    assert {p.name for p in cache.iterdir()} == {"small.safetensors", "small.lock"}


BOTH = """
import time
import numpy as np
from gnubg_py.bearoff import store
def build():
    with open(store.cache_directory() / "builds", "a") as log:
        log.write("built\\n")
    time.sleep(0.5)
    return {"a": np.arange(1000, dtype=np.int32)}
assert store.fetch("both", build)["a"].sum() == 499500
"""


def test_of_two_builds_at_once_one_builds_and_the_other_reads(cache: Path) -> None:
    cache.mkdir()
    running = [subprocess.Popen([sys.executable, "-c", BOTH]) for _ in range(2)]
    assert [p.wait(timeout=60) for p in running] == [0, 0]
    assert (cache / "builds").read_text() == "built\n"
    assert store.read(store.path_of("both"), "both")["a"].sum() == 499500
    assert not list(cache.glob("*.part"))
