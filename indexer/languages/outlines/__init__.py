"""Outlines: from text without a grammar to headings, by what kind of text it is."""
