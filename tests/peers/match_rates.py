"""Matches analysed by gnubg and by us at the same plies: error rates, luck, and time.

A command of its own, since it takes minutes: ``python -m tests.peers.match_rates --matches 10``.
Two players with noise of different sizes play the matches; both error rates of a player are a line.
Then come the rank correlation of all rates and the times of both programs.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

import gnubg_py
from gnubg_py.compare.agreement import ranks
from gnubg_py.cube.decision import Answer
from gnubg_py.matchfiles.mat import to_mat
from gnubg_py.search.settings import EvalSettings

from .test_match_peers import gnubgs_rates


def played_match(length: int, seed: int) -> gnubg_py.Game:
    """A match of two players whose 0-ply values have noise of 0.01 to 0.06 each."""
    noises = np.random.default_rng(seed).uniform(0.01, 0.06, 2)
    hows = [EvalSettings(0, prune=False, noise=float(noise), seed=seed) for noise in noises]
    names = (f"noise {noises[0]:.3f}", f"noise {noises[1]:.3f}")
    game = gnubg_py.Game(length, names, seed=seed)
    while not game.is_match_over:
        if game.is_over:
            game.new_game()
        elif game.dice is not None:
            game.play(gnubg_py.best_plays(game.position, settings=hows[game.turn]).best.board)
        elif game.state.doubled:
            action = gnubg_py.cube_action(game.position, settings=hows[game.turn])
            game.drop() if action.decision.answer == Answer.PASS else game.take()
        else:
            _double_or_roll(game, hows[game.turn])
    return game


def _double_or_roll(game: gnubg_py.Game, how: EvalSettings) -> None:
    try:
        action = gnubg_py.cube_action(game.position, settings=how)
    except ValueError:  # the cube is not available
        game.roll()
        return
    game.double() if action.decision.doubles else game.roll()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--length", type=int, default=7)
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rates: list[tuple[float, float]] = []
    seconds = np.zeros(2)
    gnubg_py.analyse(played_match(1, args.seed).match, ply=args.plies)  # compiles what is needed
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.matches):
            match = played_match(args.length, seed).match
            path = Path(folder) / f"{seed}.mat"
            path.write_text(to_mat(match))
            begun = time.perf_counter()
            ours = gnubg_py.analyse(path, ply=args.plies).statistics()
            middle = time.perf_counter()
            theirs = gnubgs_rates(path, Path(folder), args.plies)
            seconds += middle - begun, time.perf_counter() - middle
            for side, name in enumerate(match.players):
                rates.append((1000 * ours[side].rate, theirs[side]))
                our_rate, their_rate = rates[-1]
                print(f"match {seed}, {name}: {our_rate:.1f}, gnubg {their_rate:.1f}", flush=True)
    correlation = np.corrcoef([ranks(column) for column in np.array(rates).T])[0, 1]
    print(f"rank correlation {correlation:.3f}")
    print(f"seconds: {seconds[0]:.1f}, gnubg {seconds[1]:.1f}: 1/{seconds[1] / seconds[0]:.1f}")


if __name__ == "__main__":
    main()
