"""A backgammon analysis engine."""
