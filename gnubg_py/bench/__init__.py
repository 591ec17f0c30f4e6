"""Measurements of speed, beside gnubg where it is installed."""
