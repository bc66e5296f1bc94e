"""Packing: which excerpts of a ranking a budget of tokens buys, and how they are written down."""
