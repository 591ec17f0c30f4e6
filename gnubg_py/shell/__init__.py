"""The gnubg-like shell: commands, what they print, and nothing of the engine."""
