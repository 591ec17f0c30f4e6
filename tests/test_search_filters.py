"""Settings, presets and move filters with gnubg's numbers; plays ranked step by step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import START, parse
from gnubg_py.cube.state import OWN, Cube, swap_cube
from gnubg_py.engine import default_engine
from gnubg_py.notation import play_text
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import StoppedError, StopToken, make_search
from gnubg_py.search.ranking import kept, looks, rank
from gnubg_py.search.settings import (
    FILTERS,
    NORMAL,
    PRESETS,
    EvalSettings,
    FilterStep,
    MoveFilter,
    filter_named,
    preset_name,
    preset_named,
)
from tests.conftest import play_random_positions
from tests.search_twins import PIPS
from tests.searching import choose_plays, cubeful_values, rank_plays, search_of

ALL = MoveFilter("all", {n: (FilterStep(0, 3060, 0, 0.0),) for n in (1, 2, 3, 4)})


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("tiny", (5, 0.08), (2, 0.02)),
        ("narrow", (8, 0.12), (2, 0.03)),
        ("normal", (8, 0.16), (2, 0.04)),
        ("large", (16, 0.32), (4, 0.08)),
        ("huge", (20, 0.44), (6, 0.11)),
    ],
)
def test_filters_have_gnubgs_numbers(
    name: str, first: tuple[int, float], second: tuple[int, float]
) -> None:
    filters = filter_named(name.capitalize())
    assert filters.of(0) == ()
    for plies in (1, 2, 3, 4):
        steps = [FilterStep(0, 0, *first), FilterStep(2, 0, *second)]
        assert list(filters.of(plies)) == steps[: 1 if plies < 3 else 2]


def test_presets_are_gnubgs() -> None:
    shown = {
        name: (p.plays.plies, p.plays.noise, p.filters.name if p.plays.plies else "")
        for name, p in PRESETS.items()
    }
    assert shown == {
        "beginner": (0, 0.060, ""),
        "casual play": (0, 0.050, ""),
        "intermediate": (0, 0.040, ""),
        "advanced": (0, 0.015, ""),
        "expert": (0, 0.0, ""),
        "world class": (2, 0.0, "normal"),
        "supremo": (2, 0.0, "large"),
        "grandmaster": (3, 0.0, "large"),
        "4ply": (4, 0.0, "large"),
    }
    for name, preset in PRESETS.items():
        assert preset_name(preset.plays, preset.filters) == name
        assert preset_named(name.title().replace(" ", "_")) is preset
    assert preset_name(EvalSettings(0), NORMAL) == "expert"
    assert preset_name(EvalSettings(1), NORMAL) is None
    assert preset_name(EvalSettings(2), FILTERS["huge"]) is None
    assert preset_name(EvalSettings(2, inner_plies=1), NORMAL) is None
    assert preset_name(EvalSettings(0, prune=False, inner_plies=1), NORMAL) == "expert"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EvalSettings(9), "9 plies: should be a whole number from 0 to 4"),
        (lambda: EvalSettings(-1), "-1 plies"),
        (lambda: EvalSettings(True), "True plies"),
        (lambda: EvalSettings(noise=-0.1), "noise -0.1: should be a number from 0 to 1"),
        (lambda: EvalSettings(noise=float("nan")), "noise nan"),
        (lambda: EvalSettings(seed=-1), "seed -1"),
        (
            lambda: EvalSettings(inner_plies=4),
            "inner_plies 4: should be a whole number from 0 to 3",
        ),
        (
            lambda: EvalSettings(prune_keep=0),
            "prune_keep 0: should be a whole number from 1 to 3060",
        ),
        (
            lambda: EvalSettings(prune_keep=3061),
            "prune_keep 3061: should be a whole number from 1 to 3060",
        ),
        (lambda: EvalSettings(prune_within=-1.0), "prune_within -1.0: should be 0 or above"),
        (lambda: FilterStep(0, -1, 8, 0.1), "move filter: keep -1: should be a whole number"),
        (lambda: FilterStep(0, 0, 8, -0.1), "move filter: within -0.1: should be 0 or above"),
        (lambda: FilterStep(4, 0, 8, 0.1), "move filter: ply 4: should be below 4"),
        (lambda: FilterStep(0, 0, 0, 0.1), "move filter: keep 0 and extra 0: no play would be"),
        (lambda: MoveFilter("", {5: ()}), "move filter for 5 plies: should be 1 to 4"),
        (
            lambda: MoveFilter("", {2: (FilterStep(1, 1, 0, 0), FilterStep(0, 1, 0, 0))}),
            r"move filter for 2 plies: its steps are of ply \[1, 0\]: each should be below 2",
        ),
        (lambda: filter_named("wide"), "move filter 'wide' is not one of tiny, narrow, normal"),
        (lambda: preset_named("champion"), "preset 'champion' is not one of beginner, casual"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def plain_kept(values: list[float], keep: int, extra: int, within: float) -> list[int]:
    """The best ``keep``, then up to ``extra`` more while they are near enough to the best."""
    order = sorted(range(len(values)), key=lambda i: -values[i])
    chosen = order[:keep]
    for i in order[keep : keep + extra]:
        if values[i] < values[order[0]] - within:
            break
        chosen.append(i)
    return [] if len(chosen) == 1 and keep != 1 else sorted(chosen)


GROUPS = st.lists(st.lists(st.integers(-8, 8), max_size=12), min_size=1, max_size=4)


@given(GROUPS, st.integers(0, 4), st.integers(0, 6), st.sampled_from([0.0, 0.125, 0.5]))
def test_a_step_keeps_what_it_says(
    groups: list[list[int]], keep: int, extra: int, within: float
) -> None:
    if keep + extra == 0:
        extra = 1
    values = np.array([v / 16 for group in groups for v in group])
    first = np.cumsum([0] + [len(group) for group in groups])
    expected = [
        int(start) + i
        for start, group in zip(first, groups, strict=False)
        for i in plain_kept([v / 16 for v in group], keep, extra, within)
    ]
    assert (
        kept(values, values, first, FilterStep(0, keep, extra, within), within).tolist() == expected
    )


def test_plays_go_on_as_the_filters_say() -> None:
    """3-ply with Normal: all at 0-ply, those within 0.16 at 2-ply, two within 0.04 at 3-ply."""
    board = parse("x 24:2 13:4 8:3 7:1 6:4 3:1 / o 24:2 13:4 8:4 6:5")
    cache = SearchCache(1 << 14)
    settings = EvalSettings(3, prune=False)
    static = rank_plays(board, (4, 1), Cube(), EvalSettings(0), evaluator=PIPS, cache=cache)
    ranked = rank_plays(board, (4, 1), Cube(), settings, NORMAL, PIPS, cache=cache)
    near = [p for p in static if p.equity >= static[0].equity - 0.16][:8]
    assert 2 < len(near) < len(static)
    deep = [p for p in ranked if p.ply > 0]
    assert {p.board.tobytes() for p in deep} == {p.board.tobytes() for p in near}
    assert [p.ply for p in ranked] == sorted((p.ply for p in ranked), reverse=True)
    two = rank_plays(
        board, (4, 1), Cube(), EvalSettings(2, prune=False), evaluator=PIPS, cache=cache
    )
    best = [p for p in two if p.ply == 2]
    third = [p for p in ranked if p.ply == 3]
    onward = [p for p in best if p.equity >= best[0].equity - 0.04][:2]
    if len(onward) > 1:
        assert {p.board.tobytes() for p in third} == {p.board.tobytes() for p in onward}
    else:
        assert third == []


def test_a_play_is_worth_what_the_search_says_of_the_position_after_it() -> None:
    for cube in (Cube(2, OWN), Cube(away=(3, 5))):
        cache = SearchCache(1 << 12)
        settings = EvalSettings(1, prune=False)
        ranked = rank_plays(START, (6, 2), cube, settings, ALL, PIPS, cache=cache)
        assert {p.ply for p in ranked} == {1}
        boards = np.stack([p.board for p in ranked])
        theirs = (swap_cube(cube),)
        _, worth = cubeful_values(boards, theirs, settings, PIPS, root=False, cache=cache)
        ours = -worth[:, 0] if cube.away is None else 1 - worth[:, 0]
        assert [p.value for p in ranked] == ours.tolist()
        assert [p.value for p in ranked] == sorted((p.value for p in ranked), reverse=True)
        if cube.away is None:
            assert ranked[0].equity == ranked[0].value


def test_a_forced_play_is_looked_at_no_deeper() -> None:
    board = parse("x bar:1 6:3 / o 6:2 5:2 4:2 3:2 2:2 1:2")
    (play,) = rank_plays(board, (6, 6), Cube(), EvalSettings(2), evaluator=PIPS)
    assert play.ply == 0
    assert play_text(board, (6, 6), play.board) == "cannot move"


def test_many_decisions_at_once_are_decided_as_one_by_one() -> None:
    boards = play_random_positions(12, 3)
    dice = np.array([[6, 1], [3, 3], [5, 4]] * 4, np.int8)
    settings = EvalSettings(1, prune=False)
    cache = SearchCache(1 << 14)
    together = choose_plays(boards, dice, Cube(), settings, evaluator=PIPS, cache=cache)
    assert together.complete
    for i, board in enumerate(boards):
        alone = rank_plays(
            board, tuple(dice[i]), Cube(), settings, evaluator=PIPS, cache=SearchCache(0)
        )
        assert (together.boards[i] == alone[0].board).all()
        assert together.equities[together.chosen[i]] == alone[0].equity


def test_a_stopped_search_keeps_what_it_has() -> None:
    token = StopToken()
    token.stop()
    with pytest.raises(StoppedError):
        choose_plays(START[None], np.array([[3, 1]], np.int8), Cube(), evaluator=PIPS, stop=token)
    token = StopToken()
    seen = 0

    def count(n: int) -> None:
        nonlocal seen
        seen += 1
        if seen == 2:
            token.stop()

    settings = EvalSettings(2, prune=False)
    search = search_of(settings, PIPS, SearchCache(0), count, token)
    finished = looks(search, START[None], np.array([[6, 2]], np.int8), Cube())
    found = next(finished)
    with pytest.raises(StoppedError):
        next(finished)
    assert not found.complete
    assert set(found.ply.tolist()) == {0}


@pytest.mark.parametrize("cube", [Cube(), Cube(away=(1, 1)), Cube(away=(7, 9)), Cube(4, OWN)])
def test_filters_go_by_points_at_every_score(cube: Cube) -> None:
    boards = play_random_positions(12, 6)
    dice = np.random.default_rng(6).integers(1, 7, (len(boards), 2)).astype(np.int8)
    engine = default_engine()
    static = rank(make_search(engine, EvalSettings(0)), boards, dice, cube)
    deeper = rank(make_search(engine, EvalSettings(1)), boards, dice, cube, NORMAL)
    for first, end in itertools.pairwise(static.offsets):
        equities = static.equities[first:end]
        near = np.sort(equities[equities >= equities.max() - 0.16])[::-1][:8]
        expected = equities >= near[-1] if len(near) > 1 else np.zeros(end - first, bool)
        assert np.array_equal(deeper.ply[first:end] == 1, expected)
