"""The lowest rows of groups, against plain sorting."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.groups import few_lowest, highest, lowest

GROUPS = st.lists(
    st.lists(
        st.tuples(st.integers(-8, 8), st.integers(0, 2), st.booleans()), min_size=1, max_size=10
    ),
    min_size=1,
    max_size=4,
)


@given(GROUPS)
def test_the_lowest_and_the_highest_of_each_group(
    groups: list[list[tuple[int, int, bool]]],
) -> None:
    rows = [row for group in groups for row in group]
    scores, ties = (np.array([row[k] for row in rows], float) for k in (0, 1))
    offsets = np.cumsum([0] + [len(group) for group in groups])
    pairs = list(itertools.pairwise(offsets.tolist()))
    first = [min(range(a, b), key=lambda j: scores[j]) for a, b in pairs]
    assert lowest(scores, offsets).tolist() == first
    tied = [min(range(a, b), key=lambda j: (scores[j], ties[j])) for a, b in pairs]
    assert lowest(scores, offsets, ties).tolist() == tied
    assert highest(-scores, offsets).tolist() == first


@given(GROUPS, st.integers(1, 5), st.integers(1, 3), st.booleans(), st.booleans())
def test_the_few_lowest_near_the_lowest(
    groups: list[list[tuple[int, int, bool]]], keep: int, least: int, narrow: bool, marks: bool
) -> None:
    rows = [row for group in groups for row in group]
    scores, ties = (np.array([row[k] for row in rows], float) for k in (0, 1))
    always = np.array([row[2] for row in rows])
    offsets = np.cumsum([0] + [len(group) for group in groups])
    within = np.linspace(0, 6, len(groups))
    kept, ends = few_lowest(
        scores,
        offsets,
        keep,
        within,
        least=least,
        narrow=narrow,
        ties=ties,
        always=always if marks else None,
    )
    for g, (start, end) in enumerate(itertools.pairwise(offsets.tolist())):
        marked = [j for j in range(start, end) if marks and always[j]]
        order = [j for j in range(start, end) if j not in marked]
        order.sort(key=lambda j: (scores[j], ties[j], j))
        limits = [within[g] * ((keep + 2 - r) / keep if narrow else 1) for r in range(1, keep + 1)]
        gaps = [scores[j] - scores[order[0]] for j in order]
        near = sum(gap <= limit for gap, limit in zip(gaps, limits, strict=False))
        expected = order[: min(keep, max(near, least))] + marked
        assert kept[ends[g] : ends[g + 1]].tolist() == expected
