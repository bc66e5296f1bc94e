"""Checks whether an index is right: checks, their findings, and report formats."""
