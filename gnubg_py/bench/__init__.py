"""Measurements of speed, compared with gnubg's where it is installed."""
