"""The read side: one generation of the index, by file, chunk, symbol and term."""
