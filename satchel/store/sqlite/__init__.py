"""The index file: its schema, how rows are written, and what bounds its growth."""
