"""``gnubg-py net``: the card of a net, and state dicts brought in."""

from __future__ import annotations

import json
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnubg_py.board import START, Boards
from gnubg_py.evaluators.registry import evaluator_named
from gnubg_py.network.integers import load_net, net_checksum
from gnubg_py.network.leaf import TorchLeaf, load_leaf
from gnubg_py.network.weights import checksum, load_weights, save_weights
from gnubg_py.paths import nets_dir
from gnubg_py.probabilities import nested
from tests.command_line import Main
from tests.network_twins import random_weights

if TYPE_CHECKING:
    import torch
    from torch import nn


@pytest.fixture
def net(main: Main) -> Main:
    """``net("info", file) -> (status, stdout, stderr)``."""
    return partial(main, "net")


def module(*sizes: int, slope: float = 0.0) -> nn.Sequential:
    """Linear layers of those sizes with (leaky) ReLU in between, of random weights."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(slope)]
    return nn.Sequential(*layers[:-1])


def saved(path: Path, state: Any) -> Path:
    import torch

    torch.save(state, path)
    return path


def test_info_of_a_shipped_net(net: Main) -> None:
    path = nets_dir() / "contact.safetensors"
    status, out, err = net("info", path)
    assert (status, err) == (0, "")
    weights = load_net(path)
    widths = "-".join(map(str, (206, *weights.architecture.hidden, 6)))
    assert out.splitlines()[0] == str(path)
    for fact in (
        "class               contact",
        "encoding            thermometer (",
        f"layers              {widths}, ",
        f"checksum            {net_checksum(weights)}",
        "\ntrained\n",
        "\nconfig\n",
    ):
        assert fact in out


def test_info_prints_every_kind_of_card(net: Main, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    given = {"note": "by hand", "scores": '{"contact": 2.5, "by": {"n": 2000}}', "runs": "[1, 2]"}
    weights = replace(random_weights((8, 4)), card=given)
    save_weights(path, weights)
    _, out, _ = net("info", path)
    assert out.splitlines()[1:] == [
        "  class               contact",
        "  encoding            thermometer (each point and bar: at least 1, 2, 3",
        "                      checkers, and half of those beyond; off: any, share)",
        "  layers              206-8-4-6, leaky slope 0.05",
        "  parameters          1,722, float32",
        f"  checksum            {checksum(weights)}",
        "",
        "  note                by hand",
        "",
        "  runs                1, 2",
        "",
        "scores",
        "  contact             2.5",
        "  by                  n 2,000",
    ]
    _, out, _ = net("info", path, "--json")
    assert json.loads(out) == {
        "hidden": [8, 4],
        "encoding": "thermometer",
        "slope": 0.05,
        "activation": "leaky",
        "position_class": "contact",
        "output": "six",
        "tails": 1,
        "inputs": 206,
        "parameters": 1722,
        "numbers": "float32",
        "checksum": checksum(weights),
        "card": {
            "note": "by hand",
            "runs": [1, 2],
            "scores": {"contact": 2.5, "by": {"n": 2000}},
        },
    }


@pytest.mark.parametrize(
    ("sizes", "encoding", "slope"),
    [((206, 32, 6), "thermometer", 0.05), ((196, 40, 20, 6), "tesauro196", 0.0)],
)
def test_an_imported_net_answers_as_its_module(
    net: Main,
    tmp_path: Path,
    sizes: tuple[int, ...],
    encoding: str,
    slope: float,
    random_positions: Callable[[int, int], Boards],
) -> None:
    theirs = module(*sizes, slope=slope)
    file = saved(tmp_path / "theirs.pt", theirs.state_dict())
    out = tmp_path / "nets" / "mine.safetensors"
    words = ("--encoding", encoding, "--slope", str(slope))
    status, printed, err = net("import", file, "--out", out, "--class", "contact", *words)
    assert (status, err) == (0, "")
    assert f"layers              {'-'.join(map(str, sizes))}, leaky slope {slope:g}" in printed
    assert "theirs.pt" in printed
    positions = random_positions(300, 91)
    expected = TorchLeaf("theirs", theirs, encoding)(positions)
    assert np.abs(load_leaf(out)(positions) - expected).max() < 1e-5
    assert evaluator_named(str(out)).name == "mine"


def sigmoid_module(*sizes: int) -> nn.Module:
    """Linear layers with sigmoid units in between and, of five outputs, behind."""
    import torch
    from torch import nn

    torch.manual_seed(5)
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.Sigmoid()]
    return nn.Sequential(*layers[: None if sizes[-1] == 5 else -1])


@pytest.mark.parametrize(
    ("sizes", "encoding"),
    [
        ((206, 32, 6), "thermometer"),
        ((198, 24, 12, 5), "tesauro198"),
        ((250, 16, 5), "gnubg-contact"),
        ((250, 16, 6), "gnubg-crashed"),
        ((214, 16, 5), "gnubg-race"),
    ],
)
def test_sigmoid_units_five_outputs_and_gnubgs_inputs_are_imported(
    net: Main,
    tmp_path: Path,
    sizes: tuple[int, ...],
    encoding: str,
    random_positions: Callable[[int, int], Boards],
) -> None:
    theirs = sigmoid_module(*sizes)
    file, out = saved(tmp_path / "theirs.pt", theirs.state_dict()), tmp_path / "mine.safetensors"
    output = "five" if sizes[-1] == 5 else "six"
    words = ("--activation", "sigmoid", "--output", output, "--encoding", encoding)
    status, printed, err = net("import", file, "--out", out, "--class", "contact", *words)
    assert (status, err) == (0, "")
    assert f"{'-'.join(map(str, sizes))}, sigmoid" in printed
    positions = random_positions(200, 92)
    kind = "five" if output == "five" else "logits"
    expected = nested(TorchLeaf("theirs", theirs, encoding, kind)(positions))
    leaf = load_leaf(out)
    answers = leaf(positions)
    assert np.abs(answers - expected).max() < 1e-5
    assert np.array_equal(leaf(positions[7:8]), answers[7:8])
    assert evaluator_named(str(out))(START[None])[0, 0] == pytest.approx(leaf(START[None])[0, 0])


def test_what_cannot_be_imported_or_rounded_is_said(net: Main, tmp_path: Path) -> None:
    file, out = saved(tmp_path / "a.pt", module(206, 8, 5).state_dict()), tmp_path / "a.safetensors"
    words = ("import", file, "--out", out, "--class", "contact")
    assert "is imported with --output five" in net(*words)[2]
    assert "output 'seven' is not one of five, six" in net(*words, "--output", "seven")[2]
    assert "activation 'tanh' is not one of" in net(*words, "--activation", "tanh")[2]
    assert net(*words, "--output", "five")[0] == 0
    status, _, err = net("quantise", out, "--out", tmp_path / "b.safetensors", "--positions", "10")
    assert status == 2
    assert "not rounded" in err


def test_half_precision_and_any_names_of_layers_are_taken(net: Main, tmp_path: Path) -> None:
    state = module(206, 8, 6).bfloat16().state_dict()
    names = {"0.weight": "z.weight", "0.bias": "z.bias", "2.weight": "a.weight", "2.bias": "a.bias"}
    file = saved(tmp_path / "a.pt", OrderedDict((names[k], v) for k, v in state.items()))
    out = tmp_path / "a.safetensors"
    assert net("import", file, "--out", out, "--class", "race", "--slope", "0")[0] == 0
    weights = load_weights(out)
    assert weights.architecture.position_class == "race"
    assert np.array_equal(weights.layers[0][0], state["0.weight"].float().numpy())


def _without_bias(state: dict[str, torch.Tensor]) -> None:
    del state["2.bias"]


def _normalised(state: dict[str, torch.Tensor]) -> None:
    state["1.running_mean"] = state["0.bias"].clone()


def _nan(state: dict[str, torch.Tensor]) -> None:
    state["2.weight"][1, 1] = float("nan")


def _whole(state: dict[str, torch.Tensor]) -> None:
    state["0.weight"] = state["0.weight"].int()


def _short_bias(state: dict[str, torch.Tensor]) -> None:
    state["0.bias"] = state["0.bias"][:7]


def _counter(state: dict[str, Any]) -> None:
    state["epoch"] = 12


def _number_for_name(state: dict[Any, Any]) -> None:
    state[5] = state["0.bias"]


def _empty_layer(state: dict[str, torch.Tensor]) -> None:
    import torch

    state["0.weight"], state["0.bias"] = torch.zeros(0, 206), torch.zeros(0)


def _sparse(state: dict[str, torch.Tensor]) -> None:
    state["0.weight"] = state["0.weight"].to_sparse()


def _leave(state: dict[str, Any]) -> None:
    pass


@pytest.mark.parametrize(
    ("sizes", "spoil", "message"),
    [
        ((206, 8, 6), _without_bias, "2.bias is missing, expected a bias in every layer"),
        ((206, 8, 6), _normalised, "1.running_mean [8] is no part of a linear layer"),
        ((206, 8, 6), _nan, "2.weight holds a number that is not finite"),
        ((206, 8, 6), _whole, "0.weight is of torch.int32, expected floating point"),
        ((206, 8, 6), _short_bias, "0.bias is [7], expected [8]"),
        ((206, 8, 6), _counter, "epoch is a int, expected a state dict of tensors alone"),
        ((206, 8, 6), _number_for_name, "5 is a Tensor, expected a state dict of tensors alone"),
        ((206, 8, 6), _empty_layer, "0.weight has 0 outputs, expected 1 to 65536"),
        ((206, 8, 6), _sparse, "0.weight is torch.sparse_coo on cpu: has no numbers"),
        ((196, 8, 6), _leave, "0.weight takes 196, expected the 206 inputs of thermometer"),
        ((206, 8, 5), _leave, "2.weight has 5 outputs, expected 6; one of gnubg's five chances is"),
        ((206, 6), _leave, "1 linear layers, expected 2 or more"),
    ],
)
def test_state_dicts_that_do_not_fit(
    net: Main,
    tmp_path: Path,
    sizes: tuple[int, ...],
    spoil: Callable[[dict[str, Any]], None],
    message: str,
) -> None:
    state = module(*sizes).state_dict()
    spoil(state)
    file, out = saved(tmp_path / "theirs.pt", state), tmp_path / "mine.safetensors"
    status, printed, err = net("import", file, "--out", out, "--class", "contact")
    assert (status, printed) == (2, "")
    assert err.startswith(f"gnubg-py: {file}: {message}")
    assert err.count("\n") == 1
    assert not out.exists()


def test_parameters_saved_by_name_are_taken(net: Main, tmp_path: Path) -> None:
    file = saved(tmp_path / "theirs.pt", dict(module(206, 8, 6).named_parameters()))
    assert net("import", file, "--out", tmp_path / "mine.safetensors", "--class", "contact")[0] == 0


def test_layers_that_do_not_follow_one_another(net: Main, tmp_path: Path) -> None:
    state = module(206, 8, 6).state_dict()
    state["2.weight"] = state["2.weight"][:, :7].clone()
    file, out = saved(tmp_path / "theirs.pt", state), tmp_path / "mine.safetensors"
    _, _, err = net("import", file, "--out", out, "--class", "contact")
    assert err == f"gnubg-py: {file}: 2.weight takes 7, expected the 8 outputs of 0.weight\n"


class Trap:
    """Unpickling it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_nothing_is_ever_unpickled(net: Main, tmp_path: Path) -> None:
    file, out = tmp_path / "theirs.pt", tmp_path / "mine.safetensors"
    for write in (
        lambda trap: file.write_bytes(pickle.dumps(trap, protocol=2)),
        lambda trap: saved(file, {"0.weight": trap}),
    ):
        write(Trap(tmp_path / "sprung"))
        status, _, err = net("import", file, "--out", out, "--class", "contact")
        assert status == 2
        assert err.startswith(f"gnubg-py: {file}: not a state dict that torch loads safely (")
        assert err.count("\n") == 1
        assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["info", "none.safetensors"], "none.safetensors: no such file"),
        (["import", "none.pt", "--out", "a.safetensors", "--class", "contact"],
         "none.pt: no such file"),
        (["import", "none.pt", "--out", "a.pt", "--class", "contact"],
         "--out a.pt: the name should end in .safetensors"),
        (["import", "none.pt", "--out", "a.safetensors", "--class", "over"],
         "class 'over' is not one of contact, crashed, race, prune\n"),
        (["import", "none.pt", "--out", "a.safetensors", "--class", "race", "--encoding", "xg"],
         "encoding 'xg' is not known: gnubg-contact, gnubg-crashed, gnubg-race, tesauro196,"),
        (["import", "none.pt", "--out", "a.safetensors", "--class", "race", "--slope", "2"],
         "slope 2.0: should be 0 (ReLU) to 1"),
        (["import", "none.pt", "--out", "a.safetensors"], "net import: the following arguments"),
        (["quantise", "none.safetensors", "--out", "a.safetensors"],
         "none.safetensors: no such file"),
        (["quantise", "none.safetensors", "--out", "a.pt"],
         "--out a.pt: the name should end in .safetensors"),
        (["quantise", "none.safetensors", "--out", "a.safetensors", "--positions", "0"],
         "--positions should be 1 to 1,000,000, --seed at least 0"),
        (["info"], "net info: the following arguments are required: file"),
    ],
)  # fmt: skip
def test_bad_words(net: Main, words: list[str], message: str) -> None:
    status, out, err = net(*words)
    assert (status, out) == (2, "")
    assert err.startswith(f"gnubg-py: {message}")
    assert err.count("\n") == 1


