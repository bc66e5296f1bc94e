"""From repositories to rows: their trees are indexed in workers and copied into PostgreSQL."""
