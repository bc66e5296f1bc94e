"""The version of Satchel, as its installation says."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "0+unknown"
"""A version in the sense of PEP 440, for code that runs without being installed."""


def installed_version() -> str:
    """The version of the installed package, `UNKNOWN` when it is not installed."""
    try:
        return version("satchel")
    except PackageNotFoundError:
        return UNKNOWN
