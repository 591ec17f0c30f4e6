"""Contact positions' own efficiency of the cube: the net, where it is asked, and its fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gnubg_py.board import Boards
from gnubg_py.cube.efficiency import CONSTANTS, CubeEfficiency
from gnubg_py.cube.efficiency_net import efficiency_net, facts_of, position_efficiency, shipped_net
from gnubg_py.cube.state import Cube
from gnubg_py.engine import Engine, engine_of
from gnubg_py.errors import WeightsError
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.network.encoding import encode
from gnubg_py.network.model import Net, weights_of
from gnubg_py.network.weights import Architecture, load_weights
from gnubg_py.paths import nets_dir
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import make_search
from gnubg_py.search.settings import EvalSettings
from gnubg_py.search.values import CubeEquities, cube_equities
from gnubg_py.training.cube_curves import CUBES, dead_and_live
from gnubg_py.training.cube_net import (
    Valued,
    fit_net,
    main,
    read_valued,
    value_errors,
    with_values,
)
from gnubg_py.training.residual import usual_positions
from tests.test_bakeoff import played

SHIPPED = nets_dir() / "cube.safetensors"


def contact_positions(n: int) -> Boards:
    """Of the 5,000 fixed positions, from games that no cube net has learned from."""
    boards = usual_positions()
    return np.asarray(boards[classify(boards) == PositionClass.CONTACT][:n])


def untrained() -> Net:
    torch.manual_seed(3)
    net = Net(Architecture((16, 8), position_class="cube"))
    with torch.no_grad():
        net.linear()[-1].weight.mul_(30)  # so that some answers are beyond 0 and 1
    return net


def test_the_kernel_computes_the_torch_net() -> None:
    boards = contact_positions(300)
    five, net = engine_of().evaluator(boards), untrained()
    inputs = np.concatenate([encode(boards), facts_of(five)], axis=1)
    with torch.no_grad():
        expected = net(torch.from_numpy(inputs)).numpy()
    assert (expected < 0).any()
    found = position_efficiency(boards, five, efficiency_net(weights_of(net)))
    np.testing.assert_allclose(found, expected.clip(0, 1), atol=1e-5)


def test_the_facts_are_the_roots_of_the_outcomes_and_the_place() -> None:
    """Without gammons a live cube's take point is at 20 %, its cash point at 80 %."""
    five = np.array([[0.2, 0, 0, 0, 0], [0.8, 0, 0, 0, 0], [0.64, 0.36, 0.04, 0.27, 0.02]])
    found = facts_of(five)
    assert found[:2, 6].tolist() == pytest.approx([0, 1], abs=1e-6)
    roots = [0.28**0.5, 0.32**0.5, 0.2, 0.3, 0.5, 0.02**0.5]
    assert found[2, :6].tolist() == pytest.approx(roots, abs=1e-6)


def test_an_efficiency_depends_on_its_position_alone() -> None:
    boards = contact_positions(50)
    five = engine_of().evaluator(boards)
    together = position_efficiency(boards, five)
    alone = [position_efficiency(boards[i : i + 1], five[i : i + 1])[0] for i in range(50)]
    assert np.array_equal(together, alone)
    assert together.std(axis=0).min() > 0.02


def test_the_shipped_net_is_nearer_to_two_plies_than_the_constant() -> None:
    engine = engine_of()
    known = with_values(contact_positions(400), engine)
    five = engine.evaluator(known.boards)
    errors = [
        (value_errors(known, five, net) ** 2).mean(axis=0) for net in (None, load_weights(SHIPPED))
    ]
    assert (errors[1] < [0.8, 0.92, 0.92] * errors[0]).all()


def decided(engine: Engine, plies: int) -> CubeEquities:
    search = make_search(replace(engine, cache=SearchCache(2**16)), EvalSettings(plies))
    return cube_equities(search, contact_positions(20), Cube())


@pytest.mark.parametrize(("plies", "asked"), [(0, True), (1, True), (2, False)])
def test_cube_decisions_ask_the_net_up_to_one_ply(plies: int, asked: bool) -> None:
    engine = engine_of()
    nearly = CubeEfficiency(contact=0.6801, crashed=0.6801)  # set by the user
    learned, constant = (
        decided(replace(engine, efficiency=settings), plies).no_double
        for settings in (engine.efficiency, nearly)
    )
    apart = np.abs(learned - constant)
    assert apart.mean() > 0.005 if asked else apart.max() < 0.001


def test_a_constant_that_the_user_sets_holds() -> None:
    engine = engine_of()
    own, constants = (
        decided(replace(engine, efficiency=settings), 0).no_double
        for settings in (CubeEfficiency(contact=0.7), replace(CONSTANTS, contact=0.7))
    )
    assert np.array_equal(own, constants)


def test_other_evaluators_than_nets_have_the_constants() -> None:
    engine = engine_of("pseudopip")
    learned, constants = (
        decided(replace(engine, efficiency=settings), 0).no_double
        for settings in (engine.efficiency, CONSTANTS)
    )
    assert np.array_equal(learned, constants)


def test_a_cube_net_is_no_evaluator_and_no_other_net_is_a_cube_net() -> None:
    with pytest.raises(ValueError, match="a cube net does not give the outcomes of a game"):
        leaf_of_file(SHIPPED)
    with pytest.raises(WeightsError, match="expected a cube net with two hidden layers"):
        efficiency_net(load_weights(nets_dir() / "race.safetensors"))
    assert shipped_net() is shipped_net()


def test_the_fit_finds_efficiencies_that_the_board_tells() -> None:
    """Here the cube is the livelier the more checkers the side on roll has back."""
    boards = contact_positions(3000)
    five = engine_of().evaluator(boards)
    back = boards[:, 0, 18:].sum(axis=1).clip(0, 4)
    dead, live = dead_and_live(five)
    values = dead + (0.3 + 0.15 * back[:, None]) * (live - dead)
    known = Valued(boards, values.astype(np.float32))
    before = (value_errors(known, five, None) ** 2).mean()
    weights = fit_net(known, five, (32, 8), 300, 1)
    assert (value_errors(known, five, weights) ** 2).mean() < before / 10


def test_positions_of_a_run_are_valued_and_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = played(tmp_path / "run", 4000)
    file, net = tmp_path / "some.safetensors", tmp_path / "net.safetensors"
    assert main(["value", str(file), str(run), "--positions", "200"]) == 0
    known = read_valued([file])
    assert known.values.shape == (200, len(CUBES))
    assert (classify(known.boards) >= PositionClass.CRASHED).all()
    fit = ["fit", str(file), "--hidden", "8", "4", "--epochs", "1", "--out", str(net)]
    assert main(fit) == 0
    assert "| constant | " in capsys.readouterr().out
    assert load_weights(net).architecture == Architecture((8, 4), position_class="cube")
    assert main(["value", str(file), str(run), "--positions", "100000"]) == 2
    assert "such positions in these runs: not 100,000" in capsys.readouterr().err
    assert main([*fit[:-2], "--out", str(net), "--epochs", "0"]) == 2
    assert "--epochs above 0" in capsys.readouterr().err
    assert main(["fit", str(SHIPPED), "--out", str(net)]) == 2
    assert "expected boards and values, as `value` writes them" in capsys.readouterr().err
