"""Pictures of a board: as text, SVG, PNG and HTML."""
