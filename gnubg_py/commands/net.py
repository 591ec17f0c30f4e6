"""``gnubg-py net``: the card of a weights file; state dicts imported, nets rounded."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gnubg_py.files import parse_json
from gnubg_py.messages import print_answer, printable
from gnubg_py.network.encoding import COMPUTED, ENCODINGS, THERMOMETER, any_encoding
from gnubg_py.network.integers import (
    IntegerWeights,
    load_net,
    net_checksum,
    save_integers,
    tensors_of,
)
from gnubg_py.network.state_dict import IMPORTABLE
from gnubg_py.network.weights import (
    ACTIVATIONS,
    OUTPUT_KINDS,
    Architecture,
    Weights,
    inputs_of,
    load_weights,
    outputs_of,
    save_weights,
)

_POSITIONS = 6000
"""Positions on which ``quantise`` measures ranges; as many plays besides."""


def configure_net(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``net``."""
    parser.set_defaults(run=_run)
    commands = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    info = commands.add_parser("info", help="what a weights file holds and how it was trained")
    info.add_argument("file", type=Path, help="a .safetensors file, as those in nets/")

    add = commands.add_parser("import", help="a state dict of linear layers as a weights file")
    add.add_argument("file", type=Path, help="what torch.save(module.state_dict(), FILE) wrote")
    add.add_argument("--out", type=Path, required=True, help="the .safetensors file to write")
    add.add_argument(
        "--class",
        dest="position_class",
        required=True,
        help=f"what positions it is for: {', '.join(IMPORTABLE)}",
    )
    add.add_argument(
        "--encoding",
        default=THERMOMETER.name,
        help=f"its inputs: {', '.join([*ENCODINGS, *COMPUTED])} (default: {THERMOMETER.name})",
    )
    add.add_argument(
        "--slope",
        type=float,
        default=Architecture().slope,
        help="of its leaky hidden units below 0; 0 for ReLU (default: %(default)s, as ours)",
    )
    add.add_argument(
        "--activation",
        default=Architecture().activation,
        help=f"its hidden units: {', '.join(ACTIVATIONS)} (default: %(default)s)",
    )
    add.add_argument(
        "--output",
        default=Architecture().output,
        help="its last layer: logits of the six outcomes, or of gnubg's five chances"
        f" ({' or '.join(OUTPUT_KINDS)}; default: %(default)s)",
    )

    rounded = commands.add_parser("quantise", help="a net rounded to whole numbers: faster")
    rounded.add_argument("file", type=Path, help="a .safetensors file of float32")
    rounded.add_argument("--out", type=Path, required=True, help="the .safetensors file to write")
    rounded.add_argument(
        "--positions",
        type=int,
        default=_POSITIONS,
        help="of self-play, on which the units' ranges are measured (default: %(default)s)",
    )
    rounded.add_argument("--seed", type=int, default=0, help="of the games (default: 0)")

    for command in (info, add, rounded):
        command.add_argument("--json", action="store_true", help="print one JSON value")


def _run(args: argparse.Namespace) -> int:
    """Do what is asked and print the card."""
    make = {"info": lambda args: load_net(args.file), "import": _import, "quantise": _quantise}
    weights = make[args.action](args)
    path = args.file if args.action == "info" else args.out
    print_answer(json.dumps(card(weights)) if args.json else card_text(path, weights))
    return 0


def _check_name(path: Path) -> None:
    if path.suffix != ".safetensors":
        raise ValueError(f"--out {path}: the name should end in .safetensors")


def _import(args: argparse.Namespace) -> Weights:
    from gnubg_py.network.state_dict import import_state_dict

    _check_name(args.out)
    architecture = Architecture(
        (), args.encoding, args.slope, args.position_class, args.activation, args.output
    )
    weights = import_state_dict(args.file, architecture)
    save_weights(args.out, weights)
    return weights


def _quantise(args: argparse.Namespace) -> IntegerWeights:
    from gnubg_py.compare.rounding import quantised_net

    _check_name(args.out)
    if not 1 <= args.positions <= 1_000_000 or args.seed < 0:
        raise ValueError("--positions should be 1 to 1,000,000, --seed at least 0")
    weights = quantised_net(load_weights(args.file), args.positions, args.seed)
    save_integers(args.out, weights)
    return weights


def _parameters(weights: Weights | IntegerWeights) -> int:
    if isinstance(weights, IntegerWeights):
        return sum(array.size for array in tensors_of(weights).values())
    return sum(matrix.size + bias.size for matrix, bias in weights.layers)


def card(weights: Weights | IntegerWeights) -> dict[str, Any]:
    """All that is known of a net, ready for JSON."""
    return {
        **asdict(weights.architecture),
        "inputs": inputs_of(weights.architecture),
        "parameters": _parameters(weights),
        "numbers": "whole" if isinstance(weights, IntegerWeights) else "float32",
        "checksum": net_checksum(weights),
        "card": {key: _value(text) for key, text in sorted(weights.card.items())},
    }


def _value(text: str) -> Any:
    """What a card's text stands for: JSON where it is, itself where not."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def card_text(path: Path, weights: Weights | IntegerWeights) -> str:
    """The card as lines, headed by the file's name."""
    facts = card(weights)
    architecture = weights.architecture
    outputs = outputs_of(architecture)
    units = _UNITS[architecture.activation].format(architecture.slope)
    widths = "-".join(str(n) for n in (facts["inputs"], *architecture.hidden, outputs))
    lines = [
        printable(str(path)),
        _line("class", architecture.position_class),
        _line("encoding", f"{architecture.encoding} ({any_encoding(architecture.encoding).about})"),
        _line("layers", f"{widths}, {units}"),
        *([_line("tails", str(architecture.tails))] if architecture.tails > 1 else []),
        _line("parameters", f"{facts['parameters']:,}, {_NUMBERS[facts['numbers']]}"),
        _line("checksum", facts["checksum"]),
    ]
    for key, value in facts["card"].items():
        if isinstance(value, dict):
            lines += ["", printable(key), *(_line(k, _short(v)) for k, v in value.items())]
        else:
            lines += ["", _line(key, _short(value))]
    return "\n".join(lines)


_UNITS = {"leaky": "leaky slope {:g}", "clipped": "clipped to 0 to 1", "sigmoid": "sigmoid"}
_NUMBERS = {"float32": "float32", "whole": "whole numbers"}
_WIDTH, _INDENT = 80, 22


def _line(name: str, value: str) -> str:
    """A fact, within 80 columns."""
    first = f"  {printable(name):<{_INDENT - 3}} "
    lines = textwrap.wrap(printable(value), _WIDTH - _INDENT) or [""]
    return first + f"\n{' ' * _INDENT}".join(lines)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(v)}" for key, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_short, value))
    return f"{value:,}" if type(value) is int else str(value)
