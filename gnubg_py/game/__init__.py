"""Games and matches: positions and the actions that change them, records, files."""
