"""A local page to look at: what agents were given and why, and whether the index is well."""
