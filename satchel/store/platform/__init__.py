"""Files, folders, programs and databases of a system, opened and started with care, one a file."""
