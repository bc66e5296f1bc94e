"""BLAKE2b, without the rest of `hashlib`: that loads OpenSSL, which takes 3 ms of each command."""

try:
    # What `hashlib.blake2b` is in CPython.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
