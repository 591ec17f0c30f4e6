"""Analyses stored between runs, so that nothing is analysed twice with the same settings.

An analysis is a file of ``save_match`` in a folder. Its name is a digest of everything that it
depends on: the actions of the match, the settings, and the checksums of the nets.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnubg_py.bearoff.store import cache_directory
from gnubg_py.files import read_json, write_aside
from gnubg_py.game.analysis import Analyst
from gnubg_py.matches.match_analysis import MatchAnalysis, load_analysis
from gnubg_py.matches.rolled_out import RolledOut
from gnubg_py.matchfiles.contents import MatchContents, Place
from gnubg_py.matchfiles.saved import as_json
from gnubg_py.rollouts.run import identity
from gnubg_py.typed import from_object

_VERSION = 1
"""This number changes whenever the judgements of the same match and settings change."""


def analyses_folder() -> Path:
    """The folder where analyses are stored by default."""
    return cache_directory() / "analyses"


def analysis_key(contents: MatchContents, analyst: Analyst) -> str:
    """The key of a match's analysis by an analyst: 32 hexadecimal digits."""
    engine, strength = analyst.engine, analyst.strength
    parts = {
        "version": _VERSION,
        "match": as_json(contents.record),
        "evaluator": identity(engine.evaluator),
        "pruner": None if engine.pruner is None else identity(engine.pruner),
        "met": [engine.met.name, hashlib.sha256(engine.met.pre.tobytes()).hexdigest()],
        "efficiency": asdict(engine.efficiency),
        "strength": [asdict(strength.plays), asdict(strength.cube), strength.filters.name],
        "filter": [asdict(step) for step in strength.filters.of(strength.plays.plies)],
        "luck": asdict(analyst.luck),
        "beavers": analyst.beavers,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def kept_analysis(folder: Path, key: str, contents: MatchContents) -> MatchAnalysis | None:
    """The analysis stored under a key, complete or not; None if there is none."""
    path = folder / f"{key}.json"
    if not path.is_file():
        return None
    with suppress(ValueError, OSError):  # a damaged file is analysed again
        known = load_analysis(path)
        if as_json(known.record) == as_json(contents.record):
            return known
    return None


def keep_analysis(folder: Path, key: str, analysis: MatchAnalysis) -> None:
    """Write an analysis under its key, and its rollouts beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    analysis.save(folder / f"{key}.json")
    if analysis.rollouts:
        rows = [[*place, asdict(rolled)] for place, rolled in analysis.rollouts.items()]
        write_aside(folder / f"{key}.rollouts.json", json.dumps(rows).encode())


def kept_rollouts(folder: Path, key: str, trials: int) -> dict[Place, RolledOut]:
    """The rollouts of this number of trials that are stored under a key."""
    path = folder / f"{key}.rollouts.json"
    if not path.is_file():
        return {}
    with suppress(ValueError, OSError, TypeError):
        rows: list[Any] = read_json(path)
        found = {(int(g), int(place)): from_object(RolledOut, value) for g, place, value in rows}
        return {place: rolled for place, rolled in found.items() if rolled.trials == trials}
    return {}
