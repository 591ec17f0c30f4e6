"""The commands of ``gnubg-py``, one module each, imported when its command is asked for.

The module of the command NAME has ``configure_NAME(parser)``, which adds its arguments and sets
``run``: a function that does the work, given the arguments, and returns the exit status.
``gnubg_py/cli.py`` lists the commands and turns errors into one line.
"""
