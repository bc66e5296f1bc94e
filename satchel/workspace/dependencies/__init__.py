"""Installed dependencies of a code base: found, indexed once, and asked with it."""
