"""Teachers and pupils: nets distilled, averaged, and held against those they follow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gnubg_py.board import START
from gnubg_py.network.encoding import encode
from gnubg_py.network.model import Net, net_from_weights, weights_of
from gnubg_py.network.weights import Architecture, checksum, load_weights, save_weights
from gnubg_py.plays import all_rolls
from gnubg_py.training.mean import main as mean_of
from gnubg_py.training.moves import Nets, child_values
from gnubg_py.training.net import training_net
from gnubg_py.training.regret import main as regret_of
from gnubg_py.training.run import train
from tests.network_twins import random_weights
from tests.test_training import TINY


def test_distilling_follows_the_teacher(tmp_path: Path) -> None:
    torch.manual_seed(3)
    teacher = tmp_path / "teacher.safetensors"
    save_weights(teacher, weights_of(Net(Architecture((32,)))))
    config = replace(
        TINY, position_class="prune", teacher=(str(teacher),), positions=20_000, turns=4
    )
    train(config, tmp_path / "small")
    pupil = net_from_weights(load_weights(tmp_path / "small" / "net.safetensors"))
    boards = all_rolls(START[None])[0]
    x = torch.from_numpy(encode(boards))
    wanted = torch.softmax(net_from_weights(load_weights(teacher))(x), dim=1).detach()
    learned = torch.softmax(pupil(x), dim=1).detach()
    fresh = torch.softmax(Net(Architecture((24, 8)))(x), dim=1).detach()
    assert float((learned - wanted).abs().mean()) < float((fresh - wanted).abs().mean())


def test_several_teachers_teach_their_mean() -> None:
    nets = [training_net(weights_of(Net(Architecture((16,)))), "float32") for _ in range(2)]
    boards = all_rolls(START[None])[0]
    singles = np.arange(len(boards) + 1, dtype=np.int64)
    one, other = (child_values(Nets((net,)), boards, boards, singles)[0] for net in nets)
    both = child_values(Nets(tuple(nets)), boards, boards, singles)[0]
    assert np.abs(one - other).max() > 1e-3
    assert np.allclose(both, (one + other) / 2, atol=1e-6)


def test_the_mean_of_nets_is_that_of_their_weights(tmp_path: Path) -> None:
    nets = [Net(Architecture((16, 8))) for _ in range(3)]
    files = [tmp_path / f"{n}.safetensors" for n in range(3)]
    for n, (net, file) in enumerate(zip(nets, files, strict=True)):
        save_weights(file, weights_of(net, {"trained": f'{{"steps": {n}}}'}))
    out = tmp_path / "mean.safetensors"
    assert mean_of([str(out), *map(str, files)]) == 0
    found = load_weights(out)
    expected = sum(net.linear()[1].weight.detach().numpy() for net in nets) / 3
    assert np.allclose(found.layers[1][0], expected, atol=1e-7)
    assert found.card["trained 3"] == '{"steps": 2}'


def test_a_net_is_stored_in_16_bits(tmp_path: Path) -> None:
    net, half, again = (tmp_path / f"{name}.safetensors" for name in ("net", "half", "again"))
    save_weights(net, random_weights((16, 8), tails=16))
    assert mean_of([str(half), str(net), "--half"]) == 0
    assert half.stat().st_size < 0.6 * net.stat().st_size
    for (matrix, bias), (other, other_bias) in zip(
        load_weights(net).layers, load_weights(half).layers, strict=True
    ):
        assert matrix.dtype == other.dtype == np.float32
        assert np.allclose(matrix, other, rtol=1e-3, atol=1e-7)
        assert np.allclose(bias, other_bias, rtol=1e-3, atol=1e-7)
    save_weights(again, load_weights(half), half=True)
    assert checksum(load_weights(again)) == checksum(load_weights(half))


def test_nets_of_other_shapes_have_no_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for hidden, file in zip(((16,), (8,)), files, strict=True):
        save_weights(file, weights_of(Net(Architecture(hidden))))
    assert mean_of([str(tmp_path / "out.safetensors"), *map(str, files)]) == 2
    assert "nets must be alike" in capsys.readouterr().err


def test_regret_is_what_other_choices_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.manual_seed(1)
    files = [tmp_path / "teacher.safetensors", tmp_path / "pupil.safetensors"]
    for file in files:
        save_weights(file, weights_of(Net(Architecture((16,)))))
    words = [*map(str, files), "--teacher", str(files[0]), "--positions", "60"]
    assert regret_of(words) == 0
    own, other = capsys.readouterr().out.splitlines()[1:]
    assert own == f"{files[0]}: 0.000 ± 0.000"
    assert float(other.split()[1]) > 1
    assert regret_of([str(files[0]), "--teacher", str(tmp_path / "none.safetensors")]) == 2
    assert "no such file" in capsys.readouterr().err
