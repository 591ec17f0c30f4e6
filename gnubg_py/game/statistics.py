"""Statistics of a game or match: sums of its judgements, with gnubg's marks and ratings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from gnubg_py.cube.met import MatchEquityTable
from gnubg_py.game.analysis import CubeJudgement, Judgement, Luck, PlayJudgement
from gnubg_py.game.position import is_playing, match_is_over
from gnubg_py.game.record import MatchRecord, next_state, played_at
from gnubg_py.match import MatchState, is_post_crawford

RATINGS = (
    (0.002, "Supernatural"),
    (0.005, "World class"),
    (0.008, "Expert"),
    (0.012, "Advanced"),
    (0.018, "Intermediate"),
    (0.026, "Casual player"),
    (0.035, "Beginner"),
)
"""gnubg's words for an error rate below each of these."""
PR_SCALE = 500
"""XG's performance rating is the mean loss of a decision times this."""
MOVE_MARKS = ("unmarked", "doubtful", "bad", "very bad")
_LUCK_MARKS = ("very lucky", "lucky", "unmarked", "unlucky", "very unlucky")
_LUCK = ((-0.06, "Go to bed"), (-0.03, "Bad dice, man!"), (0.03, "None"), (0.06, "Good dice, man!"))


@dataclass(frozen=True)
class Thresholds:
    """The losses from which plays, and the luck from which rolls, get a mark."""

    doubtful: float = 0.03
    bad: float = 0.06
    verybad: float = 0.12
    lucky: float = 0.3
    verylucky: float = 0.6
    unlucky: float = 0.3
    veryunlucky: float = 0.6


@dataclass
class Sum:
    """A count, and the totals of equity and of winning chance or points."""

    count: int = 0
    equity: float = 0.0
    worth: float = 0.0

    def add(self, equity: float, worth: float) -> None:
        """Add one to the count, and the values to the totals."""
        self.count += 1
        self.equity += equity
        self.worth += worth


CUBE_ERRORS = (
    "Missed doubles below CP",
    "Missed doubles above CP",
    "Wrong doubles below DP",
    "Wrong doubles above TG",
    "Wrong takes",
    "Wrong passes",
)


@dataclass
class Statistics:
    """One player's statistics."""

    moves: int = 0
    unforced: int = 0
    marks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MOVE_MARKS, 0))
    play_error: Sum = field(default_factory=Sum)
    luck_marks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LUCK_MARKS, 0))
    luck: Sum = field(default_factory=Sum)
    cube_decisions: int = 0
    close: int = 0
    doubles: int = 0
    takes: int = 0
    passes: int = 0
    cube_errors: dict[str, Sum] = field(default_factory=lambda: {n: Sum() for n in CUBE_ERRORS})

    @property
    def cube_error(self) -> tuple[float, float]:
        """The total cost of wrong cube decisions."""
        sums = self.cube_errors.values()
        return sum(s.equity for s in sums), sum(s.worth for s in sums)

    @property
    def play_rate(self) -> float:
        """The mean cost of a play that was not forced."""
        return self.play_error.equity / self.unforced if self.unforced else 0.0

    @property
    def cube_rate(self) -> float:
        """The mean cost of a close cube decision."""
        return self.cube_error[0] / self.close if self.close else 0.0

    @property
    def total(self) -> tuple[float, float]:
        """The total cost of all errors."""
        equity, worth = self.cube_error
        return self.play_error.equity + equity, self.play_error.worth + worth

    @property
    def rate(self) -> float:
        """The mean cost of a decision."""
        return self.total[0] / self.decisions if self.decisions else 0.0

    @property
    def decisions(self) -> int:
        """The decisions that count in ``rate``: plays that were not forced, close cube actions."""
        return self.unforced + self.close

    @property
    def performance(self) -> float:
        """The error rate times 500, which XG calls PR; 0 is perfect play."""
        return PR_SCALE * self.rate


def play_mark(loss: float, limits: Thresholds) -> str:
    """The mark of a play or cube action with this loss.

    >>> play_mark(0.07, Thresholds()), play_mark(0.0, Thresholds())
    ('bad', 'unmarked')
    """
    if loss >= limits.verybad:
        return "very bad"
    if loss >= limits.bad:
        return "bad"
    return "doubtful" if loss >= limits.doubtful else "unmarked"


def luck_mark(luck: float, limits: Thresholds) -> str:
    """The mark of a roll with this luck."""
    if luck >= limits.lucky:
        return "very lucky" if luck >= limits.verylucky else "lucky"
    if luck <= -limits.unlucky:
        return "very unlucky" if luck <= -limits.veryunlucky else "unlucky"
    return "unmarked"


