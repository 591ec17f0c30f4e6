"""Matches of two random players, for tests of records and rules."""

from __future__ import annotations

import random

from hypothesis import settings

from gnubg_py.game.actions import (
    Accept,
    Action,
    Double,
    Drop,
    Move,
    Redouble,
    Reject,
    Resign,
    Roll,
    Take,
)
from gnubg_py.game.position import apply, is_playing
from gnubg_py.game.record import MatchRecord, with_action, with_new_game
from gnubg_py.match import NO_DICE, Resignation
from gnubg_py.notation import play_text
from gnubg_py.plays import plays

# Each example is a match of a hundred plays or more.
FEW = settings(max_examples=15)


def random_match(seed: int, length: int = 3, games: int = 30) -> MatchRecord:
    """A match of two random players, who double, resign and beaver as they please."""
    chance = random.Random(seed)
    record = MatchRecord(length=length, players=("Ann", "Bob"))
    while len(record.games) < games:
        try:
            record = with_new_game(record, chance.choice([(3, 1), (1, 6), (5, 2)]))
        except ValueError:
            break
        while is_playing(record.games[-1].end):
            record = with_action(record, random_action(chance, record))
    return record


def random_action(chance: random.Random, record: MatchRecord) -> Action:
    """Something the player to decide may do."""
    position = record.games[-1].end
    match, player = position.match, position.match.turn
    wild: list[Action] = [Double(player), Redouble(player)]
    wild += [Resign(player, Resignation(chance.randint(1, 3)))] * (chance.random() < 0.05)
    chance.shuffle(wild)
    tame: list[Action]
    if match.resigned:
        tame = [Accept(player), Reject(player)]
    elif match.doubled:
        tame = [Take(player), Take(player), Drop(player)]
    elif match.dice == NO_DICE:
        tame = [Roll(player, (chance.randint(1, 6), chance.randint(1, 6)))]
    else:
        after_play = chance.choice(list(plays(position.board, match.dice)))
        tame = [Move(player, play_text(position.board, match.dice, after_play))]
    for action in [*wild, chance.choice(tame)] if chance.random() < 0.3 else [chance.choice(tame)]:
        try:
            apply(position, action, record.rules)
        except ValueError:
            continue
        return action
    return chance.choice(tame)
