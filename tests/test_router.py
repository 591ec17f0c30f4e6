"""The router and the evaluators known by name; nets of other kinds as leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from gnubg_py.board import START, Boards, parse, swap
from gnubg_py.evaluators import registry
from gnubg_py.evaluators.bearoff import BEAROFF1_LEAF, BEAROFF2_LEAF
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.evaluators.files import leaf_of_file
from gnubg_py.evaluators.over import over
from gnubg_py.evaluators.protocol import ChildEvaluator, FunctionEvaluator, evaluate_children
from gnubg_py.evaluators.registry import default_router, evaluator_named, evaluator_names, register
from gnubg_py.evaluators.router import (
    EXACT,
    LEARNED,
    Router,
    class_named,
    leaf_of,
    with_exact_endings,
)
from gnubg_py.network.leaf import load_leaf
from gnubg_py.network.weights import save_weights
from gnubg_py.paths import nets_dir
from gnubg_py.plays import all_rolls
from tests.network_twins import random_weights

Positions = Callable[[int, int], Boards]

OVER = parse("x 5:15 / o")
BEAROFF2 = parse("x 6:2 1:1 / o 2:3")
BEAROFF1 = parse("x 6:7 1:3 / o 2:8")
RACE = parse("x 12:3 6:9 / o 11:2 5:10")
CRASHED = parse("x 24:2 1:9 2:4 / o 13:5 8:3 6:7")
ONE_OF_EACH = np.stack([OVER, BEAROFF2, BEAROFF1, RACE, CRASHED, START])


@pytest.fixture
def registered() -> Iterator[None]:
    """Forgets what a test registers."""
    yield
    registry._registered.clear()


def constant(value: float) -> FunctionEvaluator:
    """An evaluator that answers the same of every board."""
    return FunctionEvaluator(
        str(value), lambda boards: np.full((len(boards), 5), value, np.float32)
    )


def by_pips(boards: Boards) -> NDArray[np.float32]:
    """Something that tells boards apart."""
    pips = (boards[:, 0] * np.arange(1, 26)).sum(axis=1)
    return np.repeat(pips[:, None] / 375, 5, axis=1).astype(np.float32)


def test_every_board_goes_to_the_evaluator_of_its_class() -> None:
    classes = classify(ONE_OF_EACH).tolist()
    assert len(set(classes)) == 6
    router = Router("test", {PositionClass(c): constant(c / 10) for c in classes})
    boards = ONE_OF_EACH[[5, 0, 3, 5, 1, 4, 2]]
    expected = [1.0, 0.0, 0.8, 1.0, 0.4, 0.9, 0.6]
    assert router(boards)[:, 0].tolist() == pytest.approx(expected)
    assert router(boards[:0]).shape == (0, 5)


def test_an_evaluator_of_several_classes_is_asked_once() -> None:
    asked: list[int] = []

    def count(boards: Boards) -> NDArray[np.float32]:
        asked.append(len(boards))
        return by_pips(boards)

    router = Router("test", dict.fromkeys([*EXACT, *LEARNED], FunctionEvaluator("count", count)))
    assert np.array_equal(router(ONE_OF_EACH), by_pips(ONE_OF_EACH))
    assert asked == [6]


def test_a_class_without_an_evaluator_is_named() -> None:
    router = Router("test", {PositionClass.RACE: constant(0.5)})
    assert router(RACE[None])[0, 0] == 0.5
    with pytest.raises(ValueError, match=r"^no evaluator for contact positions$"):
        router(START[None])


def test_rerouting_makes_another_router_and_leaves_the_first() -> None:
    first = with_exact_endings("first", constant(0.25))
    second = first.routed(PositionClass.RACE, constant(0.75))
    assert first(ONE_OF_EACH)[3:, 0].tolist() == [0.25, 0.25, 0.25]
    assert second(ONE_OF_EACH)[3:, 0].tolist() == [0.75, 0.25, 0.25]
    assert np.array_equal(first(ONE_OF_EACH)[:3], second(ONE_OF_EACH)[:3])


@pytest.mark.parametrize("name", ["net", "large", "fast", "pseudopip", "ten-factor"])
def test_shipped_evaluators_keep_endings_exact(name: str) -> None:
    evaluator = evaluator_named(name)
    assert evaluator.name == name
    assert evaluator is evaluator_named(name)  # made once
    answers = evaluator(ONE_OF_EACH)
    assert np.array_equal(answers[:1], over(OVER[None]))
    assert np.array_equal(answers[1:2], BEAROFF2_LEAF(BEAROFF2[None]))
    assert np.array_equal(answers[2:3], BEAROFF1_LEAF(BEAROFF1[None]))
    assert ((answers >= 0) & (answers <= 1)).all()
    assert name in evaluator_names()


def test_exact_classes_go_elsewhere_only_if_told_so() -> None:
    elsewhere = default_router().routed(class_named("bearoff2"), constant(0.5))
    assert elsewhere(BEAROFF2[None])[0, 0] == 0.5
    assert default_router()(BEAROFF2[None])[0, 0] != 0.5


def test_shipped_nets_serve_their_classes() -> None:
    router = default_router()
    assert router is evaluator_named("net")
    for name, board in (("contact", START), ("race", RACE)):
        leaf = leaf_of_file(nets_dir() / f"{name}.safetensors")
        assert np.array_equal(router(board[None]), leaf(board[None]))
    with pytest.raises(ValueError, match="a rolls net does not give the outcomes of a game"):
        load_leaf(nets_dir() / "race.safetensors")


def test_classes_by_name() -> None:
    assert class_named("Contact") is PositionClass.CONTACT
    assert class_named("hypergammon2") is PositionClass.HYPERGAMMON2
    with pytest.raises(ValueError, match=r"^class 'prime' is not one of over, bearoff1, bearoff2,"):
        class_named("prime")


@pytest.mark.usefixtures("registered")
def test_a_users_own_function_is_an_evaluator() -> None:
    mine = register("pips", by_pips)
    assert mine.name == "pips"
    assert evaluator_named("pips") is mine
    assert evaluator_names()[-1] == "pips"
    assert np.array_equal(evaluator_named("pips")(ONE_OF_EACH), by_pips(ONE_OF_EACH))
    again = register("pips", lambda boards: 1 - by_pips(boards))
    assert evaluator_named("pips") is again
    endings = with_exact_endings("mine", again)
    assert np.array_equal(endings(ONE_OF_EACH)[:1], over(OVER[None]))
    assert np.array_equal(endings(ONE_OF_EACH)[3:], 1 - by_pips(ONE_OF_EACH)[3:])


@pytest.mark.parametrize(
    ("answer", "message"),
    [(lambda boards: np.full((len(boards), 5), 7.0), "answered a probability that is not from 0"),
     (lambda boards: np.full((len(boards), 5), np.nan), "answered a probability that is not"),
     (lambda boards: np.zeros((len(boards), 6)), r"answered \[1, 6\], not \[1, 5\]")],
)  # fmt: skip
def test_what_a_users_function_answers_is_checked(
    answer: Callable[[Boards], NDArray[np.float32]], message: str
) -> None:
    with pytest.raises(ValueError, match=f"mine: {message}"):
        FunctionEvaluator("mine", answer)(START[None])


def test_names_of_players_are_not_evaluators() -> None:
    with pytest.raises(ValueError, match="comes with the program"):
        register("random", by_pips)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "snowie",
            "evaluator 'snowie' is not one of net, large, fast, pseudopip, ten-factor",
        ),
        ("", "evaluator '' is not one of net"),
        ("nets/contact.pt", "evaluator 'nets/contact.pt' is not one of net"),
        ("no/such.safetensors", "no/such.safetensors: no such file"),
    ],
)
def test_unknown_evaluators_are_named(name: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        evaluator_named(name)


@pytest.mark.parametrize(
    ("position_class", "served"),
    [("contact", [4, 5]), ("crashed", [4]), ("race", [3])],
)
def test_a_weights_file_serves_its_class(
    position_class: str, served: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "mine.safetensors"
    save_weights(path, random_weights((8,), position_class=position_class))
    mine = evaluator_named(str(path))
    assert mine.name == "mine"
    answers, leaf, default = (e(ONE_OF_EACH) for e in (mine, load_leaf(path), default_router()))
    for i in range(6):
        assert np.array_equal(answers[i], (leaf if i in served else default)[i])


def test_a_pruning_net_is_no_evaluator(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    save_weights(path, random_weights((8,), position_class="prune"))
    with pytest.raises(ValueError, match="a prune net values no positions by itself"):
        evaluator_named(str(path))


def test_children_are_worth_what_they_are_worth_alone(random_positions: Positions) -> None:
    parents = np.concatenate([random_positions(60, 81), ONE_OF_EACH[1:]])
    children, offsets = all_rolls(parents)
    assert len(set(classify(children).tolist())) == 6
    first = offsets[::21]
    pips = FunctionEvaluator("pips", by_pips)
    for router in (default_router(), default_router().routed(PositionClass.RACE, pips)):
        together = router.evaluate_children(swap(parents), children, first)
        assert np.array_equal(together, router(children))


def test_a_boards_value_does_not_depend_on_its_batch(random_positions: Positions) -> None:
    positions = random_positions(300, 82)
    for name in ("net", "pseudopip", "ten-factor"):
        evaluator = evaluator_named(name)
        together = evaluator(positions)
        assert np.array_equal(evaluator(positions[::-1]), together[::-1]), name
        for i in range(0, 300, 15):
            assert np.array_equal(evaluator(positions[i : i + 1]), together[i : i + 1]), name


def test_shipped_names_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match=r"^evaluator 'net' comes with the program: "):
        register("net", lambda boards: np.zeros((len(boards), 5), np.float32))
    assert evaluator_named("net") is default_router()


def test_parents_help_only_evaluators_that_can_use_them(random_positions: Positions) -> None:
    parents = random_positions(5, 88)
    children, offsets = all_rolls(parents)
    mine = FunctionEvaluator("pips", by_pips)
    assert not isinstance(mine, ChildEvaluator)
    assert isinstance(default_router(), ChildEvaluator)
    for evaluator in (mine, default_router(), default_router().leaf(PositionClass.CONTACT)):
        together = evaluate_children(evaluator, swap(parents), children, offsets[::21])
        assert np.array_equal(together, evaluator(children))


def test_equal_identities_are_those_of_evaluators_that_answer_alike() -> None:
    pips, router = FunctionEvaluator("pips", by_pips), default_router()
    assert pips.identity == FunctionEvaluator("pips", by_pips).identity
    assert pips.identity != FunctionEvaluator("other", by_pips).identity
    assert router.identity == Router("copy", dict(router.table)).identity
    assert router.identity != router.routed(PositionClass.RACE, pips).identity
    assert leaf_of(router, PositionClass.RACE) is router.table[PositionClass.RACE]
    assert leaf_of(pips, PositionClass.RACE) is pips
    assert leaf_of(router, PositionClass.HYPERGAMMON1) is None


def test_a_function_that_cannot_be_hashed_has_an_identity() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, boards: Boards) -> NDArray[np.float32]:
            return by_pips(boards)

    one, two = Unhashable(), Unhashable()
    assert len({FunctionEvaluator("a", f).identity for f in (one, one, two)}) == 2
