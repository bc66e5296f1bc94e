"""From a file's bytes to facts: symbols, references, data flow, chunks and search fields."""
