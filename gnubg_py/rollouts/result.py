"""The result of a rollout: its rows, the table that is printed, the JSON that is saved."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnubg_py.cube.decision import CubeDecision, cube_decision
from gnubg_py.cube.met import MatchEquityTable, kazaross_xg2
from gnubg_py.cube.state import Cube, state_of
from gnubg_py.dice import check_dice
from gnubg_py.files import read_json, without_nan, write_aside
from gnubg_py.frames import as_frame
from gnubg_py.notation.position_id import position_id
from gnubg_py.probabilities import WIN_GAMMON, Five
from gnubg_py.rollouts.counts import counts_dict, counts_table, no_counts
from gnubg_py.rollouts.settings import MAX_TRIALS, RolloutSettings, from_dict, to_dict
from gnubg_py.rollouts.statistics import CUBEFUL, SUM_COLUMNS, Row, Sums, means, rows_of
from gnubg_py.rollouts.task import CUBE, PLAYS, POSITION, Task, cube_task, plays_task, position_task
from gnubg_py.typed import from_object, shortened

_FORMAT = "gnubg_py rollout 1"
DONE, STOPPED, INTERRUPTED = "done", "stopped", "interrupted"
_LARGEST_SUM = 1e18  # beyond any rollout: a game's value is at most 3 times a cube of 4096


@dataclass(frozen=True, eq=False)
class RolloutResult:
    """A rollout as far as it went; printing it shows a table like gnubg's.

    ``evaluators``: what valued positions, with the checksums of its nets. ``ending``: DONE (all
    trials), STOPPED (by a rule) or INTERRUPTED.
    """

    task: Task
    settings: RolloutSettings
    evaluators: dict[str, str]
    sums: Sums
    seconds: float
    ending: str
    met: MatchEquityTable

    @property
    def trials(self) -> int:
        """Trials of each alternative."""
        return self.sums.trials

    @property
    def games_per_second(self) -> float:
        """Games of all alternatives in a second of wall time."""
        games = self.trials * len(self.task.starts)
        return games / self.seconds if self.seconds > 0 else 0.0

    @property
    def rows(self) -> tuple[Row, ...]:
        """The alternatives in the order they were given."""
        return rows_of(self.sums, self.task.names, self.task.cube, self.settings.cubeful, self.met)

    @property
    def best(self) -> Row:
        """The row of the highest equity."""
        return max(self.rows, key=lambda row: row.equity)

    @property
    def decision(self) -> CubeDecision | None:
        """The cube decision that a rollout of one comes to; else None."""
        if self.task.kind != CUBE or not self.settings.cubeful:
            return None
        mean = means(self.sums)
        no_double, take = mean[:, CUBEFUL].tolist()
        gammons = bool(mean[0, WIN_GAMMON] > 0)
        return cube_decision((no_double, take), self.task.cube, self.met, gammons)

    @property
    def statistics(self) -> str:
        """Tables of how the games went: wins, and doubles taken and dropped, by cube value."""
        tables = zip(self.task.names, self.sums.counts, strict=True)
        return "\n\n".join(counts_table(name, each, self.trials) for name, each in tables)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; ``result_from_dict`` reads it back.

        At the top stand the numbers of the best play, or of not doubling in a cube decision.
        """
        return _to_dict(self)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each alternative."""
        return as_frame([_columns(row) for row in self.rows])

    def save(self, path: str | Path) -> None:
        """Write JSON beside ``path`` and rename it: a full disk leaves the old file as it was."""
        text = json.dumps(self.to_dict(), indent=1)
        write_aside(Path(path), text.encode())

    def __str__(self) -> str:
        return _table(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from gnubg_py.drawing.html import result_html

        return result_html(self.task.board, state_of(self.task.cube, self.task.dice), str(self))


_HEADS = ("Win", "W g", "W bg", "L g", "L bg", "Cubeless", "Cubeful")
_LABEL = 7


def _table(result: RolloutResult) -> str:
    """The whole table, best alternative first where there are plays; within 80 columns."""
    rows = list(result.rows)
    if result.task.kind != CUBE:
        rows.sort(key=lambda row: -row.equity)
    is_match = rows[0].mwc is not None
    heads = [f"{head:>8}" for head in _HEADS[:5]] + [f"{head:>10}" for head in _HEADS[5:]]
    lines = [" " * _LABEL + "".join([*heads, f"{'MWC':>9}"] if is_match else heads)]
    for row in rows:
        lines += _lines(row)
    lines += ["", *_summary(result)]
    lines += _decision_lines(result)
    return "\n".join(lines)


def _lines(row: Row) -> list[str]:
    """The alternative's name, if it has one, with how far it is behind; means; standard errors."""
    # Adding 0 makes -0 a plain 0.
    means = [f"{round(x, 4) + 0.0:>8.4f}" for x in row.probabilities]
    errors = [f"{x:>8.4f}" for x in row.probability_errors]
    means.append(f"{row.cubeless_equity:>+10.4f}")
    errors.append(f"{row.cubeless_error:>10.4f}")
    if row.cubeful_equity is not None:
        means.append(f"{row.cubeful_equity:>+10.4f}")
        errors.append(f"{row.cubeful_error:>10.4f}")
    if row.mwc is not None:
        means.append(f"{row.mwc:>9.2%}")
        errors.append(f"{row.mwc_error:>9.2%}")
    lines = []
    if row.name:
        behind = f"  ({row.difference:+.4f} ± {row.difference_error:.4f})"
        lines.append(row.name + (behind if row.difference < 0 else ""))
    label = f"{'mean':>6}", f"{'error':>6}"
    return [
        *lines,
        *(f"{name:<{_LABEL}}" + "".join(x) for name, x in zip(label, (means, errors), strict=True)),
    ]


