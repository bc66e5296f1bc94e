"""Packs measured: what they show of the code that a task needs."""
