"""What is kept of earlier contents of a tree, for when they come back or are asked for."""
