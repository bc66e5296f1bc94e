"""Indexing measured: time, memory, saves, and trees of any size."""
