"""The facts of files, as tables for name resolution."""
