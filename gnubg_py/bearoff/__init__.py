"""Bearoff databases: built once, stored in the user's cache directory, memory-mapped and read."""
