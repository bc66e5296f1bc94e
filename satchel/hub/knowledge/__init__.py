"""What a team knows: kept in PostgreSQL, asked with the code of a checkout's knowledge."""
