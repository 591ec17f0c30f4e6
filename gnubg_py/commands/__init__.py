"""The commands of ``gnubg-py``, one module each, imported when its command is asked for.

A command module has ``HELP: str``, ``configure(parser)``, which adds its arguments, and
``run(args) -> int``, which does the work and returns the exit status. ``gnubg_py/cli.py`` lists
the commands and turns errors into one line.
"""
