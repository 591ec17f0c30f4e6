"""Items that threads share: each is claimed once, whoever is quicker."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnubg_py.claims import claimed, new_claims
from gnubg_py.kernel_cache import njit
from gnubg_py.threads import on_threads, set_thread_count, thread_count


@njit(cache=True, nogil=True)
def claim_all(claims, out):  # type: ignore[no-untyped-def]
    """Write the items that this thread gets, and return how many."""
    n = 0
    while True:
        item = claimed(claims)
        if item >= claims[1]:
            return n
        out[n] = item
        n += 1


@given(st.integers(0, 50), st.integers(0, 50))
def test_one_thread_gets_all_items_in_order(start: int, n: int) -> None:
    out = np.empty(n, np.int64)
    claims = new_claims(slice(start, start + n))
    assert claim_all(claims, out) == n
    assert out.tolist() == list(range(start, start + n))
    assert claim_all(claims, out) == 0


def test_threads_share_the_items() -> None:
    n, threads = 200_000, thread_count()
    claims, shares = new_claims(slice(0, n)), []

    def work() -> None:
        mine: NDArray[np.int64] = np.empty(n, np.int64)
        shares.append(mine[: claim_all(claims, mine)].tolist())

    set_thread_count(4)
    try:
        on_threads(work, 4)
    finally:
        set_thread_count(threads)
    assert sorted(chain(*shares)) == list(range(n))
    assert all(share == sorted(share) for share in shares)


def test_work_for_one_thread_stays_on_the_callers() -> None:
    calls: list[int] = []
    on_threads(lambda: calls.append(1), 1)
    on_threads(lambda: calls.append(1), 0)
    assert calls == [1, 1]
