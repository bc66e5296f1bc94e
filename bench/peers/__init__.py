"""Systems under test: Satchel itself, other local tools, and plain baselines."""
