"""What it takes to read each language: a row, a query file, and outlines without a grammar."""
