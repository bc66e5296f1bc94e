"""The repositories of a hub: added by folder, address or list, and their state."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct

from satchel.hub import nearest
from satchel.hub.building import git_clone
from satchel.hub.database import Hub, rows
from satchel.store.errors import UsageError

_KEPT_PAST_HOURS = 31 * 24
_PART = r"(?![.]+(?:/|$))[\w.+][\w.+-]*"
_NAME = re.compile(f"{_PART}(?:/{_PART})*")
"""Names begin the paths in answers, so none is `..`, and none is an option."""
_HINT = (
    "a folder that is here, https://…, ssh://…, file://… or git@host:…, or a file that lists them"
)


class Source(Struct, frozen=True):
    """A repository to be added: what it is called, and the folder or address it is read from."""

    name: str
    source: str


class Repository(Struct, frozen=True):
    """A repository of the hub; counts are 0 and `built` is "" before it was built.

    `problem` is why the last try failed: what was built before still answers then.
    """

    id: int
    name: str
    source: str
    built: str
    head: str
    generation: int
    files: int
    lines: int
    problem: str
    is_wanted: bool = False
    """Whether a webhook said that it has changed since."""


class _Listed(msgspec.Struct):
    """An entry of an organisation's listing, as GitHub's and GitLab's interfaces give it."""

    full_name: str = ""
    path_with_namespace: str = ""
    clone_url: str = ""
    http_url_to_repo: str = ""
    archived: bool = False


def read_sources(given: Iterable[str]) -> list[Source]:
    """What `hub add` was given: folders, addresses, `NAME=…`, or files that list them.

    Raises:
        UsageError: one is none of these, has a password in it, or two have one name.
    """
    found = [source for text in given for source in _sources(text)]
    taken: dict[str, str] = {}
    for each in found:
        # Names are keys: the second of two would silently take the place of the first.
        if taken.setdefault(each.name, each.source) != each.source:
            raise UsageError(f"two repositories are called {each.name}", "write NAME=PATH for one")
    return list(dict.fromkeys(found))


def _sources(text: str) -> Iterator[Source]:
    name, equals, source = text.partition("=")
    if equals and _NAME.fullmatch(name):
        yield _source(source, name)
    elif Path(text).is_file():
        yield from _sources_in(Path(text))
    else:
        yield _source(text, "")


def _sources_in(file: Path) -> Iterator[Source]:
    """A file with one repository a line, or an organisation's listing as JSON."""
    data = file.read_bytes()
    if not data.lstrip().startswith(b"["):
        for line in data.decode("utf-8", "replace").splitlines():
            if line.strip() and not line.startswith("#"):
                yield from _sources(line.strip())
        return
    try:
        entries = msgspec.json.decode(data, type=list[_Listed])
    except msgspec.MsgspecError as error:
        raise UsageError(
            f"{file} is no listing of repositories: {error}",
            "give a repository a line, or the JSON that GitHub or GitLab lists",
        ) from error
    for entry in entries:
        if not entry.archived:
            name = entry.full_name or entry.path_with_namespace
            address = entry.clone_url or entry.http_url_to_repo
            if not git_clone.is_address(address):
                hint = "it is `clone_url` at GitHub, `http_url_to_repo` at GitLab"
                raise UsageError(f"{file}: {name!r} has no address", hint)
            yield _source(address, name)


def _source(source: str, name: str) -> Source:
    if git_clone.has_password(source):
        raise UsageError(
            "an address with a password in it is not stored",
            "let git's credential helper provide it",
        )
    fetched, own = _fetched_folder(source)
    source, name = fetched or source, name or own
    if git_clone.is_address(source):
        address, ref = git_clone.split(source)
        parts = re.split(r"[/:]", address.removesuffix("/").removesuffix(".git"))
        # A branch beside the default one is a repository of its own, with another name.
        name = name or "/".join(parts[-2:]) + (f"+{ref}" if ref else "")
    # No text would be the folder here, which nobody named.
    elif source and Path(source).is_dir():
        # A sync may be started in another folder than this command.
        source = str(Path(source).resolve())
        name = name or Path(source).name
    else:
        raise UsageError(f"{source!r} is no folder, no address and no list", _HINT)
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a name", "write NAME=PATH")
    return Source(name, source)


