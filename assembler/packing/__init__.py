"""Packing: which excerpts of a ranking fit a budget of tokens, and how they are written."""
