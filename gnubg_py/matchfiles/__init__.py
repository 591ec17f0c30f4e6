"""Match files of every program: one module per format, all with the same type of result.

``read_match`` reads a file whatever its format is; ``gnubg_py.matchfiles.registry`` lists them.
"""