def test_a_net_is_rounded_to_whole_numbers(net: Main, tmp_path: Path) -> None:
    out = tmp_path / "whole.safetensors"
    file = tmp_path / "real.safetensors"
    save_weights(file, random_weights((96, 40)))
    words = ["quantise", file, "--out", out, "--positions", "600"]
    status, printed, _ = net(*words, "--json")
    assert status == 0
    card = json.loads(printed)
    leaf = load_leaf(out)
    assert (card["numbers"], card["checksum"]) == ("whole", leaf.identity)
    facts = card["card"]["quantised"]
    assert facts["checksum of the float net"] == checksum(load_weights(file))
    assert 0 < facts["rms of equities"] < 0.05
    assert 0 <= facts["given up"] < 10
    again = net("info", out)[1]
    assert "layers              206-96-40-6, leaky slope 0.05" in again
    assert ", whole numbers\n" in again
    assert net(*words, "--seed", "0")[0] == 0
    assert load_leaf(out).identity == leaf.identity


def test_files_that_are_no_state_dict(net: Main, tmp_path: Path) -> None:
    import torch

    file, out = tmp_path / "theirs.pt", tmp_path / "mine.safetensors"
    for write in (
        lambda: file.write_bytes(b""),
        lambda: file.write_bytes(b"GNU Backgammon 1.00\n" * 9),
        lambda: saved(file, module(206, 8, 6)),
        lambda: saved(file, {}),
        lambda: saved(file, torch.zeros(3)),
    ):
        write()
        status, _, err = net("import", file, "--out", out, "--class", "contact")
        assert status == 2
        assert err.startswith(f"gnubg-py: {file}: ")
        assert "state dict" in err
        assert err.count("\n") == 1
