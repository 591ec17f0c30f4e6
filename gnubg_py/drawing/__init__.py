"""Pictures of a board, one module for each format: text, SVG, PNG, HTML.

A new format is a new module here. ``shapes.board_shapes`` gives the shapes that pictures consist
of; a command of the shell (``shell/export_commands.py``) writes the file.
"""
