"""Every file format that the program reads: a good file of each, and how it is read.

A reader may refuse a file with ``ValueError`` in one line; whatever else it raises is a fault.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gnubg_py.bearoff.store import read as read_database
from gnubg_py.bearoff.store import write as write_database
from gnubg_py.board import START
from gnubg_py.cube.met_xml import read_met
from gnubg_py.files import read_text
from gnubg_py.game.record import MatchRecord
from gnubg_py.match import MatchState
from gnubg_py.matchfiles.contents import MatchContents
from gnubg_py.matchfiles.registry import TITLES, format_named, read_as
from gnubg_py.matchfiles.saved import as_json, load_match, save_match
from gnubg_py.notation import from_xgid, parse_position, position_id, xgid
from tests.attack.mutations import mutated_bytes, mutated_json
from tests.match_samples import MAT_STYLES, WRITERS, analysed
from tests.onnx_files import write_linear_onnx
from tests.random_matches import random_match


@dataclass(frozen=True)
class Format:
    """A kind of file: the name of its files, good contents by seed, and its reader."""

    name: str
    sample: Callable[[int], bytes]
    read: Callable[[Path], object]
    is_json: bool = False


@cache
def _match(seed: int) -> MatchRecord:
    return random_match(seed, length=3, games=2)


@cache
def _analysed_match(seed: int) -> MatchContents:
    return analysed(_match(seed))


def _match_formats() -> tuple[Format, ...]:
    """Every format of match files that can be read, as the registry has them."""
    return tuple(
        Format(f"match.{name}", _match_sample(name), _match_reader(name), is_json=name == "saved")
        for name in TITLES
        if format_named(name).read is not None
    )


def _match_sample(name: str) -> Callable[[int], bytes]:
    return lambda seed: _match_file(name, seed % 12)


@cache
def _match_file(name: str, seed: int) -> bytes:
    """A good file; .mat files are in the styles of several programs in turn."""
    record = _match(seed % 3)
    if name in WRITERS:
        return WRITERS[name](record)
    if name == "mat":
        return MAT_STYLES[seed % len(MAT_STYLES)](record)
    write = format_named(name).write
    assert write is not None
    return write(_analysed_match(seed % 3)).encode()


def _match_reader(name: str) -> Callable[[Path], object]:
    """Whatever loads can be saved, loaded again, and written in another format (each in turn)."""

    def read(path: Path) -> None:
        contents = read_as(name, path)
        copy = path.with_name("copy.json")
        save_match(contents, copy)
        assert as_json(load_match(copy)) == as_json(contents.record)
        other = list(TITLES)[path.stat().st_size % len(TITLES)]
        form = format_named(other)
        if form.write is not None:
            with contextlib.suppress(ValueError):  # some have no place for beavers, say
                again = _written(path.with_name(f"copy.{other}"), form.write(contents))
                if form.read is not None:
                    read_as(other, again)

    return read


def _written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


@cache
def rollout_sample(seed: int) -> bytes:
    from gnubg_py.evaluators.registry import evaluator_named
    from gnubg_py.rollouts.run import rollout
    from gnubg_py.rollouts.settings import RolloutSettings

    settings = RolloutSettings(trials=36, truncate=1)
    fast = evaluator_named("fast")
    result = rollout((START, MatchState()), settings, dice=(3, 1), best=2, evaluator=fast)
    return json.dumps(result.to_dict()).encode()


def _read_rollout(path: Path) -> None:
    """Whatever loads prints, and comes back from its own JSON."""
    from gnubg_py.rollouts.result import load_result, result_from_dict

    result = load_result(path)
    str(result)
    result_from_dict(json.loads(json.dumps(result.to_dict())))


@cache
def _met() -> bytes:
    def row(*values: float) -> str:
        return "<row>" + "".join(f"<me> {value} </me>" for value in values) + "</row>"

    rows = row(0.5, 0.7, 0.75) + row(0.3, 0.5, 0.6) + row(0.25, 0.4, 0.5)
    return (
        '<?xml version="1.0"?><!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD" "met.dtd"><met>'
        "<info><name>A table</name><length>3</length></info>"
        f'<pre-crawford-table type="explicit">{rows}</pre-crawford-table>'
        f'<post-crawford-table type="explicit" player="both">{row(0.5, 0.48, 0.32)}'
        "</post-crawford-table></met>"
    ).encode()


@cache
def _net() -> bytes:
    from safetensors.numpy import save

    from gnubg_py.network.weights import WEIGHTS_FORMAT, Architecture, Weights, checksum

    shapes = [(4, 206), (4,), (6, 4), (6,)]
    arrays = [np.full(shape, 0.1, np.float32) for shape in shapes]
    layers = ((arrays[0], arrays[1]), (arrays[2], arrays[3]))
    weights = Weights(Architecture((4,)), layers)
    names = ("layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias")
    metadata = {
        "format": WEIGHTS_FORMAT,
        "architecture": json.dumps(vars(weights.architecture)),
        "checksum": checksum(weights),
        "note": json.dumps({"positions": 5, "by": ["x", {"y": 1}]}),
    }
    return save(dict(zip(names, arrays, strict=True)), metadata)


def _read_net(path: Path) -> None:
    from gnubg_py.commands.net import card_text
    from gnubg_py.network.weights import load_weights

    text = card_text(path, load_weights(path))
    assert text.replace("\n", "").isprintable()


@cache
def _torch() -> bytes:
    import torch

    linear, file = torch.nn.Linear, io.BytesIO()
    torch.save(torch.nn.Sequential(linear(206, 4), linear(4, 6)).state_dict(), file)
    return file.getvalue()


def _read_torch(path: Path) -> None:
    from gnubg_py.network.state_dict import import_state_dict
    from gnubg_py.network.weights import Architecture

    import_state_dict(path, Architecture())


@cache
def _onnx() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        write_linear_onnx(path, np.full((206, 6), 0.1, np.float32), np.zeros(6, np.float32))
        return path.read_bytes()


def _read_onnx(path: Path) -> None:
    from gnubg_py.network.leaf import load_onnx

    load_onnx(path)


@cache
def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "database"
        write_database(path, "small", {"a": np.arange(40, dtype=np.int32).reshape(5, 8)})
        return path.read_bytes()


def _decision_lines() -> list[Any]:
    return [
        {"id": "4HPwATDgc/ABMA", "class": "contact", "dice": [3, 1],
         "plays": [["4HPwATDgc/ABMA", 0.1, 2]]},
        {"id": "4HPwATDgc/ABMA", "class": "contact", "dice": [3, 1],
         "plays": [[_after("31"), 0.15, 2]]},
    ]  # fmt: skip


@cache
def _after(dice: str) -> str:
    from gnubg_py.plays import plays

    return position_id(plays(START, (int(dice[0]), int(dice[1])))[0])


def _decisions(seed: int) -> bytes:
    return json.dumps(_decision_lines()[1]).encode()


def _read_decisions(path: Path) -> None:
    from gnubg_py.compare.decisions import read_decisions

    read_decisions(path)


def _zipped_decisions(seed: int) -> bytes:
    return gzip.compress(b"\n".join([_decisions(seed)] * 20))


def _cube_decisions(seed: int) -> bytes:
    line = {"id": "4HPwATDgc/ABMA", "cube": 2, "owner": "own", "away": [3, 5], "crawford": False,
            "nd": 0.5, "dt": 0.4, "dp": 1.0}  # fmt: skip
    return json.dumps(line).encode()


def _read_cube_decisions(path: Path) -> None:
    from gnubg_py.compare.cube_decisions import read_cube_decisions

    read_cube_decisions(path)


def _positions(seed: int) -> bytes:
    lines = [f"{position_id(START)} 31", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10",
             "x 6:2 / o 1:2 66  # a race", ""]  # fmt: skip
    return "\n".join(lines).encode()


def _read_positions(path: Path) -> None:
    from gnubg_py.compare.decisions import read_positions

    read_positions(path)


def _ids(seed: int) -> bytes:
    record = _match(seed % 3)
    position = record.games[0].positions[seed % len(record.games[0].positions)]
    return f"{position.gnubg_id}".encode()


def _read_ids(path: Path) -> None:
    """Whatever is read as a position is written and read again the same."""
    board, match = parse_position(read_text(path, latin=True).strip()[:300])
    if match.match_length <= 64 and not match.resigned:
        with contextlib.suppress(ValueError):  # an XGID holds fewer states than a Match ID
            again = from_xgid(xgid(board, match))
            assert (again[0] == board).all()


FORMATS = (
    *_match_formats(),
    Format("rollout.json", lambda seed: rollout_sample(0), _read_rollout, is_json=True),
    Format("met.xml", lambda seed: _met(), read_met),
    Format("net.safetensors", lambda seed: _net(), _read_net),
    Format("net.pt", lambda seed: _torch(), _read_torch),
    Format("net.onnx", lambda seed: _onnx(), _read_onnx),
    Format(
        "database.safetensors",
        lambda seed: _database(),
        lambda path: read_database(path, "small"),
    ),
    Format("decisions.jsonl", _decisions, _read_decisions, is_json=True),
    Format("decisions.jsonl.gz", _zipped_decisions, _read_decisions),
    Format("cube.jsonl", _cube_decisions, _read_cube_decisions, is_json=True),
    Format("positions.txt", _positions, _read_positions),
    Format("position.txt", _ids, _read_ids),
)


ROUNDS = 20


def attack(
    seed: int, folder: Path, rounds: int = ROUNDS, formats: tuple[Format, ...] = FORMATS
) -> int:
    """Read damaged files of every format, as many of each; the number of files read."""
    for number in range(rounds):
        for form in formats:
            _attack_one(form, random.Random(f"{form.name} {seed} {number}"), folder)
    return rounds * len(formats)


def _attack_one(form: Format, generator: random.Random, folder: Path) -> None:
    data = form.sample(generator.randrange(1000))
    if form.is_json and generator.random() < 0.7:
        data = json.dumps(mutated_json(generator, json.loads(data))).encode()
    else:
        data = mutated_bytes(generator, data)
    path = folder / form.name
    path.write_bytes(data)
    check(form, path)


def check(form: Format, path: Path) -> None:
    """Read a file; ``ValueError`` in one line is the one thing it may raise."""
    try:
        form.read(path)
    except ValueError as problem:
        if "\n" in str(problem):
            raise AssertionError(f"{form.name}: a complaint of several lines") from problem
