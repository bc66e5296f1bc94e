"""Finds the files of a tree, and decides which are indexed and why others are not."""
