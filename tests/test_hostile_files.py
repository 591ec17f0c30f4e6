"""Files that a stranger may have written: refused in one line, in little time and memory."""

from __future__ import annotations

import ast
import gzip
import json
import os
import secrets
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from gnubg_py import cli, files
from gnubg_py.files import read_bytes, read_json, read_lines, read_text, write_aside
from gnubg_py.messages import printable
from gnubg_py.network.weights import Architecture, Weights, save_weights
from tests.attack import formats

PACKAGE = Path(cli.__file__).parent


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What a command says that refuses its input: one line, without the program's name."""
    assert cli.main([str(word) for word in words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.removeprefix("gnubg-py: ").strip()


@pytest.mark.parametrize("form", formats.FORMATS, ids=lambda form: form.name)
def test_every_format_reads_its_good_file_and_survives_damaged_ones(
    tmp_path: Path, form: formats.Format
) -> None:
    path = tmp_path / form.name
    path.write_bytes(form.sample(0))
    form.read(path)
    formats.attack(1, tmp_path, 8, (form,))


OPENING = "4HPwATDgc/ABMA"


@pytest.mark.parametrize("words", [
    ("rollout", OPENING, "--trials", "36", "--extend"),
    ("strength", "--decisions"),
    ("compare", "--positions"),
    ("net", "info"),
])  # fmt: skip
@pytest.mark.parametrize(("name", "kind"), [("fifo", "a pipe"), ("/dev/zero", "a device")])
def test_only_ordinary_files_hold_results_and_nets(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], name: str, kind: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    path = tmp_path / name
    assert refusal(capsys, *words, path) == f"{path}: is {kind}, where a file is needed"


def test_commands_may_come_through_a_pipe(tmp_path: Path) -> None:
    script = tmp_path / "commands"
    script.write_text("show version\n")
    for line in (f"$G -c <(cat {script})", f"$G -c /dev/stdin < {script}",
                 f"cat {script} | $G -c /dev/stdin"):  # fmt: skip
        done = subprocess.run(
            ["bash", "-c", line.replace("$G", f"{sys.executable} -m gnubg_py")],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0
        assert done.stdout.startswith("gnubg_py ")


def test_a_device_without_end_is_no_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "-c", "/dev/zero") == "/dev/zero: is a device, where a file is needed"


def test_the_limit_of_size_is_told(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 11)
    for read in (read_bytes, read_text):
        with pytest.raises(ValueError, match=r"large: 11 bytes: at most 10 are read"):
            read(path, 10)
    assert read_bytes(path, 11) == b"x" * 11


@pytest.mark.parametrize(("open_bracket", "close"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_json_is_refused(tmp_path: Path, open_bracket: str, close: str, depth: int) -> None:
    path = tmp_path / "deep.json"
    path.write_text(open_bracket * depth + "1" + close * depth)
    with pytest.raises(ValueError, match=r"deep\.json: not JSON: brackets are nested more than 64"):
        read_json(path)


def test_a_deep_rollout_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    said = refusal(capsys, "rollout", OPENING, "--trials", "36", "--extend", path)
    assert said.startswith(f"{path}: not JSON: brackets are nested")


def test_a_gzip_bomb_takes_little_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress((b" " * 999 + b"\n") * 5000))
    monkeypatch.setattr(files, "LARGEST_UNZIPPED", 4 << 20)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"unzips to more than the 4,194,304 bytes that are read"):
        for _ in read_lines(path):
            pass
    assert tracemalloc.get_traced_memory()[1] < 2 << 20
    tracemalloc.stop()


def test_a_line_has_its_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl.gz"
    path.write_bytes(gzip.compress(b"short\n" + b" " * 300))
    monkeypatch.setattr(files, "_LONGEST_LINE", 200)
    with pytest.raises(ValueError, match="line 2: longer than 200 bytes"):
        list(read_lines(path))


def test_tensors_that_share_one_number_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    import torch

    path, wide = tmp_path / "bomb.pt", torch.zeros(1).expand
    torch.save({"0.weight": wide(65536, 196), "0.bias": wide(65536),
                "1.weight": wide(65536, 65536), "1.bias": wide(65536),
                "2.weight": wide(6, 65536), "2.bias": wide(6)}, path)  # fmt: skip
    said = refusal(capsys, "net", "import", path, "--class", "contact", "--encoding", "tesauro196",
                   "--out", tmp_path / "out.safetensors")  # fmt: skip
    assert "they should not share numbers" in said


def test_a_damaged_onnx_file_is_refused_in_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from gnubg_py.network.leaf import load_onnx

    onnx = next(form for form in formats.FORMATS if form.name == "net.onnx")
    path, good = tmp_path / "net.onnx", onnx.sample(0)
    for old, new in ((b"matrix", b"matr\xea\n"), (b"boards", b"bo\na\ns")):
        path.write_bytes(good.replace(old, new, 1))
        with pytest.raises(ValueError, match=r"^[^\n]*not a model that onnxruntime can run[^\n]*$"):
            load_onnx(path)
    assert capfd.readouterr() == ("", "")  # onnxruntime says nothing by itself


def card_net(path: Path, **card: str) -> Path:
    """A small net with some words on its card."""
    layers = tuple(
        (np.zeros(shape, np.float32), np.zeros(shape[0], np.float32))
        for shape in ((4, 206), (6, 4))
    )
    save_weights(path, Weights(Architecture((4,)), layers, card))
    return path


def test_a_card_is_printed_without_its_escape_sequences(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    odd = "\x1b]0;pwned\x07 \x1b[31mred"
    path = card_net(tmp_path / "n.safetensors", note=odd, **{odd: json.dumps({odd: [odd]})})
    assert cli.main(["net", "info", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.replace("\n", "").isprintable()
    assert out.count("\\x1b]0;pwned\\x07") == 4


def test_a_deep_card_is_shown_as_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = card_net(tmp_path / "n.safetensors", note="[" * 500 + "]" * 500)
    assert cli.main(["net", "info", str(path)]) == 0
    assert "[[[[" in capsys.readouterr().out


def test_a_header_that_is_no_card(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    save_file({"a": np.zeros(3, np.float32)}, path, {"note": "\x1b[31m"})
    assert "not a gnubg_py net" in refusal(capsys, "net", "info", path)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("Zoë 2", "Zoë 2"), ("a\x1b[31mb", "a\\x1b[31mb"), ("a\u202eb", "a\\u202eb"),
     ("a\u00a0b\tc\nd", "a b c d"), ("\x9b\udc80", "\\x9b\\udc80")],
)  # fmt: skip
def test_strangers_text_on_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_names_reach_a_terminal_without_escape_sequences(tmp_path: Path) -> None:
    from gnubg_py.shell.loop import prompt_of
    from tests.shell_lines import Shell

    shell = Shell()
    shell("new session")
    for player, name in zip(shell.session.players, ("\x1b]0;pwned\x07", "\u202eBob"), strict=True):
        player.name = name
    printed = shell("show board", "show match", "show player", "roll", "set dice 31")
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "\\x1b]0;pwned" in printed
    shell.session.players[0].name = shell.session.players[1].name = "\x1b[31mEve"
    assert prompt_of(shell.session).startswith("(\\x1b[31mEve")


PRINTERS = {"messages.py", "cli.py", "shell/commands.py", "inside/run.py"}


def test_commands_print_through_one_door() -> None:
    """So that no command prints a stranger's text raw: see ``messages.print_answer``."""
    printing = set()
    for path in PACKAGE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "print":
                where = [ast.unparse(word.value) for word in call.keywords if word.arg == "file"]
                if where not in (["self.out"], ["self.err"], ["sys.stderr"]):
                    printing.add(path.relative_to(PACKAGE).as_posix())
    assert printing <= PRINTERS


def test_a_match_whose_player_is_no_whole_number(tmp_path: Path) -> None:
    from gnubg_py.matchfiles.saved import as_json, load_match, save_match
    from tests.random_matches import random_match

    path = tmp_path / "m.json"
    save_match(random_match(1, games=1), path)
    value = as_json(load_match(path))
    value["games"][0]["actions"][0]["player"] = 1.0
    path.write_text(json.dumps(value))
    with pytest.raises(ValueError, match=r"player 1\.0: should be 0 or 1"):
        load_match(path)


def test_a_save_follows_no_link_that_another_user_has_laid(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr(secrets, "token_hex", lambda n: "00")
    (tmp_path / ".out.00.part").symlink_to(victim)
    with pytest.raises(ValueError, match="File exists"):
        write_aside(tmp_path / "out", b"theirs")
    assert victim.read_text() == "mine"


def test_what_killed_saves_left_is_removed(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in
                         (".out.11.part", ".out.22.part", ".other.33.part"))  # fmt: skip
    for path in (old, young, other):
        path.write_text("half")
        os.utime(path, (1e9, 1e9) if path != young else None)
    write_aside(tmp_path / "out", b"whole")
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_saved_file_has_the_usual_permissions(tmp_path: Path) -> None:
    write_aside(tmp_path / "out", b"")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("where", ["full", "gone"])
def test_a_rollout_is_saved_before_it_is_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    def fails(*words: object, **options: object) -> None:
        raise (OSError(28, "No space left on device") if where == "full" else BrokenPipeError())

    monkeypatch.setattr("gnubg_py.commands.rollout.print_answer", fails)
    path = tmp_path / "r.json"
    args = ["rollout", OPENING, "--trials", "36", "--truncate", "1", "--evaluator", "fast"]
    with pytest.MonkeyPatch.context() as context:
        context.setattr(os, "dup2", lambda *words: None)
        assert cli.main([*args, "--save", str(path)]) in (2, 141)
    assert json.loads(path.read_text())["trials"] == 36
