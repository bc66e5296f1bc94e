"""Finds repositories without new commits by asking all git hosts at once, before a build.

A thousand repositories that did not change cost a thousand questions for their newest commit, some
at a time, and no worker is started for them. Folders are left to the workers, who compare files.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from satchel.hub.building import git_clone
from satchel.hub.building.wanted import LOOKED_AT
from satchel.hub.database import Hub, rows
from satchel.hub.repositories import Repository

_AT_ONCE = 16
"""Questions under way: they wait for hosts, which limit how many one caller may ask."""


def unchanged(hub: Hub, chosen: Sequence[Repository], environment: Mapping[str, str]) -> set[int]:
    """The ids of those whose newest commit is the one that readers see."""
    # A build that failed since, or was made by an older version, is made again.
    sql = (
        "SELECT r.id, b.head FROM repositories r JOIN builds b ON b.id = r.build_id"
        " WHERE b.linked AND b.tree <> '' AND b.head <> '' AND r.problem = ''"
    )
    heads: dict[int, str] = dict(rows(hub, sql))
    asked = [e for e in chosen if e.id in heads and git_clone.is_address(e.source)]

    def newest(each: Repository) -> str:
        try:
            return git_clone.newest_commit(each.source, environment)
        except git_clone.FetchFailed:
            return ""  # the worker that is given it will say what is wrong

    # Threads, since each of them only waits for a process of git.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = dict(zip([each.id for each in asked], pool.map(newest, asked), strict=True))
    return {number for number, commit in found.items() if commit and commit == heads[number]}


def mark(hub: Hub, ids: Sequence[int], began: str) -> None:
    """Note that these were looked at since `began`, and are as they were."""
    hub.execute(
        f"UPDATE repositories SET {LOOKED_AT} WHERE id = ANY (%s::int[])", (began, list(ids))
    )
