"""Several code bases asked at once: which they are, their indexes as one, and serving them."""
