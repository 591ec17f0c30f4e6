"""``external``: the engine answers another program over a socket, as gnubg's does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnubg_py.external.address import parse_address
from gnubg_py.external.player import ExternalPlayer
from gnubg_py.external.protocol import Options, Request
from gnubg_py.external.server import serve
from gnubg_py.game.actions import Action, Drop, Move, Redouble
from gnubg_py.game.position import Position, Rules, apply, position_of
from gnubg_py.notation.play_text import play_in_steps
from gnubg_py.search.settings import EvalSettings, Strength, strength_of
from gnubg_py.shell import engine
from gnubg_py.shell.computer import engine_action
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run

_BASIC = strength_of(EvalSettings(0, cubeful=False))
_MOST_STEPS = 4


@dataclass(frozen=True)
class SessionAnswers:
    """The engine as `set evaluation' has it, for ``external.server``."""

    session: Session

    def decision(self, request: Request) -> str:
        """A play, or a word for a cube action, a roll or the answer to a resignation."""
        position = self._position(request)
        rules = replace(self.session.rules, cube=request.options.cube is not False)
        strength = _with_options(self.session.hint_strength, request.options)
        action = engine_action(self.session, position, strength, rules, "evaluation")
        return _reply(position, action, rules)

    def evaluation(self, request: Request) -> tuple[Sequence[float], float]:
        """The five probabilities of the side on roll, and its equity.

        They are of 0 plies and cubeless, as gnubg's are, unless the request asks for more.
        """
        position = self._position(request)
        settings = _with_options(_BASIC, request.options).cube
        return engine.evaluation(self.session, position, settings)

    def _position(self, request: Request) -> Position:
        """The position, a money game with or without Jacoby as the request or the session says."""
        match = request.match
        if not match.match_length and request.options.jacobyrule is None:
            match = replace(match, jacoby=self.session.rules.jacoby)
        return position_of(request.board, match)


def _with_options(strength: Strength, options: Options) -> Strength:
    """A strength with what a request asks for."""

    def changed(settings: EvalSettings) -> EvalSettings:
        wanted = {
            "plies": options.plies, "cubeful": options.cube, "prune": options.prune,
            "noise": options.noise, "deterministic": options.deterministic,
        }  # fmt: skip
        given = {name: value for name, value in wanted.items() if value is not None}
        return replace(settings, **given)  # type: ignore[arg-type]

    return replace(strength, plays=changed(strength.plays), cube=changed(strength.cube))


def _reply(position: Position, action: Action | None, rules: Rules) -> str:
    """The action as gnubg words it: plays in steps, with a blank after each but a fourth."""
    if action is None:
        return "roll"
    if isinstance(action, Move):
        after = apply(position, action, rules).board
        steps = play_in_steps(position.board, position.match.dice, after)
        return steps + " " if 0 < steps.count("/") < _MOST_STEPS else steps
    return {Drop: "drop", Redouble: "beaver"}.get(type(action), action.word)


def external(session: Session, given: list[str]) -> None:
    """``external ADDRESS``: answer clients, one after another, until Ctrl-C."""
    if not given:
        raise ValueError("You must specify the name of the socket to the external controller.")
    serve(parse_address(" ".join(given)), SessionAnswers(session), session.report)


def set_external(number: int) -> Run:
    """``set player N external ADDRESS``."""

    def run(session: Session, given: list[str]) -> None:
        if not given:
            raise ValueError(
                "You must specify the name of the socket to the external\n"
                "player (see `help set player external')."
            )
        external = ExternalPlayer(parse_address(" ".join(given)))
        external.connection()  # where nobody listens, the player stays who it was
        player = session.players[number]
        player.human, player.external = False, external

    return run


_ADDRESS = "<host:port> | <socket>"
COMMANDS = (
    Command("external", "Answer another program over a socket", external, _ADDRESS,
            details="The lines are those of FIBS boards, as gnubg's external players have them. "
                    "Without a host only programs on this machine can connect."),
    *(Command(f"set player {n} external", "Another program plays", set_external(n), _ADDRESS)
      for n in (0, 1)),
)  # fmt: skip
