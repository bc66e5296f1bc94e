"""Computes answers in separate processes, forked from one that has loaded everything."""
