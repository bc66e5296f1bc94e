"""Agents ask a hub: four tools over HTTP, a token for each person, and what they may read."""