def _fetched_folder(source: str) -> tuple[str, str]:
    """The address and name of a folder that git is to fetch from; "" for any other.

    These are repositories without a working tree, and those of which a branch or tag is named.
    """
    folder, ref = (source, "") if Path(source).exists() else git_clone.split(source)
    path = Path(folder).resolve()
    if not folder or not (_is_repository(path) or (ref and _is_repository(path / ".git"))):
        return "", ""
    suffix = (f"#{ref}", f"+{ref}") if ref else ("", "")
    return path.as_uri() + suffix[0], path.name.removesuffix(".git") + suffix[1]


def _is_repository(folder: Path) -> bool:
    """Whether a folder is git's own, as `git init --bare` makes it."""
    return (folder / "HEAD").is_file() and all(
        (folder / each).is_dir() for each in ("objects", "refs")
    )


def add(hub: Hub, sources: Iterable[Source]) -> int:
    """Add repositories; one that is there already gets its new source. Returns how many are new."""
    n_new = 0
    with hub.transaction():
        for each in sources:
            made = rows(
                hub,
                "INSERT INTO repositories (name) VALUES (%s) ON CONFLICT DO NOTHING RETURNING id",
                (each.name,),
            )
            n_new += len(made)
            hub.execute(
                "INSERT INTO sources SELECT id, %s FROM repositories WHERE name = %s"
                " ON CONFLICT (repository_id) DO UPDATE SET source = excluded.source",
                (each.source, each.name),
            )
    return n_new


def remove(hub: Hub, pattern: str) -> list[str]:
    """Take repositories out; returns their names."""
    gone = [each for each in repositories(hub) if fnmatchcase(each.name, pattern)]
    with hub.transaction():
        for each in gone:
            # A repository and its build refer to each other, so this reference goes first.
            hub.execute("UPDATE repositories SET build_id = NULL WHERE id = %s", (each.id,))
            hub.execute("DELETE FROM repositories WHERE id = %s", (each.id,))
    return [each.name for each in gone]


def repositories(hub: Hub) -> list[Repository]:
    """Every repository, by name."""
    sql = (
        "SELECT r.id, r.name, s.source, coalesce(to_char(b.made_at AT TIME ZONE 'UTC',"
        " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), ''), coalesce(b.head, ''), coalesce(b.generation, 0),"
        " coalesce(b.n_files, 0), coalesce(b.n_lines, 0), r.problem,"
        " r.wanted_at IS NOT NULL FROM repositories r"
        " JOIN sources s ON s.repository_id = r.id LEFT JOIN builds b ON b.id = r.build_id"
        " ORDER BY r.name"
    )
    return [Repository(*row) for row in rows(hub, sql)]


def sizes(hub: Hub) -> tuple[int, int]:
    """How many contents there are, and the bytes that PostgreSQL takes for all tables."""
    sql = (
        "SELECT (SELECT count(*) FROM contents), (SELECT coalesce(sum(pg_total_relation_size(oid)),"
        " 0)::bigint FROM pg_class WHERE relnamespace = 'satchel'::regnamespace AND relkind = 'r')"
    )
    contents, size = rows(hub, sql)[0]
    return contents, size


def counts(hub: Hub) -> tuple[int, int, int, int]:
    """How many people may read something, tokens are good, items are known, calls were made in the
    last day."""
    sql = (
        "SELECT (SELECT count(DISTINCT person) FROM grants),"
        " (SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND expires_at > now()),"
        " (SELECT count(*) FROM knowledge),"
        " (SELECT count(*) FROM audit WHERE at > now() - interval '1 day')"
    )
    people, tokens, items, asked = rows(hub, sql)[0]
    return people, tokens, items, asked


def collect_garbage(hub: Hub, hours: int = 24) -> int:
    """Remove contents that no repository holds and that are older; returns how many.

    What files held before they were changed is kept for a month, so that changes can be told; with
    `hours` 0 that goes too.
    """
    hub.execute(
        "DELETE FROM replaced WHERE until < now() - make_interval(hours => %s)",
        (_KEPT_PAST_HOURS if hours else 0,),
    )
    sql = (
        # Young contents may belong to a build that is being copied just now.
        "DELETE FROM contents c WHERE made_at < now() - make_interval(hours => %s)"
        " AND NOT EXISTS (SELECT 1 FROM files f WHERE f.content_id = c.id)"
        " AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.content_id = c.id)"
    )
    nearest.forget(hub)
    hub.execute("DELETE FROM calls WHERE minute < now() - interval '1 hour'")
    return hub.execute(sql, (hours,)).rowcount
