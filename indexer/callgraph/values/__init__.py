"""What expressions may stand for: an abstract interpreter over the tables of an index."""
