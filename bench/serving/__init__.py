"""The server measured: load, cold starts, malformed input, conformance."""
