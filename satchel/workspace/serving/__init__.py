"""Processes that stay: who owns the index, who follows, and how they talk to each other."""
