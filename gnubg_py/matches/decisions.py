"""One decision of an analysed match: where it was made, what was played, and its cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from gnubg_py.board import Board
from gnubg_py.evaluators.classify import PositionClass, classify
from gnubg_py.game.analysis import CubeJudgement, PlayJudgement
from gnubg_py.game.position import Position
from gnubg_py.matches.rolled_out import RolledOut
from gnubg_py.matchfiles.contents import Place
from gnubg_py.notation import play_text, xgid
from gnubg_py.probabilities import Five

PLAY, DOUBLE, ANSWER = "play", "double", "answer"
"""The kinds of decisions: a play, whether to double, and whether to take a double."""

DECISION_COLUMNS = (
    *("game", "move", "player", "kind", "phase", "score", "opponent_score", "cube", "dice"),
    *("played", "best", "loss", "cost", "counts", "luck", "xgid"),
)
"""The columns of a table of decisions, which are the keys of ``Decision.row``."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """An action that the player could have chosen; the loss is against the best candidate.

    ``ply`` is the depth of the search; ``board`` the position after a play, the opponent on roll.
    """

    text: str
    equity: float
    loss: float
    ply: int
    probabilities: Five | None = None
    board: Board | None = None

    def __repr__(self) -> str:
        return f"<{self.text} {self.equity:+.3f}>"


@dataclass(frozen=True, eq=False)
class Decision:
    """A play or a cube action of ``player`` (0 or 1), judged.

    ``place`` are the numbers of the game and of the action in it, both from 0; ``move`` is the
    number of the player's turn in the game, from 1. ``position`` is seen by the side on roll.
    ``luck`` is that of the roll of a play; it is None for cube actions and where it is unknown.
    ``rolled_out`` is the result of a rollout, if there was one.
    """

    place: Place
    move: int
    player: int
    name: str
    position: Position
    judgement: PlayJudgement | CubeJudgement
    luck: float | None = None
    rolled_out: RolledOut | None = None

    @property
    def game(self) -> int:
        """The number of the game, from 1."""
        return self.place[0] + 1

    @property
    def kind(self) -> str:
        """``"play"``, ``"double"`` (to double or not) or ``"answer"`` (to take or pass)."""
        if isinstance(self.judgement, PlayJudgement):
            return PLAY
        return DOUBLE if self.judgement.answer is None else ANSWER

    @property
    def counts(self) -> bool:
        """Whether it counts in error rates, as unforced plays and close cube actions do."""
        if isinstance(self.judgement, PlayJudgement):
            return not self.judgement.forced
        return self.judgement.close

    @property
    def loss(self) -> float:
        """The equity it gave up, normalised to the cube; 0 for the best action."""
        return self.judgement.loss

    @property
    def cost(self) -> float:
        """The loss in points, or in a match as winning chance."""
        return self.judgement.cost

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll of a play; None for a cube action."""
        return self.judgement.dice if isinstance(self.judgement, PlayJudgement) else None

    @cached_property
    def phase(self) -> str:
        """gnubg's class of the position: contact, crashed, race, bearoff1 or bearoff2."""
        return PositionClass(int(classify(self.position.board[None])[0])).name.lower()

    @property
    def xgid(self) -> str:
        """The position as an XGID."""
        return xgid(self.position.board, self.position.match)

    @cached_property
    def played(self) -> str:
        """What was done: a play as text, or no double, double, take, pass, beaver."""
        judgement = self.judgement
        if isinstance(judgement, PlayJudgement):
            return self._text(judgement.plays[judgement.chosen].board)
        if judgement.answer is None:
            return "double" if judgement.doubled else "no double"
        return {"drop": "pass", "redouble": "beaver"}.get(judgement.answer, judgement.answer)

    @cached_property
    def best(self) -> str:
        """What should have been done."""
        judgement = self.judgement
        if isinstance(judgement, PlayJudgement):
            return self._text(judgement.plays[0].board)
        if judgement.answer is not None:
            return judgement.decision.answer.value
        return judgement.decision.verdict.value

    def candidates(self, most: int | None = 5) -> tuple[Candidate, ...]:
        """The best ``most`` plays (None: all) and the one that was made; or the cube actions."""
        judgement = self.judgement
        if isinstance(judgement, CubeJudgement):
            return self._cube_candidates(judgement)
        best = judgement.plays[0].equity
        return tuple(
            Candidate(
                self._text(play.board),
                play.equity,
                best - play.equity,
                play.ply,
                Five.of(play.probabilities),
                play.board,
            )
            for number, play in enumerate(judgement.plays)
            if most is None or number < most or number == judgement.chosen
        )

    def _cube_candidates(self, judgement: CubeJudgement) -> tuple[Candidate, ...]:
        """The three cube actions: equities of the side that may double, losses of the player."""
        decision = judgement.decision
        take, passed = decision.double_take, decision.double_pass
        if self.kind == ANSWER:
            losses = {"double, take": take - min(take, passed)}
            losses |= {"double, pass": passed - min(take, passed)}
        else:
            best = decision.equity
            losses = {"no double": best - decision.no_double}
            losses |= {"double, take": best - take, "double, pass": best - passed}
        equities = {"no double": decision.no_double, "double, take": take, "double, pass": passed}
        return tuple(
            Candidate(name, equity, max(0.0, losses.get(name, 0.0)), judgement.ply)
            for name, equity in equities.items()
        )

    def _text(self, after: Board) -> str:
        assert self.dice is not None
        return play_text(self.position.board, self.dice, after)

    def row(self) -> dict[str, Any]:
        """A dict with one value for each column of a table, a CSV file or a DataFrame."""
        match = self.position.match
        return {
            "game": self.game,
            "move": self.move,
            "player": self.name,
            "kind": self.kind,
            "phase": self.phase,
            "score": match.score[self.player],
            "opponent_score": match.score[1 - self.player],
            "cube": match.cube_value,
            "dice": "" if self.dice is None else f"{self.dice[0]}{self.dice[1]}",
            "played": self.played,
            "best": self.best,
            "loss": self.loss,
            "cost": self.cost,
            "counts": self.counts,
            "luck": self.luck,
            "xgid": self.xgid,
        }

    def to_dict(self) -> dict[str, Any]:
        """The row and the candidates as a dict for JSON."""
        candidates = [
            {
                "text": candidate.text,
                "equity": candidate.equity,
                "loss": candidate.loss,
                "ply": candidate.ply,
                "probabilities": candidate.probabilities and list(candidate.probabilities),
            }
            for candidate in self.candidates()
        ]
        rolled = None if self.rolled_out is None else asdict(self.rolled_out)
        return self.row() | {"candidates": candidates, "rolled_out": rolled}

    def __str__(self) -> str:
        roll = "" if self.dice is None else f" {self.dice[0]}{self.dice[1]}:"
        best = "" if self.loss == 0 else f", best {self.best}, loss {self.loss:.3f}"
        rolled = ""
        if self.rolled_out is not None:
            rolled = f" (rolled out: {self.rolled_out.loss:.3f} ± {self.rolled_out.error:.3f})"
        return f"game {self.game}, move {self.move}, {self.name}{roll} {self.played}{best}{rolled}"

    def __repr__(self) -> str:
        return f"<{self}>"
