"""Several indexes read as one tree, in which each is a folder; nothing is written."""
