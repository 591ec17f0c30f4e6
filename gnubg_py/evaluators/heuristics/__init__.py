"""Evaluators by hand-written rules: pseudopip and ten-factor."""
