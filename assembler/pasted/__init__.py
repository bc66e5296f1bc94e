"""Pasted output of programs: traces, failing tests and diffs, and what they require of a pack."""
