"""Evaluators of positions: classification, routing, and one module per evaluator."""
