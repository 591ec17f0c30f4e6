"""``gnubg-py train``: a self-play training run; see docs/training.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from gnubg_py.messages import print_answer

HELP = "train a net by self-play"


def configure(parser: argparse.ArgumentParser) -> None:
    """The run's folder, ``--resume``, and one option for every setting of ``TrainConfig``."""
    from gnubg_py.training.config import add_settings

    parser.add_argument("folder", type=Path, help="where the run lives")
    parser.add_argument("--resume", action="store_true", help="continue the folder's run")
    add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Run it to its end, or until Ctrl-C; its folder then holds all it takes to resume."""
    from gnubg_py.training.config import config_from_options, config_json
    from gnubg_py.training.run import train

    config = config_from_options(args)
    print_answer(config_json(config))
    train(config, args.folder, args.resume)
    return 0
