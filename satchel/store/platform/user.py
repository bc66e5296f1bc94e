"""Who runs this process: the account's name and its home folder, as an environment means them."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from satchel.store.errors import ConfigError

_NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")
"""Variables that hold the name of the account, in the order in which login programs set them."""


def home_of(environment: Mapping[str, str]) -> Path:
    """The home folder: `HOME`, or without it the one that the system has for this account.

    Raises:
        ConfigError: neither says one, as in a container that runs under a made-up user id.
    """
    return Path(environment["HOME"]) if environment.get("HOME") else _expanded("~")


def expanded(path: str, environment: Mapping[str, str]) -> Path:
    """A path as somebody wrote it, with the home folder for a leading "~".

    Raises:
        ConfigError: as `home_of`.
    """
    first, *others = Path(path).parts or (path,)
    # `Path.expanduser` reads the environment of this process, which is not always the caller's.
    if first == "~":
        return home_of(environment).joinpath(*others)
    return _expanded(path) if first.startswith("~") else Path(path)


def name_of(environment: Mapping[str, str]) -> str:
    """The account's name, its number where the system has no name for it; never ""."""
    for variable in _NAMES:
        if environment.get(variable):
            return environment[variable]
    if sys.platform == "win32":
        return "unknown"
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{path} names no home folder here", "set the variable HOME") from error
