"""Values and types written in source, read as expressions that can be followed."""
