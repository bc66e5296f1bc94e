"""Measurements of a team's hub: the same packs from both stores, and choosing repositories."""
