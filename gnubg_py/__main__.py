"""``python -m gnubg_py`` is ``gnubg-py``."""

import sys

from gnubg_py.cli import main

sys.exit(main())
