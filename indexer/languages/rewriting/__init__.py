"""Source made readable for its grammar: every byte keeps its offset."""
