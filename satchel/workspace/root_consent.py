"""Folders that need a confirmation: the whole disk, a home folder, what is the system's or others'.

Indexing one of them takes the person's word: `--yes`, or the folder in `index.confirmed`, which is
the user's own setting. What they hold is counted first, so that the word is about something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.platform import ownership
from satchel.store.platform.user import home_of

if TYPE_CHECKING:
    from satchel.indexer.scan.ignore_rules import WalkOptions

_COUNTED = 20_000
_HOMES = ("/home", "/Users", "/root", "/var/root")
_SYSTEM = frozenset(
    f"/{name}"
    for name in (
        "Applications Library System Volumes bin boot dev etc lib lib64 media mnt opt private proc"
        " run sbin sys tmp usr usr/bin usr/lib usr/share var var/lib var/tmp"
    ).split()
)
"""Folders of Linux and macOS that no code base is, however much code lies below them."""


def why_ask(root: Path, confirmed: Sequence[str], environment: Mapping[str, str]) -> str:
    """Why indexing `root` takes the user's word; "" for an ordinary folder, or a confirmed one."""
    if str(root) in confirmed:
        return ""
    home = home_of(environment).resolve()
    if root == Path("/"):
        return "it is the whole disk"
    if root == home or str(root) in _HOMES or str(root.parent) in _HOMES[:2]:
        return "it is a home folder"
    if home.is_relative_to(root):
        return "your home folder lies in it"
    if str(root) in _SYSTEM:
        return "it is a folder of the system"
    status = root.stat()
    mine = {ownership.user_id()}
    sudo = environment.get("SUDO_UID", "")
    # Under sudo the person's own folders are not foreign ones. Only root is asked for this, because
    # anybody else could set the variable to pass for somebody.
    if ownership.user_id() == ownership.ADMINISTRATOR and sudo.isascii() and sudo.isdigit():
        mine.add(int(sudo))
    # Folders of root are the administrator's work and fine, unless everybody may write there, as in
    # /tmp.
    if status.st_uid not in mine and (status.st_uid or status.st_mode & 0o002):
        return "it belongs to another user" if status.st_uid else "everybody may write there"
    return ""


def ask_first(root: Path, why: str, options: WalkOptions) -> None:
    """Refuse, with a count of what would be read.

    Raises:
        UsageError: always.
    """
    from satchel.indexer.scan.walk import FoundFile, walk

    # Counting all of a disk would not end soon, and the person only needs to know that it is much.
    entries = islice(walk(root, options), _COUNTED)
    sizes = [entry.size for entry in entries if isinstance(entry, FoundFile)]
    # The walk also gives entries that are skipped. They count towards its limit, so that far fewer
    # files than that may have been seen when it ends.
    more = "more than " if len(sizes) >= _COUNTED // 2 else ""
    raise UsageError(
        f"{root} is indexed only if you confirm it: {why}; {more}{counted(len(sizes), 'file')},"
        f" {sum(sizes) / 1e6:,.1f} MB would be read",
        'in a shell `cd CODE_BASE && satchel context "…"` answers from a code base;'
        " a server is given one with --root; --yes, or for good index.confirmed in your own"
        " configuration, indexes this",
    )
