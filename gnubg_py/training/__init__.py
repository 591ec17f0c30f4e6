"""The training code, under one name wherever it runs: ``from gnubg_py.training import ...``.

In a wheel its modules lie in this folder. In a checkout they are the top-level ``training/``.
"""

from gnubg_py.paths import training_dir

__path__ = [str(training_dir())]
