"""What a client can attach without asking a tool: the index's state, an indexed file, a symbol.

A file is served when the index knows its path, byte for byte, and is then opened component by
component without following a link: a path cannot lead out of the root, and what Satchel skips
(ignored, binary, too large) stays unseen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from satchel.assembler.kinds import PROJECT, Scope
from satchel.assembler.lookup.symbols import lookup
from satchel.assembler.output import definition_lines
from satchel.assembler.output.reports import overview_lines
from satchel.assembler.survey.overview import overview
from satchel.indexer.extract.source import indexed
from satchel.indexer.scan import walk
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import lines
from satchel.mcp_server.tools.survey_tools import head
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, Skipped

STATUS = "satchel://status"
FILE = "satchel://file/{+path}"
SYMBOL = "satchel://symbol/{name}"
FILE_PREFIX, SYMBOL_PREFIX = "satchel://file/", "satchel://symbol/"
_MAX_URI = 8_192
_LISTED = 50
_COMPLETIONS = 100
"""The protocol's limit of what one completion may return."""
_SHARING = 20
"""Records read for each name that may be returned, since many symbols share one."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Something to attach: a fixed address, or a template of addresses."""

    uri: str
    name: str
    about: str
    is_template: bool


RESOURCES = (
    Resource(STATUS, "status", "Size, languages and state of the index.", is_template=False),
    Resource(FILE, "file", "An indexed file as it is on disk, secrets aside.", is_template=True),
    Resource(SYMBOL, "symbol", "Definitions of a name, with their signatures.", is_template=True),
)


def read(serving: Serving, uri: str, stop: Stop) -> str:
    """What is at `uri`.

    Raises:
        UsageError: there is nothing, or it is not to be read.
    """
    check_address(uri)
    if uri == STATUS:
        with serving.code(stop) as code:
            found = overview_lines(overview(code.snapshot, PROJECT))
            return lines(head(code, "status"), code.notices, found)
    if uri.startswith(FILE_PREFIX):
        return _file(serving, RepoPath(_unescaped(uri, FILE_PREFIX)), stop)
    return _symbol(serving, _unescaped(uri, SYMBOL_PREFIX), stop)


def check_address(uri: str) -> None:
    """Raises: UsageError, if no resource can have this address."""
    # The length is checked before the address is unescaped and looked up, so a huge one costs
    # nothing.
    if len(uri) > _MAX_URI:
        raise UsageError("the address is too long", f"use at most {_MAX_URI} characters")
    if uri != STATUS and not uri.startswith((FILE_PREFIX, SYMBOL_PREFIX)):
        raise UsageError("no such resource", f"there are {STATUS}, {FILE} and {SYMBOL}")


def complete(serving: Serving, argument: str, start: str, stop: Stop) -> Sequence[str]:
    """Paths or names that begin with `start`, in order; at most 100."""
    with serving.code(stop) as code:
        if argument == "path":
            return code.snapshot.files.starting_with(start, _COMPLETIONS)
        if argument in ("name", "symbol") and start:
            found = code.snapshot.symbols.with_prefix(start, _COMPLETIONS * _SHARING)
            return list(dict.fromkeys(record.name for record in found))[:_COMPLETIONS]
    return ()


def _unescaped(uri: str, prefix: str) -> str:
    """What a template's variable stands for. Escapes name bytes, which need not be UTF-8."""
    return unquote(uri[len(prefix) :], errors="surrogateescape")


def _file(serving: Serving, path: RepoPath, stop: Stop) -> str:
    with serving.code(stop) as code:
        # The index is asked before the disk: a path that is not indexed must not even tell whether
        # it exists.
        known = code.snapshot.files.identity(path)
    if not known:
        raise UsageError("no indexed file has this path", "complete it, or use search")
    # The file comes from the disk and not from the index, because a client attaches it as it is
    # now.
    content = walk.read(serving.project.root, path, serving.project.options().walk)
    if isinstance(content, Skipped):
        raise UsageError(f"the file cannot be read: {content.reason}", "ask again in a moment")
    # What leaves is what is indexed, so a secret that the index took out is not shown by this way
    # either.
    return indexed(content).decode("utf-8", "replace")


def _symbol(serving: Serving, name: str, stop: Stop) -> str:
    with serving.code(stop) as code:
        found = lookup(code.snapshot, name, "", Scope.ALL, _LISTED)
        # A name that is only used is still worth an answer, since its definition may lie in a
        # library.
        if not found.n_found and not found.references:
            raise UsageError("nothing has this name", "complete it, or use search")
        listed = definition_lines.symbols_lines(
            found, code.snapshot.files.count(), is_behind=code.is_behind
        )
        return lines(head(code, counted(found.n_found, "definition")), code.notices, listed)
