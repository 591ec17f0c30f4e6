"""Compare the answers of two checkouts of this program, to the bit.

    python tests/compare_answers.py BEFORE AFTER [--decisions FILE] [--cubes FILE]

``BEFORE`` and ``AFTER`` are folders of checkouts. Every command below runs in both, with the Python
that runs this script; so do the shell's sessions in ``tests/shell_sessions``. The script prints a
line for each command whose output differs, with the first line that does, and how many are equal.
It ends with status 1 when anything differs. A change that should only restructure the code is held
to this script; a change of nets or settings changes answers and cannot be.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

MONEY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
MATCH = "XGID=-a-BaBC-A---cD--ac-dA---B-:1:1:1:42:2:3:0:7:10"
CUBE = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:00:0:0:0:3:10"
CRAWFORD = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:4:1:1:5:10"
RACE = "XGID=-BBBBBC-------------bbcccb-:0:0:1:00:0:0:0:0:10"
BEAROFF = "XGID=-BB---------------------bb-:0:0:1:00:0:0:0:0:10"

POSITIONS = (MONEY, MATCH, CUBE, CRAWFORD, RACE, BEAROFF)
ROLLED = (MONEY, MATCH, CRAWFORD)

TIMES = re.compile(r'"(seconds|games_per_second)": [0-9.e+-]+')
"""What may differ: how long a command took."""

SESSIONS = Path(__file__).parent / "shell_sessions"


def commands(decisions: Path | None, cubes: Path | None) -> Iterator[list[str]]:
    """The commands whose answers are compared, as words after ``gnubg-py``."""
    for position in POSITIONS:
        for ply in "012":
            yield ["hint", position, "--ply", ply, "--json"]
            yield ["eval", position, "--ply", ply, "--json"]
        yield ["hint", position, "--ply", "1", "--no-prune", "--json"]
        yield ["hint", position, "--ply", "1", "--evaluator", "large", "--json"]
        yield ["hint", position, "--ply", "1"]
    for position in ROLLED:
        best = ["rollout", position, "--best", "3", "--trials", "72", "--json"]
        yield best
        yield [*best, "--truncate", "7", "--cubeless"]
        yield [*best, "--trials", "36", "--ply", "1", "--truncate", "3"]
    for position in (CUBE, RACE):
        yield ["rollout", position, "--cube", "--trials", "72", "--json"]
        yield ["rollout", position, "--trials", "72", "--plain", "--random-dice", "--json"]
        yield ["bearoff", "suggest", "002220", "61"]
    yield ["bearoff", "analyze", "000222"]
    yield ["duel", "fast", "ten-factor", "--games", "40", "--json"]
    yield ["duel", "net@1", "fast", "--games", "10", "--json"]
    yield ["compare", MONEY, "--evaluator", "pseudopip", "ten-factor", "net", "--json"]
    if decisions:
        names = ["net", "large", "fast", "pseudopip", "ten-factor", "net@1"]
        yield ["strength", "--decisions", str(decisions), "--evaluator", *names, "--json"]
    if cubes:
        yield ["strength", "--cube", str(cubes), "--evaluator", "net", "net@1", "--json"]
    for session in sorted(SESSIONS.glob("*.txt")):
        yield ["-c", session.name]


def copy_sessions(folder: Path) -> None:
    """Copy the shell's sessions into a folder, each with a seed so that its dice are the same."""
    for session in SESSIONS.glob("*.txt"):
        (folder / session.name).write_text("set seed 1\n" + session.read_text())


def answer(checkout: Path, words: list[str], folder: Path) -> str:
    """What a checkout's program prints for a command run in ``folder``, with its exit status."""
    start = "import sys; from gnubg_py.cli import main; sys.exit(main())"
    folders = {"PYTHONPATH": str(checkout), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", start, *words],
        env={**os.environ, **folders},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return f"{TIMES.sub('', done.stdout)}\nstatus {done.returncode}"


def first_difference(before: str, after: str) -> str:
    """The first line that differs between two outputs, from both sides."""
    pairs = zip_longest(before.splitlines(), after.splitlines(), fillvalue="(no more lines)")
    one, other = next((a, b) for a, b in pairs if a != b)
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = max(0, at - 60)
    return f"    before: {one[start : start + 160]}\n    after:  {other[start : start + 160]}"


def main() -> int:
    """Compare every command; 1 when an answer differs, else 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="a checkout of the program")
    parser.add_argument("after", type=Path, help="another checkout")
    parser.add_argument("--decisions", type=Path, help="judged decisions to score as well")
    parser.add_argument("--cubes", type=Path, help="judged cube decisions to score as well")
    args = parser.parse_args()
    checkouts = (args.before.resolve(), args.after.resolve())
    differ = count = 0
    given = [path and path.resolve() for path in (args.decisions, args.cubes)]
    with ThreadPoolExecutor(2) as pool, TemporaryDirectory() as name:
        folder = Path(name)
        copy_sessions(folder)
        for words in commands(*given):
            before, after = pool.map(partial(answer, words=words, folder=folder), checkouts)
            count += 1
            if before != after:
                differ += 1
                print(f"DIFFERS {' '.join(words)}\n{first_difference(before, after)}", flush=True)
    print(f"{count - differ} of {count} answers are equal")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
