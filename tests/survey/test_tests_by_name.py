"""Tests that only their name ties to a file lie beside it, or in a folder that repeats its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.assembler.survey.impact import symbol_impact
from tests.support.satchel import index

PAIRS = [
    ("async/_util.ts", "async/_util_test.ts", True),
    ("async/_util.ts", "text/_util_test.ts", False),
    ("src/app/store.py", "tests/test_store.py", True),
    ("src/app/store.py", "tests/unit/app/test_store.py", True),
    ("src/app/store.py", "tests/web/test_store.py", False),
    ("src/main/java/a/b/Shop.java", "src/test/java/a/b/ShopTest.java", True),
    ("src/main/java/a/b/Shop.java", "src/test/java/a/c/ShopTest.java", False),
    ("App/Services/Shop.cs", "App.Tests/Services/ShopTests.cs", True),
    ("lib/shop.rb", "spec/shop_spec.rb", True),
]
SOURCE = {
    "ts": "export function target() { return 1 }\n",
    "py": "def target(): return 1\n",
    "java": "class Shop { int target() { return 1; } }\n",
    "cs": "class Shop { int target() { return 1; } }\n",
    "rb": "def target\n  1\nend\n",
}


@pytest.mark.parametrize(("path", "test", "is_named"), PAIRS)
def test_a_file_of_tests_is_named_for_a_file_near_it(
    project: Callable[[str], Path], path: str, test: str, is_named: bool
):
    text = SOURCE[path.rpartition(".")[2]]
    root = project(f"//- {path}\n{text}//- {test}\n{text.replace('target', 'other')}")
    with index(root).snapshot() as snapshot:
        tests = [each.path for each in symbol_impact(snapshot, "target", 1, 5).tests]
    assert tests == ([test] if is_named else [])
