"""Answers of the engine in gnubg's layout, with the digits and units the user has set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gnubg_py.cube.met import eq2mwc
from gnubg_py.probabilities import Five, chance_text, five_text
from gnubg_py.results import INCOMPLETE, CubeHint, Evaluation, PlaysHint, settings_text

if TYPE_CHECKING:
    from gnubg_py.cube.met import MatchEquityTable
    from gnubg_py.cube.state import Cube
    from gnubg_py.results import Play
    from gnubg_py.shell.options import Output


def chances(five: Five, output: Output) -> str:
    """The five probabilities of a side: wins, then losses."""
    return five_text(five, output.digits, output.winpc)


def _in_mwc(cube: Cube, output: Output) -> bool:
    """Whether values are shown as match winning chances."""
    return cube.away is not None and output.mwc


def worth(
    equity: float, cube: Cube, met: MatchEquityTable, output: Output, *, difference: bool = False
) -> str:
    """An equity, or, in a match and where so set, the match winning chance it stands for.

    Of a ``difference`` of equities, the difference of chances.
    """
    if not _in_mwc(cube, output):
        return f"{equity:+.{output.digits}f}"
    chance = float(eq2mwc(equity, cube, met))
    if difference:
        chance -= float(eq2mwc(0.0, cube, met))
    sign = "+" if difference else ""
    if output.matchpc:
        return f"{100 * chance:{sign}.{max(0, output.digits - 1)}f}%"
    return f"{chance:{sign}.{output.digits}f}"


def plays_text(
    hint: PlaysHint, most: int, cube: Cube, met: MatchEquityTable, output: Output
) -> str:
    """The ranked plays."""
    lines = [_play_text(play, cube, met, output) for play in hint.plays[:most]]
    return "\n".join(lines if hint.complete else [*lines, INCOMPLETE])


def _play_text(play: Play, cube: Cube, met: MatchEquityTable, output: Output) -> str:
    kind = "Cubeful" if play.settings.cubeful else "Cubeless"
    unit = "MWC:" if _in_mwc(cube, output) else "Eq.:"
    text = f"{unit} {worth(play.equity, cube, met, output)}"
    if play.rank > 1:
        text += f" ({worth(-play.loss, cube, met, output, difference=True)})"
    seen = f"{kind} {play.ply}-ply"
    return (
        f"{play.rank:5}. {seen:<17}{play.play:<28} {text}\n"
        f"       {chances(play.probabilities, output)}\n"
        f"        {settings_text(play.settings, play.filters)}"
    )


def cube_text(hint: CubeHint, met: MatchEquityTable, output: Output) -> str:
    """A cube decision."""
    from gnubg_py.cube.state import swap_cube

    sign = -1 if hint.doubled else 1
    five = hint.probabilities.inverted if hint.doubled else hint.probabilities
    cube = swap_cube(hint.cube) if hint.doubled else hint.cube
    in_mwc = _in_mwc(cube, output)
    cubeless = worth(sign * hint.cubeless_equity, cube, met, output)
    line = f"{hint.ply}-ply cubeless {'MWC' if in_mwc else 'equity'} {cubeless}"
    if hint.cube.away is not None:
        line += f" (Money: {sign * hint.money_equity:+.{output.digits}f})"
    unit = "MWC" if in_mwc else "equities"
    lines = ["Cube analysis", line, f"  {chances(five, output)}", f"Cubeful {unit}:"]
    for number, (name, equity, difference) in enumerate(hint.alternatives, start=1):
        text = f"{number}. {name:<20}{worth(equity, cube, met, output)}"
        if number > 1:
            text += f"  ({worth(difference, cube, met, output, difference=True)})"
        lines.append(text)
    wrong = hint.decision.wrong_answers
    percent = "" if wrong is None else f" ({100 * wrong:.1f}%)"
    lines.append(f"Proper cube action: {hint.words}{percent}")
    return "\n".join(lines if hint.complete else [*lines, INCOMPLETE])


def evaluation_text(
    evaluation: Evaluation, cube: Cube, met: MatchEquityTable, output: Output
) -> str:
    """What ``eval`` found, a line a ply."""
    unit = "MWC" if _in_mwc(cube, output) else "Equity"
    lines = [
        f"Evaluator: \t{evaluation.position_class.capitalize()}",
        "",
        f"        Win     W(g)    W(bg)   L(g)    L(bg)   {unit:<10}Cubeful",
    ]
    digits = min(output.digits, 5)
    shown = replace(output, digits=digits)
    for row in evaluation.rows:
        name = "static" if row.ply == 0 else f"{row.ply:2} ply"
        five = "".join(f"{chance_text(p, digits, output.winpc):<8}" for p in row.probabilities)
        equity, cubeful = (worth(e, cube, met, shown) for e in (row.equity, row.cubeful))
        lines.append(f"{name}: {five}{equity:<10}{cubeful}")
    return "\n".join(lines if evaluation.complete else [*lines, INCOMPLETE])
