"""Evaluators: classification, routing, and one module per leaf.

Called, the package is the front door's function: ``gnubg_py.evaluate(position, ...)``.
"""

from gnubg_py.callable_package import make_callable

make_callable(__name__, "gnubg_py.analysis", "evaluate")
