"""The version of Satchel, read from its installation."""

from __future__ import annotations

import os
import re
import sys

UNKNOWN = "0+unknown"
"""A version in the sense of PEP 440, for code that runs without being installed."""
_RECORDS = re.compile(r"satchel-([^-]+)\.dist-info")


def installed_version() -> str:
    """The version of the installed package, `UNKNOWN` when it is not installed."""
    # The folder with the records of an installation has the version in its name (PEP 376), and
    # `importlib.metadata` would load what reads e-mail before it looks there.
    for folder in sys.path:
        try:
            names = [entry.name for entry in os.scandir(folder or ".")]
        except OSError:
            continue
        for name in names:
            if match := _RECORDS.fullmatch(name):
                return match[1]
    return UNKNOWN
