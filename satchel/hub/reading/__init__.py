"""The read side in PostgreSQL: one repository or several, as one snapshot."""
