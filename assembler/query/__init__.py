"""What a question says: words, identifiers, pasted traces and diffs, and where they point."""
