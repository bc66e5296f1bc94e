"""Exact text and regular expressions, found in everything that is indexed."""