def rating(rate: float) -> str:
    """gnubg's word for an error rate.

    >>> rating(0.0095), rating(0.2)
    ('Advanced', 'Awful!')
    """
    return next((word for limit, word in RATINGS if rate < limit), "Awful!")


def rating_level(rate: float) -> int:
    """gnubg's number for an error rate: 0 (awful) to 7 (supernatural).

    >>> rating_level(0.0095), rating_level(0.2)
    (4, 0)
    """
    return sum(rate < limit for limit, _ in RATINGS)


def luck_rating(rate: float) -> str:
    """gnubg's words for the luck of a roll, on average."""
    return next((words for limit, words in _LUCK if rate < limit), "Go to Las Vegas")


def luck_level(rate: float) -> int:
    """gnubg's number for the luck of a roll, on average: 0 (very unlucky) to 4 (very lucky).

    >>> luck_level(-0.1), luck_level(0.0), luck_level(0.05)
    (0, 2, 3)
    """
    return sum(rate >= limit for limit, _ in _LUCK)


def collect(
    judgements: Iterable[Judgement], limits: Thresholds | None = None
) -> tuple[Statistics, Statistics]:
    """The statistics of both players."""
    limits = limits or Thresholds()
    both = (Statistics(), Statistics())
    for judgement in judgements:
        one = both[judgement.player]
        match judgement:
            case PlayJudgement():
                one.moves += 1
                one.unforced += not judgement.forced
                one.marks[play_mark(judgement.loss, limits)] += 1
                one.play_error.add(judgement.loss, judgement.cost)
            case Luck():
                one.luck_marks[luck_mark(judgement.luck, limits)] += 1
                one.luck.add(judgement.luck, judgement.worth)
            case CubeJudgement():
                _add_cube(one, judgement)
    return both


def _add_cube(one: Statistics, judgement: CubeJudgement) -> None:
    one.cube_decisions += 1
    one.close += judgement.close
    if judgement.answer is None:
        one.doubles += judgement.doubled
    elif judgement.answer == "drop":
        one.passes += 1
    else:
        one.takes += 1
    if judgement.loss > 0:
        one.cube_errors[cube_error_kind(judgement)].add(judgement.loss, judgement.cost)


def cube_error_kind(judgement: CubeJudgement) -> str:
    """The kind of a cube error, in gnubg's words.

    A missed double is below the cash point if the double would be taken, else above it. A wrong
    double is below the doubling point if the position is not good enough, and above the too-good
    point if it is too good.
    """
    decision = judgement.decision
    if judgement.answer is not None:
        return "Wrong passes" if judgement.answer == "drop" else "Wrong takes"
    if judgement.doubled:
        too_good = decision.no_double > decision.double_pass
        return "Wrong doubles above TG" if too_good else "Wrong doubles below DP"
    passed = decision.double_pass <= decision.double_take
    return "Missed doubles above CP" if passed else "Missed doubles below CP"


def match_result(record: MatchRecord, games: range, met: MatchEquityTable) -> float | None:
    """What player 0 won in some games: points, or the change of its match winning chance.

    It is None if none of these games is over; one in progress does not count.
    """
    over = [record.games[game] for game in games if not is_playing(record.games[game].end)]
    if not over:
        return None
    first, last = record.games[games[0]], over[-1]
    before, after = played_at(first), last.end.match
    if record.length == 0:
        gained = [after.score[i] - before.score[i] for i in (0, 1)]
        return float(gained[0] - gained[1])
    if match_is_over(after):
        end = 1.0 if after.score[0] >= record.length else 0.0
    else:
        end = match_chance(next_state(last, record.rules), met)
    return end - match_chance(before, met)


def match_chance(state: MatchState, met: MatchEquityTable) -> float:
    """Player 0's chance of winning a match whose next game begins with this state."""
    togo = [state.match_length - points for points in state.score]
    return met.mwc(togo[0], togo[1], post_crawford=is_post_crawford(state) and max(togo) > 1)


def rating_losses(one: Statistics, length: int) -> tuple[float, float]:
    """FIBS rating points that plays and cube decisions cost in a match to ``length``.

    The formula is the fit by Kees van den Doel that gnubg uses.
    """
    return (
        (8798 + 25526 / length) * one.play_rate,
        (863 - 519 / length) * one.cube_rate,
    )


def rating_difference(chance: float, length: int) -> float | None:
    """The FIBS rating difference that gives this chance of winning a match to ``length``.

    >>> round(rating_difference(0.6936, 5) or 0)
    317
    """
    if not 0 < chance < 1:
        return None
    return -2000 / math.sqrt(length) * math.log10(1 / chance - 1)
