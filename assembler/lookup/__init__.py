"""Questions that are looked up and not ranked: definitions, callers, callees."""
