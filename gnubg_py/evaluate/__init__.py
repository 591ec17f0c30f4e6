"""Evaluators: one module per leaf, the classifier that names a class, the router over them."""
