"""``gnubg-py bench``: the speed of plays, nets and databases on this machine."""

from __future__ import annotations

import argparse
import json

from gnubg_py.bench.speed import NETS, QUICK, Figures, SpeedSettings, speed
from gnubg_py.messages import print_answer
from gnubg_py.threads import thread_count


def configure_bench(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``bench``."""
    parser.set_defaults(run=_run)
    add = parser.add_argument
    add("--threads", type=int, help=f"threads of evaluations (default: {thread_count()}, all)")
    add("--rounds", type=int, help=f"rounds in which all take turns (default: {_default.rounds})")
    add("--seed", type=int, default=0, help="the positions (default: 0)")
    add("--quick", action="store_true", help="a first look, in a few seconds")
    add("--json", action="store_true", help="print one JSON value")


_default = SpeedSettings(threads=1)


def _run(args: argparse.Namespace) -> int:
    """Measure and print a table."""
    threads = thread_count() if args.threads is None else args.threads
    if args.rounds is not None and args.rounds < 1:
        raise ValueError(f"rounds {args.rounds}: should be 1 or more")
    if args.seed < 0:
        raise ValueError(f"seed {args.seed}: should be 0 or more")
    chosen = {**(QUICK if args.quick else {}), "threads": threads, "seed": args.seed}
    if args.rounds is not None:
        chosen["rounds"] = args.rounds
    figures = speed(SpeedSettings(**chosen))
    print_answer(json.dumps(figures) if args.json else speed_text(figures))
    return 0


def speed_text(figures: Figures) -> str:
    """The figures as a table, rates in thousands a second."""
    threads = figures["threads"]
    on = f"{threads} thread{'' if threads == 1 else 's'}"
    lines = [f"{'thousands a second':<44}{'rolls':>12}{'boards':>12}", "plays, 1 thread"]
    for label, prefix in (("kernel", ""), ("plain Python", "python_")):
        lines.append(_line(label, figures, f"{prefix}rolls", f"{prefix}boards"))
    lines += ["", f"{f'contact net, {on}':<44}{'positions':>12}{'children':>12}"]
    for prefix, label in NETS.items():
        lines.append(_line(label, figures, f"{prefix}evaluations", f"{prefix}child_evaluations"))
    lines.append(_line("gnubg's calibrate", figures, "gnubg_evaluations"))
    lines += ["", f"{'':<44}{'times gnubg':>12}{'of peak':>12}"]
    for prefix, label in NETS.items():
        ratio, share = figures[f"{prefix}ratio_to_gnubg"], figures[f"{prefix}share_of_matrix_peak"]
        shown = "-" if ratio is None else f"{ratio:.1f}"
        lines.append(f"  {label:<42}{shown:>12}{'-' if share is None else f'{share:.0%}':>12}")
    flops = figures["matrix_flops_per_second"] or 0
    lines.append(
        f"  (peak: numpy's float32 products of 1024 x 1024, {flops / 1e9:,.0f} GFLOP/s on {on};"
    )
    operations = figures["byte_operations_per_second"] or 0
    lines.append(f"  of nets of whole numbers: products of bytes, {operations / 2e9:,.0f} GMAC/s)")
    lines += ["", f"{f'2-ply decisions, {on}':<44}{'decisions':>12}{'evaluations':>12}"]
    lines.append(_line("net", figures, "decisions", "search_evaluations"))
    lines.append(_line("gnubg's hint", figures, "gnubg_decisions"))
    ratio, hits = figures["decisions_ratio_to_gnubg"], figures["search_cache_hits"] or 0
    shown = "-" if ratio is None else f"{ratio:.1f}"
    lines.append(f"  {'times gnubg':<42}{shown:>12}   (cache: {hits:.0%} of nodes known)")
    lines += ["", f"{f'bearoff databases, {on}':<44}{'lookups':>12}"]
    lines.append(_line("one-sided", figures, "one_sided_lookups"))
    lines.append(_line("two-sided", figures, "two_sided_lookups"))
    return "\n".join(lines)


def _line(label: str, figures: Figures, *keys: str) -> str:
    rates = [figures[f"{key}_per_second"] for key in keys]
    return f"  {label:<42}" + "".join(
        f"{'-' if rate is None else _thousands(rate):>12}" for rate in rates
    )


def _thousands(rate: float) -> str:
    """A rate in thousands.

    >>> _thousands(1_234_567), _thousands(54.3)
    ('1,235', '0.054')
    """
    return f"{rate / 1000:,.0f}" if rate >= 10_000 else f"{rate / 1000:.3f}"
