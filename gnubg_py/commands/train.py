"""``gnubg-py train``: a self-play training run; see docs/training.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from gnubg_py.cluster.connecting import Cluster, address_asked_for
from gnubg_py.commands.clustering import add_cluster_option, chosen_workers
from gnubg_py.exits import DONE
from gnubg_py.messages import print_answer, say


def configure_train(parser: argparse.ArgumentParser) -> None:
    """The run's folder, ``--resume``, and one option for every setting of ``TrainConfig``."""
    from gnubg_py.training.config import add_settings

    parser.set_defaults(run=_run)
    parser.add_argument("folder", type=Path, help="where the run lives")
    parser.add_argument("--resume", action="store_true", help="continue the folder's run")
    add_settings(parser)
    add_cluster_option(parser)
    parser.add_argument(
        "--synchronous",
        action="store_true",
        help="with --cluster: play in rounds, all lanes with the same net; the run is then the"
        " same as without a cluster. Else workers play with the newest net, whichever that is",
    )


def _run(args: argparse.Namespace) -> int:
    """Run it to its end, or until Ctrl-C; its folder then holds all it takes to resume."""
    from gnubg_py.training.config import config_from_options, config_json
    from gnubg_py.training.run import train

    config = config_from_options(args)
    print_answer(config_json(config))
    if address_asked_for(args.cluster) is None:
        train(config, args.folder, args.resume)
        return DONE
    if config.lanes == 1:
        say("one lane is played by one worker at a time: --lanes 4, say, gives work to more")
    with chosen_workers(args) as workers:
        if args.synchronous:
            train(config, args.folder, args.resume, workers)
        else:
            assert isinstance(workers, Cluster)
            train(config, args.folder, args.resume, newest=workers)
    return DONE
