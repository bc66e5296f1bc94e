"""Entry points of a code base: what its manifests name, and what is called main. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from satchel.assembler.lookup import manifests
from satchel.store.model import RepoPath, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import KnownFile

_MAIN = ("main", "Main", "__main__")
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


class EntryPoint(Struct, frozen=True):
    """Where a run begins: `name` as it is called, `why` it counts as one."""

    path: RepoPath
    line: int
    name: str
    why: str
    target: str = ""
    """What a manifest says is run, as written there: "package.module:function", "src/main.ts"."""


def entry_points(snapshot: Snapshot, files: Sequence[KnownFile]) -> Iterator[EntryPoint]:
    """What manifests name, then functions and modules that are called main, nearest first."""
    product = {file.path: file for file in files if not file.is_test}
    for file, manifest, text in manifests.manifests(snapshot, product.values()):
        for command, target in manifests.commands(manifest, text):
            line = next((n for n, s in enumerate(text.split("\n"), 1) if target in s), 1)
            yield EntryPoint(file.path, line, command, f"runs {target}", target)
    found = [
        EntryPoint(s.path, s.line, s.qualified_name, f"{s.kind} {s.name}")
        for name in _MAIN
        for s in snapshot.symbols.named(name)
        if s.path in product and s.kind in _CALLABLE and not s.is_test
    ]
    found += [
        EntryPoint(path, 1, PurePosixPath(path).parent.name or path, "run as a module")
        for path in product
        if PurePosixPath(path).name == "__main__.py"
    ]
    # The list is cut to its first few, so a total order with those nearest the root first decides
    # which are shown.
    found.sort(key=lambda e: (e.path.count("/"), e.path, e.line, e.name))
    yield from found


def entry_symbols(snapshot: Snapshot) -> set[int]:
    """The ids of the symbols that entry points run."""
    found: set[int] = set()
    for entry in entry_points(snapshot, snapshot.files.all()):
        module, _, name = entry.target.partition(":")
        if name:
            tail = module.replace(".", "/")
            named = snapshot.symbols.named(name.rpartition(".")[2])
            found |= {s.id for s in named if f"/{tail}" in f"/{s.path}"}
        else:
            of_file = snapshot.symbols.of_file(entry.path)
            found |= {s.id for s in of_file if s.line == entry.line and s.name == entry.name}
            found |= {s.id for s in of_file if s.qualified_name == entry.name}
    return found
