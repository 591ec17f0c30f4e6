"""Whole matches: judged in batches, added up, saved and loaded."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnubg_py
from gnubg_py.engine import engine_of
from gnubg_py.game.actions import Double, Drop, Move, Roll, Take
from gnubg_py.game.analysis import Analyst, CubeJudgement, Judgement, PlayJudgement
from gnubg_py.game.record import MatchRecord, with_action, with_new_game
from gnubg_py.matches.judge import judge_places
from gnubg_py.matches.match_analysis import MatchAnalysis, judged_places
from gnubg_py.search.cache import SearchCache
from gnubg_py.search.context import StopToken
from gnubg_py.search.settings import PRESETS, EvalSettings, strength_of
from tests.random_matches import FEW, random_match


def numbers(judgement: Judgement) -> object:
    """Everything a judgement says, to the bit."""
    if not isinstance(judgement, PlayJudgement):
        return judgement
    plays = [
        (play.board.tobytes(), play.ply, play.equity, play.value, play.probabilities.tobytes())
        for play in judgement.plays
    ]
    return judgement.chosen, judgement.loss, judgement.cost, judgement.dice, plays


def judged(record: MatchRecord, analyst: Analyst, part: int) -> dict[object, object]:
    """What is said of every action, ``part`` of them handed over at once."""
    places = judged_places(record.games)
    found: dict[object, object] = {}
    for start in range(0, len(places), part):
        for some in judge_places(record.games, places[start : start + part], analyst):
            found |= {place: [numbers(item) for item in said] for place, said in some.items()}
    return found


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 3, 5]))
def test_a_decision_is_judged_alike_alone_and_among_others(seed: int, length: int) -> None:
    record = random_match(seed, length, games=2)
    alone = Analyst(engine_of(cache=SearchCache(0)), PRESETS["expert"])
    among = Analyst(engine_of(cache=SearchCache(0)), PRESETS["expert"])
    assert judged(record, alone, 1) == judged(record, among, 1000)


def test_so_it_is_at_a_deeper_ply() -> None:
    record = random_match(11, 3, games=1)
    analyst = Analyst(engine_of(cache=SearchCache(0)), strength_of(EvalSettings(1)))
    assert judged(record, analyst, 1) == judged(record, analyst, 1000)


@pytest.fixture(scope="module")
def blunders() -> MatchAnalysis:
    """A match to 5 in which Ann runs with 3-1, and Bob passes a double that he should take."""
    record = with_new_game(MatchRecord(length=5, players=("Bob", "Ann")), (1, 3))
    actions = [Move(1, "24/23 24/21"), Roll(0, (6, 2)), Move(0, "24/18 13/11")]
    for action in [*actions, Double(1), Drop(0)]:
        record = with_action(record, action)
    return gnubg_py.analyse(record, ply=0)


def test_each_decision_carries_what_was_played_and_what_was_best(blunders: MatchAnalysis) -> None:
    opening, no_double, reply, double, answer = blunders
    assert (no_double.kind, no_double.counts) == ("double", False)
    assert (opening.name, opening.played, opening.best) == ("Ann", "24/23 24/21", "8/5 6/5")
    assert opening.loss > 0.05
    assert opening.candidates()[0].text == "8/5 6/5"
    assert opening.candidates()[-1].text == opening.played
    assert reply.luck is not None
    assert (double.kind, double.played, double.best) == ("double", "double", "no double")
    assert (answer.kind, answer.played, answer.best) == ("answer", "pass", "take")
    assert answer.loss > 0.3
    assert blunders.mistakes(player="bob") == [answer, reply]


def test_the_luck_of_the_opening_roll_is_who_plays_first_too(blunders: MatchAnalysis) -> None:
    """Before the roll both sides are as likely to play first: nothing is to be subtracted."""
    opening = blunders[0]
    assert opening.luck == pytest.approx(opening.candidates()[0].equity, abs=1e-5)


def test_statistics_are_by_player_and_game(blunders: MatchAnalysis) -> None:
    bob, ann = blunders.statistics()
    assert (bob.passes, ann.doubles, ann.unforced) == (1, 1, 1)
    assert blunders.statistics(1)[1].total == ann.total
    rating, error = blunders.performance("Ann")
    assert rating == pytest.approx(ann.performance)
    assert ann.performance == pytest.approx(500 * ann.total[0] / 2)
    assert error > 0


def test_an_analysis_prints_itself(blunders: MatchAnalysis) -> None:
    text = str(blunders)
    assert "Performance rating" in text
    assert "Bob pass, best take" in text
    assert "Chequerplay statistics" in blunders.table()
    assert repr(blunders).startswith("<MatchAnalysis Bob - Ann, 5 points, 5 decisions")


def test_an_analysis_becomes_rows(blunders: MatchAnalysis) -> None:
    rows = list(csv.DictReader(io.StringIO(blunders.to_csv())))
    assert [row["played"] for row in rows] == [one.played for one in blunders]
    assert list(rows[0]) == list(blunders.rows()[0])


def test_an_analysis_is_saved_with_the_match(blunders: MatchAnalysis, tmp_path: Path) -> None:
    blunders.save(tmp_path / "match.json")
    again = gnubg_py.load_analysis(tmp_path / "match.json")
    assert again.complete
    assert again.to_dict() == blunders.to_dict()


def test_what_is_analysed_is_not_analysed_again(blunders: MatchAnalysis) -> None:
    steps: list[tuple[int, int]] = []
    again = gnubg_py.analyse(
        blunders.record, ply=0, earlier=blunders, progress=lambda *step: steps.append(step)
    )
    assert not steps
    assert again.to_dict() == blunders.to_dict()


def test_a_stopped_analysis_keeps_what_is_done() -> None:
    record, stop = random_match(5, 7, games=9), StopToken()
    half = gnubg_py.analyse(record, ply=0, stop=stop, progress=lambda *_: stop.stop())
    assert not half.complete
    assert 0 < len(half) < len(gnubg_py.analyse(record, ply=0, earlier=half))
    assert "stopped" in str(half)


def test_ctrl_c_keeps_what_is_done() -> None:
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    half = gnubg_py.analyse(random_match(5, 7, games=9), ply=0, progress=interrupt)
    assert len(half) > 0
    assert not half.complete


def test_a_match_without_moves_has_no_decisions() -> None:
    empty = gnubg_py.analyse(MatchRecord(length=7), ply=0)
    assert (len(empty), empty.complete, empty.result()) == (0, True, None)
    assert "Match to 7 points, 0 games" in str(empty)
    started = gnubg_py.analyse(with_new_game(MatchRecord(), (3, 1)), ply=0)
    assert (len(started), started.result()) == (0, None)


def test_a_player_is_known_by_name_or_number(blunders: MatchAnalysis) -> None:
    assert (blunders.seat("ANN"), blunders.seat(0)) == (1, 0)
    with pytest.raises(ValueError, match="'Eve': should be 'Bob' or 'Ann'"):
        blunders.seat("Eve")


def test_answers_to_doubles_are_judged_by_their_own_equities() -> None:
    record = with_new_game(MatchRecord(), (1, 3))
    for action in [Move(1, "8/5 6/5"), Double(0), Take(1)]:
        record = with_action(record, action)
    *_, double, take = gnubg_py.analyse(record, ply=0)
    assert isinstance(take.judgement, CubeJudgement)
    assert take.loss == 0
    assert double.loss == pytest.approx(
        double.judgement.decision.no_double - double.judgement.decision.double_take  # type: ignore[union-attr]
    )
    losses = {one.text: one.loss for one in double.candidates()}
    assert losses["no double"] == 0
    assert losses["double, take"] == pytest.approx(double.loss)
