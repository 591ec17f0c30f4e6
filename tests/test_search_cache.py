"""Keys of boards, and the cache: never a wrong answer, whatever is put in and taken out."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.board import Board
from gnubg_py.cube.state import Cube
from gnubg_py.evaluators.router import with_exact_endings
from gnubg_py.keys import board_keys, boards_of_keys, distinct
from gnubg_py.notation.position_id import position_ids
from gnubg_py.search import cache as cache_module
from gnubg_py.search.cache import SearchCache, Table, set_cache_size, shared_cache
from tests.conftest import play_random_positions
from tests.search_twins import PIPS, random_leaf, random_net
from tests.strategies import boards


def test_keys_tell_all_positions_apart() -> None:
    boards = play_random_positions(3000, 5)
    keys = [tuple(key) for key in board_keys(boards).tolist()]
    assert len(set(keys)) == len(set(position_ids(boards)))
    assert max(max(key) for key in keys) < 1 << 40


@given(st.lists(st.integers(0, 5), max_size=40))
def test_distinct_finds_what_repeats(numbers: list[int]) -> None:
    keys = np.array([[n % 3, n // 3] for n in numbers], np.uint64).reshape(-1, 2)
    first, inverse = distinct(keys)
    assert (keys[first][inverse] == keys).all()
    assert len(first) == len(set(numbers))
    assert first.tolist() == sorted(numbers.index(n) for n in set(numbers))


KEYS = st.tuples(st.integers(1, 4), st.integers(1, 30))
STEPS = st.lists(st.tuples(st.booleans(), KEYS, st.integers(1, 3)), max_size=120)


@given(STEPS, st.sampled_from([4, 8, 64]))
def test_a_hit_is_always_what_was_put_in_last(
    steps: list[tuple[bool, tuple[int, int], int]], size: int
) -> None:
    table = Table(size, 2, np.float64)
    known: dict[tuple[tuple[int, int], int], int] = {}
    for number, (inserts, key, tag) in enumerate(steps):
        keys = np.array([key], np.uint64)
        if inserts:
            table.insert(keys, tag, np.array([[number, -number]], np.float64))
            known[key, tag] = number
        else:
            out, hit = table.look_up(keys, tag, 2)
            if hit[0]:
                assert out[0].tolist() == [known[key, tag], -known[key, tag]]
    statistics = table.statistics()
    assert statistics.used <= statistics.size == max(4, size)


def test_the_newest_of_a_full_bucket_stay() -> None:
    table = Table(4, 1, np.float32)
    keys = np.arange(1, 7, dtype=np.uint64).repeat(2).reshape(6, 2)
    for i in range(6):
        table.insert(keys[i : i + 1], 1, np.array([[i]], np.float32))
    out, hit = table.look_up(keys, 1, 1)
    assert hit.tolist() == [False, False, True, True, True, True]
    assert out[2:, 0].tolist() == [2, 3, 4, 5]
    found = table.statistics()
    assert (found.size, found.used, found.lookups, found.hits) == (4, 4, 6, 4)
    table.clear()
    assert not table.look_up(keys, 1, 1)[1].any()


def test_size_0_remembers_nothing() -> None:
    table = Table(0, 5, np.float32)
    keys = np.ones((3, 2), np.uint64)
    table.insert(keys, 1, np.zeros((3, 5), np.float32))
    assert not table.look_up(keys, 1, 5)[1].any()
    assert table.statistics().size == 0


def test_sizes_that_cannot_be() -> None:
    for size in (-1, 1 << 40):
        with pytest.raises(ValueError, match=f"cache size {size}: should be 0"):
            SearchCache(size)


def test_tags_stand_for_what_an_entry_depends_on() -> None:
    cache = SearchCache(16)
    tags = {
        cache.tag(PIPS.identity, (Cube(),), 1),
        cache.tag(PIPS.identity, (Cube(),), 2),
        cache.tag(PIPS.identity, (Cube(jacoby=True),), 1),
        cache.tag(random_net().identity, (Cube(),), 1),
    }
    assert len(tags) == 4
    assert min(tags) > 0
    assert cache.tag(PIPS.identity, (Cube(),), 1) in tags


def test_threads_share_a_table() -> None:
    """Each thread writes values that tell their key; whatever a reader finds must fit its key."""
    table = Table(64, 2, np.float64)
    wrong = []

    def work(seed: int) -> None:
        generator = np.random.default_rng(seed)
        for _ in range(300):
            keys = generator.integers(1, 40, (50, 2)).astype(np.uint64)
            table.insert(keys, 7, keys.astype(np.float64))
            out, hit = table.look_up(keys, 7, 2)
            wrong.extend(np.flatnonzero(hit & (out != keys).any(axis=1)).tolist())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert table.statistics().lookups == 4 * 300 * 50


def test_the_shared_cache_takes_a_new_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_shared", None)
    first = shared_cache()
    assert shared_cache() is first
    set_cache_size(100)
    assert shared_cache().static.statistics().size == 128
    shared_cache().clear()


def test_the_same_net_has_the_same_tag_however_often_it_is_loaded() -> None:
    cache = SearchCache(16)
    routers = [with_exact_endings("random", random_leaf((8,), seed)) for seed in (1, 1, 2)]
    first, again, other = (cache.tag(router.identity) for router in routers)
    assert first == again != other


def test_a_cleared_cache_forgets_who_was_asked_and_gives_no_tag_twice() -> None:
    cache = SearchCache(1 << 10)
    asked = object()
    before = cache.tag(asked)
    assert cache.tag(asked) == before
    held = sys.getrefcount(asked)
    cache.clear()
    assert sys.getrefcount(asked) < held
    assert cache.tag(asked) > before


@given(boards())
def test_a_key_leads_back_to_its_board(board: Board) -> None:
    assert (boards_of_keys(board_keys(board[None]))[0] == board).all()
