"""What it takes to read each language: its text, a row, a query file, and outlines without a grammar."""
