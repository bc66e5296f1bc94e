"""Paths as people and agents write them, made into paths of the index; many are absolute."""

from __future__ import annotations

import os
from pathlib import Path

from store.errors import UsageError


def inside(root: Path, said: str) -> str:
    """A path or the beginning of one, from the root on: "" is the root itself.

    Nothing is looked up but where the root really lies: a link to it may be meant.

    Raises:
        UsageError: it is an absolute path that lies elsewhere.
    """
    if not Path(said).is_absolute():
        return said.removeprefix("./")
    ending = "/" if said.endswith("/") else ""
    plain = os.path.normpath(said)
    for base in (str(root), os.path.realpath(root)):
        if plain == base:
            return ""
        if plain.startswith(f"{base.rstrip('/')}/"):
            return plain[len(base.rstrip("/")) + 1 :] + ending
    raise UsageError("path lies outside the project", "name it from the project's root on")


def symbol_inside(root: Path, said: str) -> str:
    """A symbol, where `path:name` or `path:line` may name its file by an absolute path.

    Raises:
        UsageError: that path lies elsewhere.
    """
    path, colon, name = said.rpartition(":")
    return f"{inside(root, path)}:{name}" if colon and Path(path).is_absolute() else said
