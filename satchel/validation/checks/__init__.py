"""The checks themselves, by what they look at, and the table that lists them."""
