"""Who values positions: classification, routing, and one module per evaluator."""
