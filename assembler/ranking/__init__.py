"""Which chunks could answer a question, and in which order."""