def _summary(result: RolloutResult) -> list[str]:
    end = ""
    if result.ending == INTERRUPTED:
        end = f", interrupted before {result.settings.trials}"
    elif result.ending == STOPPED:
        end = f", stopped by its rule before {result.settings.trials}"
    each = " each" if len(result.rows) > 1 else ""
    lines = [
        f"{result.trials} trials{each}{end}, {result.seconds:.1f} s, "
        f"{result.games_per_second:.0f} games/s, seed {result.settings.seed}"
    ]
    if result.settings.variance_reduction:
        factor = max(row.reduction for row in result.rows)
        smaller = f"{factor:.1f} times smaller" if isfinite(factor) else "taken away altogether"
        lines.append(f"Standard error {smaller} by variance reduction.")
    return lines


def _decision_lines(result: RolloutResult) -> list[str]:
    decision = result.decision
    if decision is None:
        return []
    lines = ["", "Cubeful equities:"]
    for number, (name, value, behind) in enumerate(decision.alternatives(False), start=1):
        difference = f"  ({behind:+.4f})" if number > 1 else ""
        lines.append(f"{number}. {name:<14}{value:>+10.4f}{difference}")
    return [*lines, f"Proper cube action: {decision.words}"]


def _columns(row: Row) -> dict[str, Any]:
    """A row with one number or text for each column; ``equity`` is the one that ranks."""
    return {
        "name": row.name,
        "equity": row.equity,
        "error": row.error,
        "difference": row.difference,
        "difference_error": row.difference_error,
        "cubeless": row.cubeless_equity,
        "mwc": row.mwc,
    } | Five(*row.probabilities)._asdict()


def _row_dict(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "probabilities": list(row.probabilities),
        "probabilities_standard_error": list(row.probability_errors),
        "cubeless_equity": row.cubeless_equity,
        "cubeless_equity_standard_error": row.cubeless_error,
        "cubeful_equity": row.cubeful_equity,
        "cubeful_equity_standard_error": row.cubeful_error,
        "mwc": row.mwc,
        "mwc_standard_error": row.mwc_error,
        "difference": row.difference,
        "difference_standard_error": row.difference_error,
        "variance_reduction_factor": row.reduction,
    }


def _to_dict(result: RolloutResult) -> dict[str, Any]:
    task = result.task
    first = result.rows[0] if task.kind == CUBE else result.best
    top = {k: v for k, v in _row_dict(first).items() if not k.startswith("difference")}
    answer: dict[str, Any] = {
        "format": _FORMAT,
        "kind": task.kind,
        "position": position_id(task.board),
        "cube": asdict(task.cube),
        "dice": list(task.dice),
        **top,
        "trials": result.trials,
        "seconds": result.seconds,
        "games_per_second": result.games_per_second,
        "ending": result.ending,
        "alternatives": [
            {**_row_dict(row), "statistics": counts_dict(counts, result.trials)}
            for row, counts in zip(result.rows, result.sums.counts, strict=True)
        ],
    }
    decision = result.decision
    if decision is not None:
        answer["no_double"] = decision.no_double
        answer["double_take"] = decision.double_take
        answer["double_pass"] = decision.double_pass
        answer["action"] = decision.words
    answer["settings"] = to_dict(result.settings)
    answer["evaluators"] = dict(result.evaluators)
    answer["match_equity_table"] = result.met.name
    answer["sums"] = {
        name: value if isinstance(value, int) else value.tolist()
        for name, value in vars(result.sums).items()
    }
    return without_nan(answer)  # type: ignore[no-any-return]


