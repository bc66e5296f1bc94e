"""Rows of further languages, by what they are written for."""
