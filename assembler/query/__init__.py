"""What a question says, read once: words, names, lines, pasted traces and diffs, a change."""
