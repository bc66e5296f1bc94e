"""Where an imported name is defined, through modules that re-export it."""

from collections.abc import Iterator

from satchel.indexer.callgraph.tables.index_tables import IndexTables


def imported_from(
    tables: IndexTables, file_id: int, name: str, *, with_stars: bool = True
) -> Iterator[tuple[int, str]]:
    """The files that a file may have a name from, each with what it is called there.

    Those of imports of the name come first, in source order: a name may be imported twice, as by
    `try` and `except`. Then those of which everything is imported.
    """
    imports = tables.imports_of(file_id, name)
    stars = imports.stars if with_stars else ()
    for binding in (*imports.by_local_name.get(name, ()), *stars):
        original = binding.name if binding.name not in ("", "*") else name
        for module in tables.imported_files(imports.file, binding.module):
            yield module, original
