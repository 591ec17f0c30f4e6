"""Rollouts: games played out from a position, all at once, the luck of the dice taken out.

Called, the package is the front door's function: ``gnubg_py.rollout(position, ...)``.
"""

from gnubg_py.callable_package import make_callable

make_callable(__name__, "gnubg_py.rollout.run", "rollout")
