"""Measurements of Satchel and of other local search tools, on public repositories.

Not shipped in the wheel. `bench/README.md` says how to get the corpora and what is measured.
"""