def load_result(path: str | Path, met: MatchEquityTable | None = None) -> RolloutResult:
    """Read what ``save`` wrote; ``ValueError`` says in one line what is wrong with the file."""
    path = Path(path)
    values = read_json(path)
    try:
        return result_from_dict(values, met)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def result_from_dict(values: dict[str, Any], met: MatchEquityTable | None = None) -> RolloutResult:
    """The result that ``to_dict`` made such a dictionary of."""
    if not isinstance(values, dict) or values.get("format") != _FORMAT:
        raise ValueError(f"not a saved rollout (format should be {_FORMAT!r})")
    met = met or kazaross_xg2()
    try:
        return _result(values, met)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"not a whole saved rollout: {error!r}") from None


def _result(values: dict[str, Any], met: MatchEquityTable) -> RolloutResult:
    table, seconds, ending = values["match_equity_table"], values["seconds"], values["ending"]
    if table != met.name and values["cube"]["away"] is not None:
        raise ValueError(f"rolled out with match equity table {table}, not {met.name}")
    if not (isinstance(seconds, int | float) and 0 <= seconds < inf):
        raise ValueError(f"seconds {shortened(seconds)}: should be a number, 0 or above")
    if ending not in (DONE, STOPPED, INTERRUPTED):
        raise ValueError(
            f"ending {shortened(ending)} is not one of {DONE}, {STOPPED}, {INTERRUPTED}"
        )
    evaluators = values["evaluators"]
    if not all(isinstance(text, str) for text in evaluators.values()):
        raise ValueError("'evaluators' should be texts")
    task = _task_from(values)
    sums = _sums_from(values["sums"], len(task.starts))
    settings = from_dict(values["settings"])
    return RolloutResult(task, settings, dict(evaluators), sums, float(seconds), ending, met)


def _task_from(values: dict[str, Any]) -> Task:
    from gnubg_py.notation.playable import read_position

    if not isinstance(values["position"], str):
        raise ValueError(f"position {shortened(values['position'])}: should be a text")
    board, _ = read_position(values["position"])
    cube = from_object(Cube, values["cube"])
    if values["kind"] == CUBE:
        return cube_task(board, cube)
    if values["kind"] == PLAYS:
        names = [row["name"] for row in values["alternatives"]]
        if not all(isinstance(name, str) for name in names):
            raise ValueError("the names of its plays should be texts")
        return plays_task(board, cube, check_dice(tuple(values["dice"])), names)
    if values["kind"] == POSITION:
        return position_task(board, cube)
    raise ValueError(f"kind {shortened(values['kind'])}: should be {POSITION}, {PLAYS} or {CUBE}")


def _sums_from(values: dict[str, Any], alternatives: int) -> Sums:
    arrays: dict[str, NDArray[np.float64]] = {}
    for name in ("total", "squares", "plain_total", "plain_squares", "products"):
        array = np.array(values[name], np.float64)
        pairs = (2, alternatives, alternatives)
        shape = pairs if name == "products" else (alternatives, SUM_COLUMNS)
        if array.shape != shape or not (np.abs(array) < _LARGEST_SUM).all():
            raise ValueError(f"its sums are damaged: {name} should be {shape} numbers")
        arrays[name] = array
    trials = values["trials"]
    if type(trials) is not int or not 1 <= trials <= MAX_TRIALS:
        raise ValueError(f"its sums are damaged: {shortened(trials)} trials")
    return Sums(trials, **arrays, counts=_counts_from(values["counts"], alternatives, trials))


def _counts_from(values: object, alternatives: int, trials: int) -> NDArray[np.int64]:
    counts = np.array(values, np.float64)
    shape = no_counts(alternatives).shape
    whole = (counts >= 0) & (counts <= trials) & (counts == np.floor(counts))
    if counts.shape != shape or not whole.all():
        raise ValueError(f"its sums are damaged: counts should be {shape} whole numbers")
    return counts.astype(np.int64)
