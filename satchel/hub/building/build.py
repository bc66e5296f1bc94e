"""Updates one repository of the hub; a worker runs this.

The tree is fetched or read where it lies, indexed on the worker's own disk by the indexer that a
checkout has, and copied into the hub. Bytes that any repository of the hub holds are neither parsed
nor embedded again.
"""

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import psycopg
import tenacity
from msgspec import Struct
from msgspec.structs import replace

from satchel.hub import database
from satchel.hub.building import git_clone, publish, wanted
from satchel.hub.building.known_files import bring_up_to_date
from satchel.hub.database import Hub, rows
from satchel.store.errors import HubUnavailable, SatchelError, UsageError
from satchel.store.sqlite import database as index_file
from satchel.workspace.project import Project

_LOCK = 0x5A7C
"""The first of the two numbers of our advisory locks; the second is the repository's."""
# Waiting for a large repository that another sync builds is normal; ten minutes are not.
_PATIENCE_S = 600
# A minute in all between them: PostgreSQL that was killed takes half of one on a busy machine.
_TRIES = 8
_LONGEST_WAIT_S = 20.0


class BuildTask(Struct, frozen=True):
    """What to build, and where: `scratch` is a folder of the worker's own, "" for Dask's."""

    url: str
    repository: int
    name: str
    source: str
    scratch: str
    parsers: int = 1


class BuildReport(Struct, frozen=True):
    """The result of building a repository; `problem` is "" if it did not fail.

    `parsed` counts files that were parsed here, `new_contents` those whose bytes no repository of
    the hub held before. `is_noted` says whether the hub has recorded the result.
    """

    name: str
    problem: str = ""
    changed: bool = False
    files: int = 0
    lines: int = 0
    parsed: int = 0
    new_contents: int = 0
    seconds: float = 0.0
    is_noted: bool = False


def build(task: BuildTask, environment: Mapping[str, str]) -> BuildReport:
    """Update one repository; a problem with it is in the report.

    Raises:
        HubUnavailable: PostgreSQL did not answer for a minute.
    """
    start = time.monotonic()
    # A server that is started again takes some seconds. Whatever was not committed is done again.
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(HubUnavailable),
        stop=tenacity.stop_after_attempt(_TRIES),
        wait=tenacity.wait_exponential(multiplier=0.5, max=_LONGEST_WAIT_S),
        reraise=True,
    )
    report = attempts(_build, task, environment)
    return replace(report, seconds=round(time.monotonic() - start, 3))


def _build(task: BuildTask, environment: Mapping[str, str]) -> BuildReport:
    with database.connected(task.url) as hub:
        # Two syncs at once: the second one waits, and finds that nothing is left to do. The lock
        # is the session's, so that it goes with a worker that dies.
        hub.execute(f"SET lock_timeout = '{_PATIENCE_S}s'")
        hub.execute("SELECT pg_advisory_lock(%s, %s)", (_LOCK, task.repository))
        began = wanted.clock(hub)
        try:
            report = _built(hub, task, environment)
        except HubUnavailable:
            raise
        # What is wrong with one repository must not end the sync of the others.
        except (SatchelError, OSError, psycopg.DataError) as error:
            message = error.message if isinstance(error, SatchelError) else str(error)
            report = BuildReport(task.name, problem=message)
        wanted.note_problem(hub, task.repository, report.problem, began)
        return replace(report, is_noted=True)


def _built(hub: Hub, task: BuildTask, environment: Mapping[str, str]) -> BuildReport:
    # By number: the name of a repository may be no name for a folder.
    folder = Path(task.scratch) / str(task.repository)
    root = Path(task.source)
    if git_clone.is_address(task.source):
        # Whether readers see this very commit.
        commit = git_clone.newest_commit(task.source, environment)
        sql = (
            "SELECT b.head FROM repositories r JOIN builds b ON b.id = r.build_id"
            " WHERE r.id = %s AND b.linked AND b.tree <> ''"
        )
        if commit and rows(hub, sql, (task.repository,)) == [(commit,)]:
            return BuildReport(task.name)
        root = folder / "tree"
        git_clone.fetch(task.source, root, environment)
    elif not root.is_dir():
        raise UsageError(f"{root} is not a folder", "`satchel hub remove` takes it out of the hub")
    # From here on it is what happens in any checkout.
    project = _project(root, folder, task.parsers, environment)
    report = bring_up_to_date(hub, project)
    # Read again from the file, so that what is published is what was committed.
    with (
        closing(index_file.connect(project.directory, writable=False)) as index,
        index_file.explained_errors(),
    ):
        done = publish.publish(hub, index, task.repository, project.encoder.name)
    return BuildReport(
        task.name, "", done.changed, done.files, done.lines, report.parsed, done.new_contents
    )


def _project(root: Path, folder: Path, parsers: int, environment: Mapping[str, str]) -> Project:
    """The tree as a project whose state lies in the worker's folder; no user's settings count."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings = {
        # PATH alone is passed on: git is found by it.
        "HOME": str(folder), "PATH": environment.get("PATH", ""),
        "SATCHEL_STATE_FOLDER": str(folder / "state"), "SATCHEL_INDEX_WORKERS": str(parsers),
    }  # fmt: skip
    project = Project.at(root, settings)
    project.confirm_root()  # whoever added it to the hub has said so
    project.prepare()
    return project
