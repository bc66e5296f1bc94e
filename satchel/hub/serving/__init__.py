"""Serves a hub to agents: ten tools over HTTP, a token and access rights for each person."""
