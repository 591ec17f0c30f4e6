"""Bearoff databases: built once, stored in the user's cache directory, and memory-mapped."""
