"""Evaluators that count and weigh by hand: pseudopip and ten-factor."""
