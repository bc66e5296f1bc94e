"""The file of a command that a request names: "Add an option to terraform fmt" → `command/fmt.go`.

Who asks for something new speaks of it in rare words, and of the place where it belongs in a common
one. A command line is laid out so that a command's name is that of its file. Pure.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

import numpy as np

from satchel.assembler.query.read_query import Query
from satchel.assembler.ranking import rank
from satchel.assembler.ranking.bm25f import Matches
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import MAX_MEANT, Scored
from satchel.store import terms
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_FOLDERS = frozenset("command commands cmd cmds subcommand subcommands".split())
_IN_NAMES = frozenset({"cmd", "command"})
"""What names of such files have beside the command's: `cmd_backup.go`, `ServeCommand.php`."""
_NEXT_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_Files = dict[str, list[RepoPath]]


def boost(
    snapshot: Snapshot, asked: Query, matches: Matches, items: Sequence[Scored]
) -> list[Scored]:
    """The ranking of a request for something new, with the file of a command that it names.

    The best match of that file is a ranking of its own, fused by place.
    """
    title = asked.title or asked
    if not title.change.adds:
        return list(items)
    files = _named(title, snapshot.cached("commands", lambda: _files(snapshot)))
    best = [found for path in files if (found := _best(snapshot, matches, path))]
    return rank.fused(items, sorted(best, key=rank.order)) if best else list(items)


def _files(snapshot: Snapshot) -> _Files:
    """The files of commands in product code, by the command."""
    found: _Files = {}
    for file in snapshot.files.all():
        folders = frozenset(file.path.lower().split("/")[:-1])
        role = role_of(file.path, file.language, file.is_test)
        if folders & _FOLDERS and role.topic is None:
            stem = PurePosixPath(file.path).name.split(".", 1)[0]
            words = terms.words(_NEXT_WORD.sub(" ", stem).lower())
            name = "-".join(word for word in words if word not in _IN_NAMES)
            found.setdefault(name, []).append(file.path)
    return found


def _named(asked: Query, files: _Files) -> list[RepoPath]:
    """The files of the commands that a request names behind its verb, none where many share a name.

    Of `pr list` and `issue list` the one whose folder is named too is meant, and of `show` and
    `source show` without a named folder the first.
    """
    spoken = [word.lower() for word in terms.words(asked.text)]
    pairs = list(pairwise(spoken))
    said = {word.lower() for word in asked.words} - {asked.change.verb}
    found: dict[RepoPath, tuple[int, int]] = {}
    for word in sorted(files.keys() & spoken):
        for path in files[word]:
            folders = set(path.lower().split("/")[:-1])
            # A word that most questions have is a command's behind the name of its program alone:
            # "to poetry show", but not "an option to show".
            if word in said or any((folder, word) in pairs for folder in folders):
                found[path] = (len(said & folders), -path.count("/"))
    most = max(found.values(), default=None)
    meant = sorted(path for path, best in found.items() if best == most)
    return meant if len(meant) <= MAX_MEANT else []


def _best(snapshot: Snapshot, matches: Matches, path: RepoPath) -> Scored | None:
    """The chunk of a file that matches best; its name matches, so that most of its chunks do."""
    chunks = {chunk.id: chunk for chunk in snapshot.chunks.of_file(path)}
    places = np.flatnonzero(np.isin(matches.chunks, sorted(chunks)))
    if not len(places):
        return None
    place = places[np.argmax(matches.scores[places])]
    return Scored(chunks[int(matches.chunks[place])], float(matches.scores[place]))
