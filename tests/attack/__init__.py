"""Attacks with random seeds, run by ``make attack``: see docs/reliability.md."""
