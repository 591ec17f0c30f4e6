"""Writers killed at random moments: the file is the old one or the new one, never half of one."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_LOOP = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
path = Path({path!r})
{prepare}
print("ready", flush=True)
n = 0
while True:
    n += 1
{write}
"""


@dataclass(frozen=True)
class Writer:
    """Python text that prepares, and that writes ``path`` for the n-th time; how it is read."""

    name: str
    prepare: str
    write: str
    read: Callable[[Path], object]


def _load_match(path: Path) -> object:
    from gnubg_py.matchfiles.saved import load_match

    return load_match(path)


def _load_net(path: Path) -> object:
    from gnubg_py.network.weights import load_weights

    return load_weights(path)


def _load_database(path: Path) -> object:
    from gnubg_py.bearoff.store import read

    return read(path, "small")


def _load_rollout(path: Path) -> object:
    from gnubg_py.rollouts.result import load_result

    return load_result(path)


WRITERS = (
    Writer(
        "match.json",
        "from tests.random_matches import random_match\n"
        "from gnubg_py.matchfiles.saved import save_match\n"
        "records = [random_match(seed, games=1 + seed) for seed in range(3)]",
        "save_match(records[n % 3], path)",
        _load_match,
    ),
    Writer(
        "net.safetensors",
        "import numpy as np\n"
        "from gnubg_py.network.weights import Architecture, Weights, save_weights\n"
        "def net(n):\n"
        "    shapes = [((64, 206), (64,)), ((6, 64), (6,))]\n"
        "    return tuple(tuple(np.full(s, n, np.float32) for s in pair) for pair in shapes)",
        "save_weights(path, Weights(Architecture((64,)), net(n), {'n': str(n)}))",
        _load_net,
    ),
    Writer(
        "rollout.json",
        "from tests.attack.formats import rollout_sample\n"
        "from gnubg_py.rollouts.result import result_from_dict\n"
        "import json\n"
        "result = result_from_dict(json.loads(rollout_sample(0)))",
        "result.save(path)",
        _load_rollout,
    ),
    Writer(
        "database",
        "import numpy as np\nfrom gnubg_py.bearoff.store import write",
        "write(path, 'small', {'a': np.full(100_000, n, np.int32)})",
        _load_database,
    ),
    Writer(
        "text",
        "from gnubg_py.files import write_aside",
        "write_aside(path, (str(n) * 100_000).encode())",
        lambda path: _same_digits(path.read_text()),
    ),
)


def _same_digits(text: str) -> None:
    assert text == text[: len(text) // 100_000] * 100_000


def attack(seed: int, folder: Path) -> int:
    """Kill every writer once, and read what it wrote."""
    generator = random.Random(seed)
    for writer in WRITERS:
        kill_one(writer, folder / writer.name, generator.random() * 0.2)
    return len(WRITERS)


def kill_one(writer: Writer, path: Path, after: float) -> None:
    """Kill a writer some seconds after its first file is there, and read what it left."""
    root = str(Path(__file__).parents[2])
    lines = "\n".join(f"    {line}" for line in writer.write.splitlines())
    source = _LOOP.format(root=root, path=str(path), prepare=writer.prepare, write=lines)
    program = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE)
    assert program.stdout is not None
    try:
        assert program.stdout.readline() == b"ready\n"
        while not path.exists() and program.poll() is None:
            time.sleep(0.001)
        time.sleep(after)
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
    writer.read(path)
    left = [p for p in path.parent.iterdir() if p.name.endswith(".part")]
    assert all(p.name.startswith(f".{path.name}.") for p in left), left
    for p in left:
        p.unlink()


def attack_extended(seed: int, folder: Path) -> int:
    """A rollout killed while it is extended and saved again and again has the sums of one go."""
    generator = random.Random(seed)
    path = folder / "extended.json"
    path.unlink(missing_ok=True)
    words = ["rollout", "x 6:2 5:1 / o 6:1 4:2", "--evaluator", "fast", "--no-databases", "--json"]
    kills, trials = 0, 36
    while trials <= 36 * 6:
        more = ["--extend", str(path)] if path.exists() else []
        command = [sys.executable, "-m", "gnubg_py", *words, "--trials", str(trials), *more]
        program = subprocess.Popen([*command, "--save", str(path)], stdout=subprocess.DEVNULL)
        if generator.random() < 0.5:
            time.sleep(generator.random() * 1.5)
            program.kill()
            kills += 1
        program.wait()
        if path.exists():
            trials = json.loads(path.read_text())["trials"] + 36
    once = folder / "once.json"
    subprocess.run(
        [sys.executable, "-m", "gnubg_py", *words, "--trials", str(36 * 6), "--save", str(once)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert json.loads(path.read_text())["sums"] == json.loads(once.read_text())["sums"]
    return kills
