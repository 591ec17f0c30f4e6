"""Play on a cluster without rounds: each lane plays with the net that is the newest at its start.

No worker waits: while one lane is fitted, others play. The net of a lane, and the order in which
lanes are finished, depend on the speed of the workers, so that no two runs are equal. Runs with
``--synchronous`` are equal (``lanes.py``).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnubg_py.network.weights import Weights

from .games import Round, TrainingTask
from .lanes import Lane, play_lane

if TYPE_CHECKING:
    from gnubg_py.cluster.connecting import Cluster


@dataclass(frozen=True, eq=False)
class _Turn:
    """A lane to play, by its number, and the key under which its net was sent to the workers."""

    number: int
    lane: Lane
    net: str
    wanted: int


def _play_newest(task: TrainingTask, turn: _Turn) -> tuple[int, str, Lane, Round]:
    from gnubg_py.cluster.worker import delivered

    lane, found = play_lane(task, delivered(turn.net), turn.lane, turn.wanted)
    return turn.number, turn.net, lane, found


class NewestPlay:
    """Lanes in play. ``rounds`` yields their results; ``publish`` sends the next net."""

    def __init__(self, cluster: Cluster, task: TrainingTask, lanes: list[Lane]) -> None:
        self.cluster, self.task, self.lanes = cluster, task, lanes
        self.free = list(range(len(lanes)))
        self.wanted = 0
        self._users: dict[str, int] = {}
        self._newest = ""

    def publish(self, weights: Weights) -> None:
        """Send a net to the workers; lanes that begin from now on play with it."""
        self._newest = self.cluster.deliver(weights)
        self._users[self._newest] = 0
        self._forget()

    def _forget(self) -> None:
        """Withdraw the nets that no lane plays with any more."""
        unused = [key for key, users in self._users.items() if not users and key != self._newest]
        for key in unused:
            del self._users[key]
            self.cluster.withdraw(key)

    def __iter__(self) -> Iterator[_Turn]:
        return self

    def __next__(self) -> _Turn:
        """The next lane to play. There may be one again after there was none."""
        if not self.free or self.wanted <= 0:
            raise StopIteration
        number = self.free.pop(0)
        self._users[self._newest] += 1
        return _Turn(number, self.lanes[number], self._newest, self.wanted)

    def rounds(self) -> Generator[Round, None, None]:
        """Yield the rounds of lanes as they are finished; then the lane begins its next round."""
        results = self.cluster.results(_play_newest, self.task, self)
        try:
            for _, (number, net, lane, found) in results:
                self.lanes[number] = lane
                self._users[net] -= 1
                yield found
                self.free.append(number)
        finally:
            results.close()
            for key in self._users:
                self.cluster.withdraw(key)
