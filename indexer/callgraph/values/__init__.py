"""The evaluator: which functions, classes and modules an expression may stand for."""
