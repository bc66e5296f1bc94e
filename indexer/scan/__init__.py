"""Which files are there, which of them are indexed, and why the others are not."""
