"""Where the session's dice come from: ``set rng``, ``set seed``, and what they show."""

from __future__ import annotations

import re

from gnubg_py.shell import words
from gnubg_py.shell.dice_source import GENERATOR_TITLES, MAX_DICE_SEED, DiceSource, new_seed
from gnubg_py.shell.generators import BBS_MODULUS, blum_prime
from gnubg_py.shell.session import Session
from gnubg_py.shell.tree import Command, Run

_SEEDLESS = {"manual": "manual dice", "file": "a file of dice"}
_NO_DICE = (
    "Invalid seed and/or modulus for the Blum, Blum and Shub generator.\n"
    "Please reset the seed and/or modulus before continuing."
)
_NO_MODULUS = "You must specify a valid modulus (see `help set rng bbs')."
_NO_SEED = "You must specify a valid seed (see `help set seed')."
_NO_FACTORS = "You must specify two valid factors (see `help set rng bbs')."


def working_dice(session: Session) -> DiceSource:
    """The session's dice; other ones, as in gnubg, where there are none for the seed."""
    if not session.dice.works:
        session.complain("Your dice generator isn't working. Failing back on RNG_MERSENNE")
        session.say(_NO_DICE)
        _change(session, DiceSource("mersenne"), [])
    return session.dice


def set_rng(kind: str) -> Run:
    """``set rng KIND [SEED]``, ``set rng file FILE``."""

    def run(session: Session, given: list[str] | None = None) -> None:
        path = words.path_name(given or []) if kind == "file" else None
        if kind == session.dice.kind and not given:
            session.say(f"You are already using the {GENERATOR_TITLES[kind]}.")
            return
        _change(session, DiceSource(kind, session.dice.seed, path), given or [])

    return run


def set_rng_bbs(session: Session, given: list[str]) -> None:
    """``set rng bbs [modulus N | factors N N] [SEED]``."""
    if session.dice.kind == "bbs" and not given:
        session.say(f"You are already using the {GENERATOR_TITLES['bbs']}.")
        return
    word = given[0].lower() if given else ""
    if word and "modulus".startswith(word):
        modulus, rest = _positive(given[1:2], _NO_MODULUS), given[2:]
    elif word and "factors".startswith(word):
        factors = [_positive(given[at : at + 1], _NO_FACTORS) for at in (1, 2)]
        modulus, rest = _product(session, factors), given[3:]
    else:
        modulus, rest = BBS_MODULUS, given
    _change(session, DiceSource("bbs", session.dice.seed, modulus=modulus), rest)


def _positive(given: list[str], sentence: str) -> int:
    """A whole number above 0 that is given."""
    number = _whole(given[0], sentence) if given else 0
    if number == 0:
        raise ValueError(sentence)
    return number


def _whole(word: str, sentence: str) -> int:
    """A whole number of at most 512 bits; gnubg's sentence for any other word."""
    if re.fullmatch(r"[0-9]{1,155}", word, re.ASCII) and int(word) <= MAX_DICE_SEED:
        return int(word)
    raise ValueError(sentence)


def _product(session: Session, factors: list[int]) -> int:
    """The product of two primes for Blum, Blum and Shub: the next ones from those given."""
    used: list[int] = []
    for factor in factors:
        prime = blum_prime(factor, other=used[0] if used else 0)
        if prime != factor:
            session.say(f"{factor} is an invalid Blum factor, using {prime} instead.")
        used.append(prime)
    return used[0] * used[1]


def _change(session: Session, dice: DiceSource, given: list[str]) -> None:
    """Use other dice, with the seed that is given."""
    session.dice = dice
    session.say(f"GNU Backgammon will now use the {GENERATOR_TITLES[dice.kind]}.")
    if dice.kind not in _SEEDLESS:
        set_seed(session, given)


def set_seed(session: Session, given: list[str]) -> None:
    """``set seed [N]``: the dice's, and so those of the next games."""
    dice = session.dice
    if dice.kind in _SEEDLESS:
        raise ValueError(f"You can't set a seed if you're using {_SEEDLESS[dice.kind]} as RNG")
    if given:
        seed = _whole(given[0], _NO_SEED)
        told = f"Seed set to {seed}."
    else:
        seed = new_seed()
        told = "Seed initialised from system random data."
    session.dice = DiceSource(dice.kind, seed, dice.path, dice.modulus)
    if not session.dice.works:
        session.say(_NO_DICE)
    session.say(told)


def show_rng(session: Session) -> None:
    session.say(f"You are using the {GENERATOR_TITLES[session.dice.kind]}.")


def show_seed(session: Session) -> None:
    """``show seed``: in gnubg's words, which differ from one generator to the next."""
    dice = session.dice
    ends = {"bbs": f", and the modulus is {dice.modulus}.", "md5": "."}
    session.say(f"The current seed is {dice.state}{ends.get(dice.kind, '')}")
    if dice.kind in ("bbs", "isaac", "md5"):
        session.say(f"Number of calls since last seed: {dice.calls}.")


COMMANDS = (
    *(Command(f"set rng {kind}", f"Dice from: {what}", set_rng(kind),
              {"file": "<file>", "manual": ""}.get(kind, "[<seed>]"), ours=kind == "pcg64")
      for kind, what in GENERATOR_TITLES.items() if kind != "bbs"),
    Command("set rng bbs", f"Dice from: {GENERATOR_TITLES['bbs']}", set_rng_bbs,
            "[modulus <number>|factors <number> <number>] [<seed>]",
            values=("modulus", "factors")),
    Command("set seed", "The seed of the dice", set_seed, "[<number>]"),
    Command("show rng", "Where dice come from", show_rng),
    Command("show seed", "The seed of the dice", show_seed),
)  # fmt: skip
