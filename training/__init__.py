"""Training nets by self-play; see docs/training.md. Nothing that plays imports it.

In a checkout this folder stands at the top, where people look for it, and ``gnubg_py/training``
is a link to it; a wheel carries it there. ``gnubg_py.training`` is its one name in both.
"""
