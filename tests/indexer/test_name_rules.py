"""What the call graph knows of a language is in the language's row."""

import ast

from satchel.indexer.callgraph.tables.bindings import SourceFile
from satchel.indexer.languages.detect import LANGUAGES
from satchel.store.model import RepoPath
from tests.support.satchel import ROOT

GO_WORD = ("tables/bindings.py", "go")
"""A part of the names of Go's repositories: `go-isatty` is the package `isatty`."""


def test_the_call_graph_asks_for_no_language_by_its_name():
    folder = ROOT / "indexer" / "callgraph"
    names = {row.name for row in LANGUAGES}
    found = {
        (path.relative_to(folder).as_posix(), node.value)
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert found == {GO_WORD}


def test_a_family_is_called_like_one_of_its_languages_and_these_find_files_alike():
    rows = {row.name: row for row in LANGUAGES}
    related = [row for row in LANGUAGES if row.family]
    assert len(related) > 3
    for row in related:
        first = rows[row.family]
        assert first.family == ""
        assert first.names.imports == row.names.imports


def test_a_package_of_java_begins_below_the_root_of_its_sources():
    packages = {
        (path, language): SourceFile.of(RepoPath(path), language).package
        for path, language in [
            ("core/src/main/java/org/x/A.java", "java"),
            ("core/src/test/kotlin/org/x/ATest.kt", "kotlin"),
            ("src/main/java/org/x/a.go", "go"),
        ]
    }
    assert list(packages.values()) == ["org/x", "org/x", "src/main/java/org/x"]
