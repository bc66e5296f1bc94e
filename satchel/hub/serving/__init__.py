"""Agents ask a hub: ten tools over HTTP, a token for each person, and what they may read."""
