"""What `deps-source` prints: the packages that are asked along."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import terminal
from satchel.questions.rows import VERSION
from satchel.store.counted import counted

if TYPE_CHECKING:
    from satchel.workspace.dependencies.joined_project import Dependency


class DependencyRow(Struct, frozen=True):
    """A package; `state` is its index in `satchel state`, "" where `problem` says why not."""

    kind: str
    name: str
    version: str
    path: str
    state: str
    new: bool
    problem: str


class PackagesResult(Struct, frozen=True):
    """The answer to `deps-source`."""

    dependencies: list[DependencyRow]
    schema: int = VERSION


def dependencies(found: Sequence[Dependency], args: Namespace) -> None:
    """Print the packages, one a row."""
    if args.json:
        rows = [
            DependencyRow(
                each.package.kind, each.package.name, each.package.version,
                each.package.shown, each.key, each.is_new, each.problem,
            )
            for each in found
        ]  # fmt: skip
        terminal.out_json(PackagesResult(rows))
        return
    for each in found:
        package = each.package
        what = "indexed now" if each.is_new else "indexed" if each.key else "not indexed"
        if each.problem:
            what = f"{what}: {each.problem}"
        version = f" {clean(package.version)}" if package.version else ""
        terminal.row(
            f"{clean(package.name)}{version} ({package.kind}), {what}; {clean(package.shown)}"
        )
    if found:
        terminal.note(
            f"{counted(len(found), 'package')}; `satchel context --with-dependencies` asks them too"
        )
    else:
        terminal.note("no package that is imported here is installed where Satchel looks")
