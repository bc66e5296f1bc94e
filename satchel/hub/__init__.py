"""A team's repositories on PostgreSQL: built by Dask, asked over all of them at once."""
