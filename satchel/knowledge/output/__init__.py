"""Items of knowledge as the text that a model reads."""
