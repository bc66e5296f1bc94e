"""The version of Satchel, and where it was installed from: both read from its installation."""

from __future__ import annotations

import os
import re
import shlex
import sys

NAME = "satchel"
"""The distribution. Only this module makes a command of its name, which somebody else may take in a
public index."""
UNKNOWN = "0+unknown"
"""A version in the sense of PEP 440, for code that runs without being installed."""
_RECORDS = re.compile(rf"{NAME}-([^-]+)\.dist-info")


def installed_version() -> str:
    """The version of the installed package, `UNKNOWN` when it is not installed."""
    return _installation()[1]


def install_command(extra: str) -> str:
    """The command that installs what an extra brings, from where this Satchel came from.

    A checkout, a wheel by its address and digest, or, where it came from an index, its name there.
    """
    from json import loads
    from pathlib import Path

    try:
        origin = loads(Path(_installation()[0], "direct_url.json").read_bytes())
    except OSError:
        return f"pip install {shlex.quote(f'{NAME}[{extra}]')}"
    address = f"{NAME}[{extra}] @ {origin['url']}"
    if digest := origin.get("archive_info", {}).get("hashes", {}).get("sha256"):
        address += f"#sha256={digest}"
    is_editable = origin.get("dir_info", {}).get("editable")
    folder = f"{origin['url'].removeprefix('file://')}[{extra}]"
    return f"pip install {shlex.join(['-e', folder] if is_editable else [address])}"


def _installation() -> tuple[str, str]:
    """The folder with the records of the installation, and the version."""
    # That folder has the version in its name (PEP 376), and `importlib.metadata` would load what
    # reads e-mail before it looks there.
    for folder in sys.path:
        try:
            names = [entry.name for entry in os.scandir(folder or ".")]
        except OSError:
            continue
        for name in names:
            if match := _RECORDS.fullmatch(name):
                return f"{folder}/{name}", match[1]
    return "", UNKNOWN
