"""What tests share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import settings

from gnubg_py import cli
from gnubg_py.bearoff.in_use import BEAROFF_VARIABLE
from gnubg_py.board import START, Boards
from gnubg_py.dice import roll_dice
from gnubg_py.plays import plays_batch
from gnubg_py.threads import set_thread_count, thread_count
from tests.command_line import Main
from tests.shell_lines import Shell

# Kernels compile on first use, which no deadline should count; and a test that passes today
# passes tomorrow.
settings.register_profile("gnubg_py", deadline=None, derandomize=True, database=None)
settings.load_profile("gnubg_py")

# What a user has chosen does not change what the tests see.
os.environ[BEAROFF_VARIABLE] = "usual"


def play_random_positions(n: int, seed: int) -> Boards:
    """``n`` positions of games between two random players, ``int8[n, 2, 25]``.

    32 games go on side by side, each a fresh start when one ends, so that every phase from the
    opening to the last checker is there. None is a finished game. They depend on the seed alone.
    """
    generator = np.random.default_rng(seed)
    games = 32
    boards = np.repeat(START[None], games, axis=0)
    # Half of what is played is thrown away: neighbours in one game are much alike.
    rounds = [boards]
    for _ in range(2 * n // games + 1):
        results, offsets = plays_batch(boards, roll_dice(generator, games))
        boards = results[generator.integers(offsets[:-1], offsets[1:])]
        boards[~np.all(np.any(boards, axis=2), axis=1)] = START
        rounds.append(boards)
    everything = np.concatenate(rounds)
    return everything[generator.choice(len(everything), n, replace=False)]


@pytest.fixture(scope="session", autouse=True)
def settings_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """`save settings' of a test, of a random line say, leaves the user's settings alone."""
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))


@pytest.fixture(scope="session")
def random_positions() -> Callable[[int, int], Boards]:
    """``random_positions(n, seed)``: positions of random play, ``int8[n, 2, 25]``."""
    return play_random_positions


@pytest.fixture
def main(capsys: pytest.CaptureFixture[str]) -> Main:
    """Run a command of the program."""

    def run(*words: object) -> tuple[int, str, str]:
        status = cli.main(list(map(str, words)))
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def one_thread() -> Iterator[None]:
    """One thread computes."""
    before = thread_count()
    set_thread_count(1)
    yield
    set_thread_count(before)


@pytest.fixture
def shell() -> Shell:
    """A shell in which two people play and nothing is automatic."""
    return Shell()


@pytest.fixture
def money(shell: Shell) -> Shell:
    """A money game before Bob's first roll."""
    shell("new session", "set turn 1")
    return shell
