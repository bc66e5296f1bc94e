"""Values and types as the source writes them, read as expressions that can be evaluated."""
