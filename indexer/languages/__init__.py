"""What it takes to read each language: its text, a row, a query, outlines without a grammar."""
