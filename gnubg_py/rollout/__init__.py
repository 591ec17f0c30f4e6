"""Rollouts: games played out from a position, all at once, the luck of the dice taken out."""
