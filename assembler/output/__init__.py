"""Packs, search results and surveys as the text that a person or a model reads."""
