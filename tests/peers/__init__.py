"""Comparisons with other backgammon programs, run by ``make peers``."""
