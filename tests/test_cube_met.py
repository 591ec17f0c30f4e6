"""Match equity tables: known values, invariants, and files that are not what they should be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnubg_py.cube.met import (
    after_game,
    chance_of_equity,
    equity_of_chance,
    kazaross_xg2,
    make_table,
)
from gnubg_py.cube.met_xml import read_met
from gnubg_py.cube.state import OWN, Cube
from tests.cube_twins import cubes

MET = kazaross_xg2()


@pytest.mark.parametrize(
    ("away", "other", "post_crawford", "chance"),
    [
        (1, 1, False, 0.5),
        (1, 2, False, 0.67736),
        (3, 4, False, 0.57150),
        (5, 9, False, 0.72540),
        (25, 24, False, 0.46914),
        (1, 1, True, 0.5),
        (2, 1, True, 0.48803),
        (3, 1, True, 0.32264),
        (1, 3, True, 1 - 0.32264),
        (0, 3, False, 1.0),
        (3, 0, True, 0.0),
    ],
)
def test_kazaross_xg2(away: int, other: int, post_crawford: bool, chance: float) -> None:
    assert MET.mwc(away, other, post_crawford) == pytest.approx(chance, abs=1e-12)


@given(st.integers(1, 64), st.integers(1, 64))
def test_one_side_or_the_other_wins_the_match(a: int, b: int) -> None:
    assert MET.mwc(a, b) + MET.mwc(b, a) == pytest.approx(1)
    if a == 1 or b == 1:
        assert MET.mwc(a, b, True) + MET.mwc(b, a, True) == pytest.approx(1)


def test_a_point_more_is_never_worse() -> None:
    for table in (MET.pre[:25, :25], MET.pre[25:, 25:]):
        assert (np.diff(table, axis=1) >= 0).all()
    assert (np.diff(MET.post) <= 0).all()


def test_beyond_the_published_length_the_scores_follow_a_normal_distribution() -> None:
    assert MET.mwc(31, 11) == pytest.approx(0.040620, abs=1e-6)  # 20 points, sigma 11.47
    assert MET.mwc(40, 40) == 0.5
    assert MET.mwc(27, 1, True) == pytest.approx(0.375 * MET.post[24] + 0.125 * MET.post[22])


def test_a_score_beyond_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="65-away, 2-away: at most 64 points each"):
        MET.mwc(65, 2)
    with pytest.raises(ValueError, match="3-away, 2-away after Crawford: no side is 1-away"):
        MET.mwc(3, 2, True)


def test_the_game_after_the_crawford_game_is_post_crawford() -> None:
    before, crawford = Cube(away=(3, 2)), Cube(away=(3, 1), crawford=True)
    assert after_game(before, -1, MET) == MET.mwc(3, 1)
    assert after_game(crawford, 1, MET) == 0.48803
    assert after_game(crawford, 2, MET) == 0.5
    assert after_game(crawford, -1, MET) == 0.0


@given(cubes(), st.floats(-1, 1))
def test_equity_to_match_winning_chance_and_back(cube: Cube, equity: float) -> None:
    if cube.away is None:
        with pytest.raises(ValueError, match="money play"):
            chance_of_equity(equity, cube, MET)
        return
    mwc = chance_of_equity(equity, cube, MET)
    assert 0 <= mwc <= 1
    # 1-away against many, winning or losing changes hardly anything: the chances are near 1.
    assert equity_of_chance(mwc, cube, MET) == pytest.approx(equity, abs=1e-6)


def test_at_double_match_point_equity_is_winning_chance() -> None:
    assert chance_of_equity(0.2, Cube(away=(1, 1)), MET) == pytest.approx(0.6)
    assert chance_of_equity(0.2, Cube(2, OWN, away=(2, 2)), MET) == pytest.approx(0.6)


ROWS = [[0.5, 0.7, 0.75], [0.3, 0.5, 0.6], [0.25, 0.4, 0.5]]


def xml(
    rows: Sequence[Sequence[object]] = ROWS,
    post: Sequence[object] = (0.5, 0.48, 0.32),
    length: object = 3,
    kind: str = "explicit",
) -> str:
    def row(values: Sequence[object]) -> str:
        return "<row>" + "".join(f"<me> {v} </me>" for v in values) + "</row>"

    return (
        '<?xml version="1.0"?><!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD" "met.dtd"><met>'
        f"<info><name>A\n  table</name><length>{length}</length></info>"
        f'<pre-crawford-table type="{kind}">{"".join(map(row, rows))}</pre-crawford-table>'
        f'<post-crawford-table type="explicit" player="both">{row(post)}</post-crawford-table>'
        "</met>"
    )


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    path.write_text(xml())
    table = read_met(path)
    assert (table.name, table.length) == ("A table", 3)
    assert table.pre[:3, :3].tolist() == ROWS
    assert table.post[:2].tolist() == [0.5, 0.48]
    assert table.mwc(9, 9) == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (xml(rows=ROWS[:2]), "pre-crawford-table has 2 rows: should have 3"),
        (xml(rows=[ROWS[0], [0.3, 0.5], ROWS[2]]), "row 2 has 2 entries: should have 3"),
        (xml(rows=[ROWS[0], [0.3, "", 0.6], ROWS[2]]), "row 2, entry 2 is '': should be a number"),
        (xml(rows=[[0.5, 70, 0.75], *ROWS[1:]]), "row 1, entry 2 is 70: should be a chance"),
        (xml(rows=[[0.5, "nan", 0.75], *ROWS[1:]]), "row 1, entry 2 is nan: should be a chance"),
        (xml(rows=[[0.5, 0.8, 0.75], *ROWS[1:]]), "1-away, 2-away is 0.8 and the other way"),
        (xml(post=[0.5]), "post-crawford-table has 1 entries: should have 2"),
        (xml(post=[0.5, -0.1]), "post-Crawford row 1, entry 2 is -0.1"),
        (xml(length="many"), "length 'many': should be a whole number from 2 to 64"),
        (xml(length=-1), "length '-1'"),
        (xml(kind="zadeh"), "pre-crawford-table of type 'zadeh': only type 'explicit'"),
        (xml().replace("post-", "past-"), "no <post-crawford-table>"),
        (xml().replace("<met>", "<met>&"), "not XML"),
        ("<html></html>", "<html>: a MET file begins with <met>"),
        ('<!DOCTYPE met [<!ENTITY a "aaa">]>' + xml(), "defines entities"),
        ("<met>" * 1000, "nested more than 20 deep"),
        ("", "not XML"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table.xml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_met(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_entities_are_found_in_every_encoding(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE met [<!ENTITY a "a">]><met>&a;</met>'
    path = tmp_path / "table.xml"
    path.write_bytes(text.encode("utf-16"))
    with pytest.raises(ValueError, match="defines entities, which no MET file needs"):
        read_met(path)


def test_a_table_with_a_favourite_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    post = '<post-crawford-table player="1"><row><me>.4</me><me>.3</me></row></post-crawford-table>'
    path.write_text(xml().replace("</met>", f"{post}</met>"))
    with pytest.raises(ValueError, match="post-crawford-tables differ"):
        read_met(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nowhere\.xml: no such file"):
        read_met(tmp_path / "nowhere.xml")


def test_a_table_too_small_or_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match="should be n by n"):
        make_table("x", np.full((2, 3), 0.5), [0.5, 0.5])
    with pytest.raises(ValueError, match="post-Crawford table has 1 entries: needs 2"):
        make_table("x", np.array(ROWS), [0.5])


@pytest.mark.parametrize(("path", "kind"), [("/dev/zero", "a device"), ("/", "a folder")])
def test_what_is_no_file_is_not_read(path: str, kind: str) -> None:
    with pytest.raises(ValueError, match=f"^{path}: is {kind}"):
        read_met(path)
