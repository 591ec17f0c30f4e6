"""``python -m training``: the same as ``gnubg-py train``."""

from __future__ import annotations

import sys

from gnubg_py.cli import main

if __name__ == "__main__":
    raise SystemExit(main(["train", *sys.argv[1:]]))
