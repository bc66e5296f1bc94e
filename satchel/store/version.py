"""The version of Satchel, and where it was installed from: both read from its installation."""

from __future__ import annotations

import os
import re
import shlex
import sys

TYPE_CHECKING = False  # `typing` costs more than all of the rest; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

NAME = "satchel"
"""The distribution. Only this module makes a command of its name, which somebody else may take in a
public index."""
UNKNOWN = "0+unknown"
"""A version in the sense of PEP 440, for code that runs without being installed."""
_RECORDS = re.compile(rf"{NAME}-([^-]+)\.dist-info")


def installed_version() -> str:
    """The version of the installed package, `UNKNOWN` when it is not installed."""
    return _installation()[1]


def description() -> str:
    """`satchel VERSION`, the format of its indexes, and the checkout that it runs from, if any."""
    from satchel.store.sqlite.schema import FACTS_VERSION, FORMAT_VERSION

    # The records of an editable installation are as old as that is, and its code is not.
    checkout = _editable(_origin())
    version = installed_version().partition("+")[0] if checkout else installed_version()
    place = f", from {checkout}" if checkout else ""
    return f"{NAME} {version} (index format {FORMAT_VERSION}.{FACTS_VERSION}{place})"


def install_command(extra: str) -> str:
    """The command that installs what an extra brings, from where this Satchel came from.

    A checkout, a wheel by its address and digest, or, where it came from an index, its name there.
    """
    origin = _origin()
    if checkout := _editable(origin):
        return f"pip install {shlex.join(['-e', f'{checkout}[{extra}]'])}"
    address = f"{NAME}[{extra}]"
    if "url" in origin:
        address += f" @ {origin['url']}"
    if digest := origin.get("archive_info", {}).get("hashes", {}).get("sha256"):
        address += f"#sha256={digest}"
    return f"pip install {shlex.quote(address)}"


def _origin() -> dict[str, Any]:
    """What an installer recorded of where it took the package from (PEP 610); {} for an index."""
    from json import loads
    from pathlib import Path

    try:
        return dict(loads(Path(_installation()[0], "direct_url.json").read_bytes()))
    except (OSError, ValueError):
        return {}


def _editable(origin: dict[str, Any]) -> str:
    """The folder of an editable installation, "" for any other."""
    is_editable = origin.get("dir_info", {}).get("editable")
    return str(origin["url"]).removeprefix("file://") if is_editable else ""


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
