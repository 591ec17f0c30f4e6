"""Comparing evaluators: judged decisions, duels, reports."""
