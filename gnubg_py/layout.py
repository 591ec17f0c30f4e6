"""Answers in gnubg's layout, for the library and the shell: plays, cube decisions, evaluations.

Equities are printed as they are, or, in a match and if the user wants it, as match winning
chances (mwc).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnubg_py.cube.met import MatchEquityTable, chance_of_equity, kazaross_xg2
from gnubg_py.cube.state import Cube, swap_cube
from gnubg_py.probabilities import chance_text, five_text
from gnubg_py.search.settings import EvalSettings, preset_name

if TYPE_CHECKING:
    from gnubg_py.results import CubeHint, Evaluation, Play, PlaysHint

INCOMPLETE = "        (stopped before the search was finished)"
_EVALUATION_DIGITS = 6
"""The most digits that the columns of an evaluation have room for."""


@dataclass(frozen=True)
class Output:
    """How numbers and boards are printed."""

    mwc: bool = False
    matchpc: bool = True
    winpc: bool = False
    digits: int = 3
    rawboard: bool = False


PLAIN, MONEY = Output(), Cube()


def _in_mwc(cube: Cube, output: Output) -> bool:
    """Whether values are shown as match winning chances."""
    return cube.away is not None and output.mwc


def unit_text(cube: Cube, output: Output, equity: str) -> str:
    """The name of values: ``equity``, or MWC where they are match winning chances."""
    return "MWC" if _in_mwc(cube, output) else equity


def value_text(
    equity: float,
    cube: Cube,
    met: MatchEquityTable | None,
    output: Output,
    *,
    difference: bool = False,
) -> str:
    """An equity as text, or the match winning chance that belongs to it.

    With ``difference``, ``equity`` is the difference of two equities, and the text the difference
    of their chances. ``met`` is Kazaross-XG2 by default.
    """
    if not _in_mwc(cube, output):
        return f"{equity:+.{output.digits}f}"
    met = met or kazaross_xg2()
    chance = float(chance_of_equity(equity, cube, met))
    if difference:
        chance -= float(chance_of_equity(0.0, cube, met))
    sign = "+" if difference else ""
    if output.matchpc:
        digits = max(0, output.digits - 1)
        return f"{100 * chance:{sign}{digits + 4}.{digits}f}%"
    # As in gnubg, where a plus stands before a minus too.
    return f"{sign}{chance:.{output.digits + 1}f}"


def settings_text(settings: EvalSettings) -> str:
    """Settings in gnubg's words, with the name of the preset that has these settings, if any."""
    name = preset_name(settings)
    return settings.text + (f" [{name}]" if name else "")


def _lines_text(lines: list[str], complete: bool) -> str:
    return "\n".join(lines if complete else [*lines, INCOMPLETE])


def plays_text(
    hint: PlaysHint,
    most: int | None,
    cube: Cube = MONEY,
    met: MatchEquityTable | None = None,
    output: Output = PLAIN,
) -> str:
    """The best ``most`` plays of a hint (all: None)."""
    return _lines_text(
        [ranked_play_text(play, cube, met, output) for play in hint.plays[:most]], hint.complete
    )


def ranked_play_text(
    play: Play, cube: Cube = MONEY, met: MatchEquityTable | None = None, output: Output = PLAIN
) -> str:
    """One play of a hint, in three lines."""
    kind = "Cubeful" if play.settings.cubeful else "Cubeless"
    value = f"{unit_text(cube, output, 'Eq.')}: {value_text(play.equity, cube, met, output)}"
    if play.rank > 1:
        value += f" ({value_text(-play.loss, cube, met, output, difference=True)})"
    depth = f"{kind} {play.ply}-ply"
    return (
        f"{play.rank:5}. {depth:<17}{play.play:<28} {value}\n"
        f"       {five_text(play.probabilities, output.digits, output.winpc)}\n"
        f"        {settings_text(play.settings)}"
    )


def cube_text(hint: CubeHint, met: MatchEquityTable | None = None, output: Output = PLAIN) -> str:
    """A cube decision, as the side that has to decide sees it."""
    sign = -1 if hint.doubled else 1
    five = hint.probabilities.inverted if hint.doubled else hint.probabilities
    cube = swap_cube(hint.cube) if hint.doubled else hint.cube
    cubeless = value_text(sign * hint.cubeless_equity, cube, met, output)
    line = f"{hint.ply}-ply cubeless {unit_text(cube, output, 'equity')} {cubeless}"
    if hint.cube.away is not None:
        line += f" (Money: {sign * hint.money_equity:+.{output.digits}f})"
    chances = five_text(five, output.digits, output.winpc)
    lines = ["Cube analysis", line, f"  {chances}", "Cubeful equities:"]
    for number, (name, equity, difference) in enumerate(hint.alternatives, start=1):
        text = f"{number}. {name:<20}{value_text(equity, cube, met, output)}"
        if number > 1:
            text += f"  ({value_text(difference, cube, met, output, difference=True)})"
        lines.append(text)
    wrong = hint.decision.wrong_answers
    percent = "" if wrong is None else f" ({100 * wrong:.1f}%)"
    lines.append(f"Proper cube action: {hint.words}{percent}")
    return _lines_text(lines, hint.complete)


def evaluation_text(
    evaluation: Evaluation,
    cube: Cube = MONEY,
    met: MatchEquityTable | None = None,
    output: Output = PLAIN,
) -> str:
    """An evaluation, with one line for each ply."""
    output = replace(output, digits=min(output.digits, _EVALUATION_DIGITS))
    unit = unit_text(cube, output, "Equity")
    lines = [
        f"Evaluator: \t{evaluation.position_class.capitalize()}",
        "",
        f"        Win     W(g)    W(bg)   L(g)    L(bg)   {unit:<10}Cubeful",
    ]
    for row in evaluation.rows:
        name = "static" if row.ply == 0 else f"{row.ply:2} ply"
        five = "".join(
            f"{chance_text(p, output.digits, output.winpc):<7} " for p in row.probabilities
        )
        equity, cubeful = (value_text(e, cube, met, output) for e in (row.equity, row.cubeful))
        if _in_mwc(cube, output) and not output.matchpc:
            cubeful = f"+{cubeful}"
        lines.append(f"{name}: {five}{equity:<9} {cubeful}")
    return _lines_text(lines, evaluation.complete)
