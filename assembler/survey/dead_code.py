"""Code that no entry point, test, export or module-level code needs. Pure.

What is reached is found over every edge of the call graph, guesses too, and over overrides
(`assembler.graph.call_graph.reached`). A program may use its code in ways that no edge shows, so
every row says why it might be alive all the same; rows whose name stands nowhere else come first.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.assembler.graph.call_graph import call_graph, reached
from satchel.assembler.lookup.prototypes import without_announced
from satchel.assembler.survey.entry_points import entry_symbols
from satchel.store.counted import counted
from satchel.store.model import BUILT_ON, FUNCTIONS, TYPES, RepoPath, SymbolKind, Visibility
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import Node, SymbolRecord

_FRONTS = ("__init__.py", "index.ts", "index.js", "index.tsx", "mod.ts", "lib.rs")
"""Files whose public names are what a package exports."""
_VARIABLE_KINDS = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
_WITH_PROTOTYPES = frozenset({"c", "cpp"})
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_LOOKED_UP = re.compile(rb"""\bglobals\(\)\s*(?:\[|\.get\()\s*[fF](["'])([^"'\n]*)\1""")
"""A name that Python looks up by a text of which parts are known: `globals()[f"_{name}"]`."""
_FILLED_IN = re.compile(r"\{[^{}]*\}")
_ROUTES = "config/routes.rb"
_OF_RAILS = ("app/channels/", "app/controllers/", "app/helpers/", "app/jobs/", "app/mailers/",
             "db/migrate/")  # fmt: skip
_MARKS = ("@", "#[", "[")
"""How a line begins that decorates, annotates or gives attributes to the definition below."""


class Dead(Struct, frozen=True):
    """A definition that nothing reaches, with why it might be alive; `n_members` lie inside it."""

    symbol: SymbolRecord
    n_members: int
    reasons: tuple[str, ...]


class DeadCode(Struct, frozen=True):
    """A page of dead code, the surest first; `n_found` counts all, of `n_definitions`.

    Of `n_unnamed` not even the name stands anywhere else. What lies below the folders of `called`
    counts as used where it is public: a framework calls it by names that stand in no code.
    """

    rows: tuple[Dead, ...]
    n_found: int
    n_unnamed: int
    n_definitions: int
    called: tuple[RepoPath, ...] = ()


def dead_code(
    snapshot: Snapshot, prefix: str = "", *, exports: bool = False, limit: int = 50
) -> DeadCode:
    """What nothing reaches below a path; with `exports` all that is public counts as used.

    Without `exports` only what a package's front file defines or takes in counts as exported.
    """
    run, by_text = entry_symbols(snapshot), _looked_up(snapshot)
    called = tuple(_called_by_framework(snapshot))
    graph = call_graph(snapshot)
    nodes: dict[int, Node] = dict(graph.nodes(data="symbol"))
    alive = reached(
        graph,
        (
            node.id
            for node in nodes.values()
            if _is_root(node, run, exports=exports)
            or _is_looked_up(node, by_text)
            or (node.visibility == Visibility.PUBLIC and node.path.startswith(called))
        ),
        _in_two_places(snapshot, nodes.values()),
    )
    definitions = [
        node for node in nodes.values()
        if node.kind in FUNCTIONS | TYPES and not node.is_test and node.path.startswith(prefix)
    ]  # fmt: skip
    dead = {node.id: node for node in definitions if node.id not in alive}
    # What lies in something dead is dead with it and is not listed again.
    outer = [node for node in dead.values() if node.parent not in dead]
    inside: dict[int, int] = {}
    for node in dead.values():
        if node.parent in dead:
            top = node
            while top.parent in dead:
                top = dead[top.parent]
            inside[top.id] = inside.get(top.id, 0) + 1
    unresolved = snapshot.graph.unresolved_names(sorted({node.name for node in outer}))
    outer.sort(key=lambda n: (n.path, n.line, n.qualified_name))
    records = without_announced(snapshot.symbols.by_id([node.id for node in outer]))
    named = _mentions(snapshot, records)
    # Sorting is stable: equally doubtful ones stay in the order from before.
    records.sort(key=lambda r: (named[r.id] > 0, _n_doubts(r, unresolved)))
    rows = tuple(
        Dead(
            r, inside.get(r.id, 0),
            tuple(_reasons(snapshot, r, unresolved.get(r.name, 0), named[r.id])),
        )
        for r in records[:limit]
    )  # fmt: skip
    n_unnamed = sum(not named[r.id] for r in records)
    return DeadCode(rows, len(records), n_unnamed, len(definitions), called)


def _called_by_framework(snapshot: Snapshot) -> Iterator[RepoPath]:
    """Folders of an application of Rails whose code it calls by routes, names of views or jobs."""
    files = [file.path for file in snapshot.files.all()]
    for path in files:
        if path == _ROUTES or path.endswith(f"/{_ROUTES}"):
            for folder in _OF_RAILS:
                below = RepoPath(path.removesuffix(_ROUTES) + folder)
                if any(each.startswith(below) for each in files):
                    yield below


def _looked_up(snapshot: Snapshot) -> dict[RepoPath, list[re.Pattern[str]]]:
    """What the names begin or end with that files of Python look up among their own by text."""
    found: dict[RepoPath, list[re.Pattern[str]]] = {}
    for file in snapshot.texts.holding(((b"globals()",),)):
        if file.language != "python":
            continue
        for match in _LOOKED_UP.finditer(snapshot.texts.source(file)):
            known = _FILLED_IN.split(match[2].decode("utf-8", "replace"))
            if any(known):  # of a text that is computed whole nothing is known
                pattern = r"\w+".join(map(re.escape, known))
                found.setdefault(file.path, []).append(re.compile(pattern))
    return found


def _is_looked_up(node: Node, by_text: Mapping[RepoPath, Sequence[re.Pattern[str]]]) -> bool:
    is_global = node.qualified_name == node.name
    return is_global and any(p.fullmatch(node.name) for p in by_text.get(node.path, ()))


def _in_two_places(snapshot: Snapshot, nodes: Iterable[Node]) -> dict[int, list[int]]:
    """Functions of C and C++ with the others of their qualified name: a prototype and what defines
    it are needed together."""
    paths = {file.path for file in snapshot.files.all() if file.language in _WITH_PROTOTYPES}
    named: dict[str, list[int]] = {}
    for node in nodes:
        if node.kind in FUNCTIONS and node.path in paths:
            named.setdefault(node.qualified_name, []).append(node.id)
    return {each: ids for ids in named.values() if len(ids) > 1 for each in ids}


def _is_root(node: Node, run: Collection[int], *, exports: bool) -> bool:
    """Whether something runs or is used from outside, whatever uses it here."""
    if node.kind == SymbolKind.MODULE or node.is_test or node.id in run:
        return True
    # What a variable of a module holds is computed when that is loaded, as Go's `init` runs then.
    if node.qualified_name == node.name and _runs_on_load(node):
        return True
    is_front = node.path.rpartition("/")[2] in _FRONTS
    return (exports or is_front) and node.visibility == Visibility.PUBLIC


def _runs_on_load(node: Node) -> bool:
    is_init = node.kind == SymbolKind.FUNCTION and node.name == "init"
    return node.kind in _VARIABLE_KINDS or (is_init and node.path.endswith(".go"))


def _n_doubts(node: SymbolRecord, unresolved: dict[str, int]) -> int:
    """How many of the reasons that cost nothing to find a definition has."""
    is_public = node.visibility == Visibility.PUBLIC
    return is_public + bool(unresolved.get(node.name)) + _is_special(node.name)


def _reasons(
    snapshot: Snapshot, symbol: SymbolRecord, n_unresolved: int, n_named: int
) -> Iterable[str]:
    """Why something that no edge leads to might be used all the same."""
    if symbol.visibility == Visibility.PUBLIC:
        yield "public: code elsewhere may use it"
    if n_unresolved:
        uses = "uses" if n_unresolved > 1 else "use"
        yield f"{n_unresolved} {uses} of this name could not be tied to a definition"
    if _is_special(symbol.name):
        yield "the language calls methods of this name"
    if _is_marked(snapshot, symbol):
        yield "decorated or annotated: a framework may call it"
    if symbol.kind in FUNCTIONS and (outer := _foreign_bases(snapshot, symbol.parent_id)):
        yield f"its type is built on {', '.join(outer)}, which may call it"
    if n_named and not n_unresolved:
        yield f"its name stands {counted(n_named, 'more time')}, tied to nothing"


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_marked(snapshot: Snapshot, symbol: SymbolRecord) -> bool:
    """Whether a line above the name, comments aside, is a decorator or an attribute."""
    file = snapshot.files.identity(symbol.path)
    if file is None:
        return False
    lines = snapshot.files.source(*file).decode("utf-8", "replace").split("\n")
    above = lines[symbol.span.start_line - 1 : symbol.line - 1]
    return any(line.lstrip().startswith(_MARKS) for line in above)


def _foreign_bases(snapshot: Snapshot, owner: int) -> Sequence[str]:
    """What a type is built on that nothing here defines, by name; one calls what it declares."""
    if not owner:
        return ()
    known = {edge.kind for edge in snapshot.symbols.edges_from([owner])}
    uses = snapshot.symbols.references_from([owner])
    foreign = {use.name for use in uses if use.kind in BUILT_ON and use.kind not in known}
    return tuple(sorted(foreign))


def _mentions(snapshot: Snapshot, symbols: Sequence[SymbolRecord]) -> dict[int, int]:
    """How often the name of each symbol stands outside of its own lines, in any file, as a word."""
    counts = Counter({symbol.name: 0 for symbol in symbols})
    own: dict[RepoPath, list[SymbolRecord]] = {}
    for symbol in symbols:
        own.setdefault(symbol.path, []).append(symbol)
    inside: dict[int, int] = {}
    for file in snapshot.files.all():
        data = snapshot.files.source(file.digest, file.language)
        counts.update(word for word in _words(data) if word in counts)
        for symbol in own.get(file.path, ()):
            part = data[symbol.span.start_byte : symbol.span.end_byte]
            inside[symbol.id] = sum(word == symbol.name for word in _words(part))
    return {s.id: counts[s.name] - inside.get(s.id, 0) for s in symbols}


def _words(data: bytes) -> Iterable[str]:
    return (match.decode("utf-8", "replace") for match in _WORD.findall(data))
