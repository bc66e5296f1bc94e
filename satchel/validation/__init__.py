"""Is what the index says true? Checks, their findings, and how they are written down."""
