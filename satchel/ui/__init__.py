"""A local page: what agents were given and why, and the state of the index."""
