"""Python inside the shell: scripts, and the module ``gnubg`` that they import.

The functions take and give what those of GNU Backgammon 1.07's own module do (``docs/inside.md``).
A board is a pair of tuples of 25 counts, the row of the side on roll second: this is the other way
round than everywhere else in this program.
"""
