"""Slices over threads: order, failures, nesting; and results that do not depend on threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import numpy as np
import pytest

from gnubg_py.board import Boards
from gnubg_py.plays import all_rolls
from gnubg_py.threads import (
    map_slices,
    map_stream,
    set_thread_count,
    slice_size,
    thread_count,
    thread_taken,
)


@pytest.fixture(autouse=True)
def _threads_as_before() -> Iterator[None]:
    before = thread_count()
    yield
    set_thread_count(before)


def length(rows: slice) -> int:
    return int(rows.stop - rows.start)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("n", "size", "lengths"),
    [(0, 4, [0]), (3, 4, [3]), (4, 4, [4]), (9, 4, [4, 4, 1]), (8, 4, [4, 4])],
)
def test_slices_are_cut_by_size_alone(threads: int, n: int, size: int, lengths: list[int]) -> None:
    set_thread_count(threads)
    assert map_slices(length, n, size) == lengths


def test_all_threads_get_as_many_slices() -> None:
    set_thread_count(1)
    assert [slice_size(n, 64) for n in (0, 20, 64, 65, 300)] == [1, 20, 64, 33, 60]
    set_thread_count(2)
    assert [slice_size(n, 64) for n in (0, 3, 20, 130, 300)] == [1, 2, 10, 33, 50]
    assert [slice_size(n, 64, 8) for n in (3, 20, 300)] == [8, 10, 50]


def test_slices_within_slices_are_large_while_every_thread_is_at_work() -> None:
    set_thread_count(2)
    begun, asked = threading.Barrier(2), threading.Barrier(2)

    def work(_: slice) -> int:
        begun.wait(60)
        size = slice_size(20, 64)
        asked.wait(60)
        return size

    assert map_slices(work, 2, 1) == [20, 20]


def thread_ids_of_two_slices() -> set[int]:
    """The threads that work on two slices, each of which waits for the other to begin."""
    meet = threading.Barrier(2)

    def work(_: slice) -> int:
        meet.wait(60)
        return threading.get_ident()

    return set(map_slices(work, 2, 1))


@pytest.mark.parametrize("outer", ["slices", "stream"])
def test_threads_without_work_help_with_the_slices_of_others(outer: str) -> None:
    set_thread_count(2)
    first_is_done = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            first_is_done.set()
            return 1
        assert first_is_done.wait(60)
        while slice_size(2, 64) == 2:  # the other thread has not come to its end yet
            time.sleep(0.001)
        return len(thread_ids_of_two_slices())

    if outer == "slices":
        assert map_slices(lambda rows: work(rows.start), 2, 1) == [1, 2]
    else:
        assert list(map_stream(work, range(2), lambda: None)) == [1, 2]
    assert len(thread_ids_of_two_slices()) == 2  # all are free again


def test_after_a_failure_all_threads_are_free_again() -> None:
    set_thread_count(2)

    def fail(rows: slice) -> None:
        raise ValueError(f"slice {rows.start} is bad")

    for _ in range(3):
        with pytest.raises(ValueError, match="is bad"):
            map_slices(fail, 4, 1)
        with pytest.raises(ValueError, match="is bad"):
            list(map_stream(lambda n: fail(slice(n, n)), range(4), lambda: None))
    assert len(thread_ids_of_two_slices()) == 2


def test_a_thread_that_does_other_work_leaves_one_less_for_slices() -> None:
    set_thread_count(2)

    def thread_ids() -> set[int]:
        meet = threading.Barrier(2)

        def work(_: slice) -> int:
            if not taken:
                meet.wait(60)
            return threading.get_ident()

        return set(map_slices(work, 2, 1))

    for taken in (True, False):
        with thread_taken() if taken else nullcontext():
            assert len(thread_ids()) == (1 if taken else 2)


def test_answers_come_in_order_whichever_ends_first() -> None:
    set_thread_count(2)
    second_is_done = threading.Event()

    def work(rows: slice) -> int:
        if rows.start == 0:
            assert second_is_done.wait(60)  # so both were under way at once
        else:
            second_is_done.set()
        return int(rows.start)

    assert map_slices(work, 2, 1) == [0, 1]


def test_work_that_maps_slices_itself_comes_to_an_end() -> None:
    set_thread_count(2)
    answer: list[int] = []

    def outer() -> None:
        answer.extend(map_slices(lambda _: sum(map_slices(length, 10, 3)), 8, 1))

    thread = threading.Thread(target=outer, daemon=True)
    thread.start()
    thread.join(60)
    assert answer == [10] * 8


def test_a_failure_in_one_slice_reaches_the_caller() -> None:
    set_thread_count(2)

    def work(rows: slice) -> None:
        if rows.start == 4:
            raise ValueError("slice 4 is bad")

    with pytest.raises(ValueError, match=r"^slice 4 is bad$"):
        map_slices(work, 8, 1)
    assert map_slices(length, 8, 4) == [4, 4]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_stream_is_answered_in_order_and_taken_only_as_it_is_worked_on(threads: int) -> None:
    set_thread_count(threads)
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(20):
            taken.append(item)
            yield item

    def never() -> None:
        raise AssertionError

    answers = []
    for answer in map_stream(lambda item: item * item, items(), never):
        answers.append(answer)
        assert len(taken) <= len(answers) + threads
    assert answers == [item * item for item in range(20)]


def test_a_stream_that_is_left_ends_the_work_under_way() -> None:
    set_thread_count(2)
    gave_up, ended = threading.Event(), threading.Event()

    def work(item: int) -> int:
        if item == 1:
            assert gave_up.wait(60)
            ended.set()
        return item

    stream = map_stream(work, range(100), gave_up.set)
    assert next(stream) == 0
    stream.close()
    assert ended.is_set()


def test_a_failure_in_a_stream_reaches_the_caller() -> None:
    set_thread_count(2)
    gave_up = threading.Event()

    def work(item: int) -> None:
        if item == 4:
            raise ValueError("item 4 is bad")

    with pytest.raises(ValueError, match=r"^item 4 is bad$"):
        list(map_stream(work, range(100), gave_up.set))
    assert gave_up.is_set()


@pytest.mark.parametrize("n", [0, -1, 1025])
def test_absurd_thread_counts_are_refused(n: int) -> None:
    before = thread_count()
    with pytest.raises(ValueError, match=f"^threads {n}: should be 1 to 1024$"):
        set_thread_count(n)
    assert thread_count() == before


def test_plays_do_not_depend_on_threads(random_positions: Callable[[int, int], Boards]) -> None:
    boards = random_positions(500, 21)  # 10,500 rolls: several slices
    answers = []
    for threads in (1, 2, 7):
        set_thread_count(threads)
        answers.append(all_rolls(boards))
    for positions, offsets in answers[1:]:
        assert np.array_equal(positions, answers[0][0])
        assert np.array_equal(offsets, answers[0][1])
