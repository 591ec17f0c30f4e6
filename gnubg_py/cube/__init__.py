"""The doubling cube: match equity tables, cubeful equities, and cube decisions."""
