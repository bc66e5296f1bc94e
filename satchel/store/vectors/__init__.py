"""Vectors: the encoders that make them, and the two engines that search them."""
