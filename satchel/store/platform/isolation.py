"""How Satchel's processes start: without modules, settings or programs of the working folder.

A child runs the interpreter that runs us, in isolated mode, with our own import path handed over
word for word. Neither its working folder nor `PYTHONPATH` can put a module in front of ours or of
the standard library's: the working folder may be somebody else's checkout.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from satchel.store.errors import ConfigError
from satchel.store.platform import user

NEUTRAL = "/"
"""A working folder that no repository can lie in."""
_OURS = str(Path(__file__).resolve().parents[__name__.count(".")])


def command(module: str, *arguments: str) -> list[str]:
    """What runs `main()` of one of our modules; `arguments` are its `sys.argv[1:]`."""
    start = (
        f"import sys; sys.path[:] = {import_path()!r}; from {module} import main; sys.exit(main())"
    )
    # Isolated mode drops `PYTHONPATH` and the packages of the user, so the path has to be handed
    # over.
    return [sys.executable, "-I", "-c", start, *arguments]


def import_path() -> list[str]:
    """Where we import from, the working folder aside unless Satchel itself lies there."""
    # Satchel may run from its own checkout; then its code lies in the working folder and must be
    # found.
    here = os.path.realpath(os.curdir)
    return [
        entry
        for entry in sys.path
        if Path(entry).is_absolute() and (os.path.realpath(entry) != here or entry == _OURS)
    ]


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """Variables for a child: what tells Python where to find code stays behind."""
    return {name: value for name, value in given.items() if not name.startswith("PYTHON")}


def home(given: Mapping[str, str]) -> str:
    """The user's own folder as a working folder; the root where there is none."""
    try:
        folder = user.home_of(given)
    except ConfigError:
        return NEUTRAL
    return str(folder) if folder.is_absolute() and folder.is_dir() else NEUTRAL
