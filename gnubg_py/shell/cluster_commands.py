"""``set cluster`` and ``show cluster``: who computes rollouts and analyses."""

from __future__ import annotations

from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command

_OFF = ("off", "none")


def set_cluster(session: Session, given: list[str]) -> None:
    """``set cluster ADDRESS|N|off``: the workers of rollouts and analyses."""
    if len(given) != 1:
        raise ValueError("You must specify a scheduler's address, a number of workers, or off.")
    session.leave_cluster()
    if given[0].lower() not in _OFF:
        from gnubg_py.cluster.connecting import connect  # seldom needed: not at start-up

        session.cluster = connect(given[0])
    show_cluster(session)


def show_cluster(session: Session) -> None:
    if session.cluster is None:
        session.say("Rollouts and analyses are computed by this process.")
    else:
        session.say(f"Rollouts and analyses are computed by the workers of {session.cluster}.")


COMMANDS = (
    Command("set cluster", "Who computes rollouts and analyses", set_cluster,
            "<address>|<number>|off", ours=True, values=("off",)),
    Command("show cluster", "Who computes rollouts and analyses", show_cluster, ours=True),
)  # fmt: skip
