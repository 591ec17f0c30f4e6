"""Rollouts: many games played to the end, luck taken out."""
