"""Training nets by self-play; see docs/training.md. No module that plays imports it.

In a checkout this folder is at the top, where people look for it, and ``gnubg_py/training`` is a
link to it; in a wheel it is inside the package. ``gnubg_py.training`` is its name in both.
"""
