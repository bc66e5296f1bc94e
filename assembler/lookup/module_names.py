"""Definitions by the names of modules and packages that stand before them. Pure."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

_GO_MODULE = "go.mod"
_PARTS = re.compile(r"[./]")
_MAJOR = re.compile(r"/v\d+$")
"""The version at the end of a Go module's name, which its package does not have."""


def imported_as(
    snapshot: Snapshot, known: Sequence[SymbolRecord], parts: Sequence[str]
) -> list[SymbolRecord]:
    """Which of some definitions are written with modules or packages before their names.

    `store.tokens.count`, `http.Client`; the package at the root of a Go module has its name.
    """
    by_path = [record for record in known if _is_imported_as(record, parts)]
    in_go = [record for record in known if record.path.endswith(".go")]
    if by_path or not in_go:
        return by_path
    modules = _go_modules(snapshot)
    return [record for record in in_go if _is_in_go_module(record, parts, modules)]


def ends_in(whole: Sequence[str], end: Sequence[str]) -> bool:
    """Whether a list ends in another one."""
    return len(end) <= len(whole) and list(whole[-len(end) :]) == list(end)


def _is_imported_as(record: SymbolRecord, parts: Sequence[str]) -> bool:
    """Whether a name begins with modules or packages: `store.tokens.count`, `http.Client`.

    The file's own name may be missing, as in Go and where a package exports what its modules hold.
    """
    path = PurePosixPath(record.path)
    names = record.qualified_name.split(".")
    stem = path.name.partition(".")[0]
    # A file of OCaml is a module of its name with a capital.
    ways: tuple[list[str], ...] = ([stem], [stem[:1].upper() + stem[1:]], [])
    return any(ends_in([*path.parts[:-1], *way, *names], parts) for way in ways)


def _go_modules(snapshot: Snapshot) -> list[tuple[str, list[str]]]:
    """The folder of each go.mod, "" or with a "/" at the end, and the parts of what it declares."""
    paths = [file.path for file in snapshot.files.all()]
    return [
        (path[: -len(_GO_MODULE)], _PARTS.split(_MAJOR.sub("", section.name)))
        for path in paths
        if path == _GO_MODULE or path.endswith(f"/{_GO_MODULE}")
        for section in snapshot.symbols.of_file(path)
    ]


def _is_in_go_module(
    record: SymbolRecord, parts: Sequence[str], modules: Sequence[tuple[str, list[str]]]
) -> bool:
    """Whether a name begins with the package of a definition, as its module's name has it."""
    folder, _, _ = record.path.rpartition("/")
    below = f"{folder}/" if folder else ""
    for root, names in modules:
        inside = [part for part in below[len(root) :].split("/") if part]
        whole = [*names, *inside, *record.qualified_name.split(".")]
        if below.startswith(root) and ends_in(whole, parts):
            return True
    return False
