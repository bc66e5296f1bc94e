"""Which file names are notebooks, and how large one may be. For contents see `notebook`."""

EXTENSION = ".ipynb"
MAX_OUTPUT_BYTES = 16 << 20
"""What outputs, which are not indexed, may add to the size of a file."""
