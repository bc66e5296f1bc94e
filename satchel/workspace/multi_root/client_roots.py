"""The folders that a client has open, as a project: for a server that was started in no code base.

A client names them as `file:` addresses (the protocol's roots). It is the user's own program, so a
folder of its list counts like one that --root names, with one difference: what takes the user's
word, a home folder, a disk, or a folder of somebody else, is left out.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from satchel.store.private import is_folder
from satchel.workspace.multi_root.workspace import Workspace
from satchel.workspace.project import Project


def project_of(addresses: Sequence[str], environment: Mapping[str, str]) -> Project | None:
    """The code base that is open, or a workspace of several; None where none can be served.

    Raises:
        UsageError: they are too many, or lie on several drives.
        ConfigError: a setting cannot be used.
    """
    found: list[Project] = []
    # In this order a folder follows what it lies in, and belongs to it.
    for folder in sorted({path.resolve() for path in map(_folder, addresses) if path}):
        if any(folder.is_relative_to(each.root) for each in found):
            continue
        project = Project.at(folder, environment)
        if not project.takes_a_word:
            found.append(project)
    if len(found) > 1:
        return Workspace.of([str(each.root) for each in found], environment)
    return found[0] if found else None


def _folder(address: str) -> Path | None:
    """The folder of this machine that an address names; None where it names none."""
    try:
        parts = urlsplit(address)
        path = Path(url2pathname(parts.path))
        is_ours = parts.scheme == "file" and parts.netloc in ("", "localhost")
        return path if is_ours and path.is_absolute() and is_folder(path) else None
    except (OSError, ValueError):  # a character that no path can have
        return None
