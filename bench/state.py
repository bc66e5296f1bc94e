"""State of what is measured: in a folder of its own, so that nobody's cache is filled or believed.

A bench that makes a tree gives it state beside it; one that is given a tree uses the user's.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from satchel.workspace.configuration.settings import ENVIRONMENT_PREFIX
from satchel.workspace.state.state_folder import StateFolders, bases_of, folders_of

_FOLDER = f"{ENVIRONMENT_PREFIX}STATE_FOLDER"


def beside(root: Path, **settings: str) -> dict[str, str]:
    """Environment variables by which the state of a tree lies in a folder beside it."""
    return {_FOLDER: str(_beside(root)), **settings}


def state_folders(root: Path, environment: Mapping[str, str]) -> StateFolders:
    """Where everything of a tree lies under an environment."""
    return folders_of(root.resolve(), bases_of(environment, environment.get(_FOLDER, "")))


def index_of(root: Path) -> Path:
    """The folder of the index of a tree whose state lies beside it."""
    return state_folders(root, beside(root)).index


def copy_with_index(root: Path, copy: Path) -> None:
    """Copy a tree, and its index as if it were that of the copy."""
    shutil.copytree(root, copy)
    shutil.copytree(index_of(root), index_of(copy))


def remove_with_index(root: Path) -> None:
    """Remove a tree and the state beside it."""
    shutil.rmtree(root)
    shutil.rmtree(_beside(root), ignore_errors=True)


def _beside(root: Path) -> Path:
    return root.parent.resolve() / f"{root.name}.state"
