"""The file of knowledge: its schema, migrations and statements."""
