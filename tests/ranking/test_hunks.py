"""What a pack shows of a diff: which hunks, under which names, and who uses what is gone."""

from difflib import unified_diff
from pathlib import Path

from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.places.hunk_parts import parts, reviewed_as
from satchel.assembler.places.seeds import Tree
from satchel.assembler.query import diffs
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.path_roles import Role
from satchel.store.model import RepoPath
from tests.support.satchel import index

LICENCE = "".join(
    f"# Licence, line {n} of the text that nobody reads in a review.\n" for n in range(9)
)


def _body(word: str, n_lines: int) -> str:
    return "".join(f"    total += {word}_{n} * rate\n" for n in range(n_lines))


FILES = f"""
//- shop/prices.py
{LICENCE}
import decimal


def small(rate):
    total = 0
{_body("few", 4)}    return total


def large(rate):
    total = 0
{_body("many", 40)}    return total


LIMIT = 3
//- tests/test_prices.py
def test_large():
    total, rate = 0, 1
{_body("tested", 30)}
//- docs/prices.md
# Prices
{_body("told", 30)}
"""


def _diff(before: dict[str, str], after: dict[str, str]) -> str:
    """A diff in the order of paths, as `git diff` writes it."""
    found: list[str] = []
    for path in sorted(before | after):
        old, new = before.get(path, ""), after.get(path, "")
        sides = (f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null")
        found += unified_diff(old.splitlines(), new.splitlines(), *sides, lineterm="")
    return "\n".join(found)


def _pack(root: Path, diff: str, budget: int) -> str:
    with index(root).snapshot() as snapshot:
        return assemble.context(snapshot, Question("", Scope.ALL, changes=diff), budget).text


def _texts(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix in (".py", ".md"))
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in files}


def test_of_a_large_change_product_code_comes_first_and_the_rest_is_named(project):
    root = project(FILES)
    pack = _pack(root, _diff({}, _texts(root)), 1000)
    assert pack.count("+    total += many_") == 40
    assert "large" in pack
    assert pack.index("many_") < pack.index("tested_"), "tests have the room that is left"
    assert "told_" not in pack and "Licence, line" not in pack
    note = next(line for line in pack.split("\n") if "changed places are not shown" in line)
    assert "docs/prices.md +" in note


def test_a_change_that_fits_is_shown_as_it_is(project):
    root = project(FILES)
    pack = _pack(root, _diff({}, _texts(root)), 8000)
    assert pack.count("+    total += ") == 104
    assert "+# Licence, line 1 " in pack
    assert "not shown" not in pack


def test_a_definition_that_is_larger_than_the_pack_is_shown_from_its_beginning(project):
    root = project(FILES)
    pack = _pack(root, _diff({}, _texts(root)), 500)
    assert "+def large(rate):\n" in pack
    assert "more lines" in pack
    assert "+def small(rate):\n" in pack, "the other half is for what fits"


BETWEEN = """
//- shop/stock.py
class Stock:
    def first(self):
        value = self.one()
        return value

    def added(self):
        value = self.two()
        return value

    def last(self):
        value = self.three()
        return value
"""


def test_a_function_after_which_another_is_added_did_not_change(project):
    root = project(BETWEEN)
    now = _texts(root)
    added = "    def added(self):\n        value = self.two()\n        return value\n\n"
    # As a program writes it that compares lines alone: from the end of `first` on.
    diff = """--- a/shop/stock.py
+++ b/shop/stock.py
@@ -1,8 +1,12 @@
 class Stock:
     def first(self):
         value = self.one()
         return value
\x20
+    def added(self):
+        value = self.two()
+        return value
+
     def last(self):
         value = self.three()
         return value
"""
    shifted = diff.replace(
        """         return value
\x20
+    def added(self):
+        value = self.two()
+        return value
+
     def last""",
        """+        return value
+
+    def added(self):
+        value = self.two()
         return value
\x20
     def last""",
    )
    assert added in now["shop/stock.py"] and shifted != diff
    for written in (diff, shifted):
        pack = _pack(root, written, 1000)
        assert "Stock.added 1.00" in pack
        assert "first changed here" not in pack and "Stock.first 1.00" not in pack
        assert "+    def added(self):\n+        value = self.two()\n+        return value\n" in pack


USED = """
//- shop/tags.py
from shop.names import join


def kept(value):
    return join(value)
//- shop/names.py
def join(value):
    return value
//- shop/pages.py
from shop.tags import kept, quoted


def page(value):
    if not value:
        raise ValueError("empty")
    return kept(quoted(value))
//- shop/other.py
from shop.tags import kept


def quoted(value):
    return value


def other(value):
    if not value:
        raise ValueError("other")
    return kept(quoted(value))
"""


def test_names_that_removed_lines_only_used_are_not_removed(project):
    root = project(USED)
    now = _texts(root)
    gone = """def quoted(value):
    if not value:
        raise ValueError("empty")
    return join(value)
"""
    before = now | {"shop/tags.py": f"{now['shop/tags.py']}\n\n{gone}"}
    pack = _pack(root, _diff(before, now), 2000)
    assert "page uses quoted, removed here" in pack
    assert "ValueError, removed" not in pack and "join, removed" not in pack
    assert "other uses quoted" not in pack, "that file has a function of its own"


def test_a_file_that_is_removed_brings_what_uses_it(project):
    root = project(USED)
    now = _texts(root)
    (root / "shop/tags.py").unlink()
    after = {path: text for path, text in now.items() if path != "shop/tags.py"}
    pack = _pack(root, _diff(now, after), 2000)
    assert "page uses kept, removed with shop/tags.py" in pack
    assert "other uses kept, removed with shop/tags.py" in pack
    assert "removed by the diff: shop/tags.py" in pack
    assert "none found" not in pack


def test_what_is_replaced_at_an_end_without_a_newline_is_one_part_with_its_function(project):
    text = "--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-    return 1\n"
    text += "\\ No newline at end of file\n+    return one\n"
    (hunk,) = diffs.read(text).hunks
    with index(project("//- a.py\ndef f():\n    one = 1\n    return one\n")).snapshot() as snapshot:
        (part,) = parts(Tree(snapshot), 0, hunk, RepoPath("a.py"))
    assert part.symbol and part.symbol.name == "f"
    assert (part.start, part.stop, part.n_added, part.n_removed) == (0, 2, 1, 1)
    assert hunk.body[part.start : part.stop] == ["-    return 1", "+    return one"]


def test_the_lines_of_a_removed_file_are_shown_after_what_is_left(project):
    root = project(USED)
    now = _texts(root)
    before = now | {"shop/aged.py": "def aged(value):\n    return value + 1\n"}
    after = now | {"shop/names.py": "def join(value):\n    return value or 0\n"}
    (root / "shop/names.py").write_text(after["shop/names.py"], "utf-8")
    pack = _pack(root, _diff(before, after), 2000)
    assert "1-2 removed with its file\n@@ -1,2 +0,0 @@\n-def aged(value):\n" in pack
    assert pack.index("+    return value or 0") < pack.index("-def aged(value):")
    small = _pack(root, _diff(before | {"shop/aged.py": _body("aged", 90)}, after), 600)
    assert "+    return value or 0" in small and "-    total += aged_0 * rate" in small
    assert "more lines" in small


def test_a_removed_file_is_not_taken_for_one_whose_path_ends_alike(project):
    root = project("//- web/shop/tags.py\ndef other():\n    return 2\n")
    pack = _pack(root, _diff({"shop/tags.py": "def gone():\n    return 1\n"}, {}), 1000)
    assert "shop/tags.py\n```" in pack and "-def gone():" in pack
    assert "web/shop/tags.py" not in pack


def test_a_review_counts_no_matches_that_nobody_searched_for(project):
    root = project(USED)
    before = _texts(root)
    after = before | {"shop/names.py": "def join(value):\n    return value or 0\n"}
    (root / "shop/names.py").write_text(after["shop/names.py"], "utf-8")
    pack = _pack(root, _diff(before, after), 900)
    assert "more matched" not in pack and "nothing else is likely" in pack


EXTENDED = """
//- App/Strings.swift
struct Kept {}
//- App/Uses.swift
func check(name: String) -> Bool {
    return name.isAddress()
}

func other(name: String) -> String {
    return name
}
"""


def test_of_a_removed_extension_the_uses_of_its_members_are_shown(project):
    gone = "extension String {\n    func isAddress() -> Bool {\n        return true\n    }\n}\n"
    pack = _pack(project(EXTENDED), _diff({"App/Address.swift": gone}, {}), 1000)
    assert "check uses isAddress, removed with App/Address.swift" in pack
    assert "other" not in pack, "the type that was extended is still there"


def test_what_a_diff_moves_to_another_file_is_told_as_moved(project):
    root = project(USED)
    now = _texts(root)
    gone = "def quoted(value):\n    return join(value)\n"
    (root / "shop/quotes.py").write_text(gone, "utf-8")
    before = now | {"shop/tags.py": f"{now['shop/tags.py']}\n\n{gone}"}
    pack = _pack(root, _diff(before, now | {"shop/quotes.py": gone}), 2000)
    assert "page uses quoted, moved to shop/quotes.py" in pack


LONG = "\n".join(f"    step_{n} = {n}" for n in range(40))


def test_a_changed_function_is_shown_without_the_lines_that_its_hunk_shows(project):
    before = f"def long():\n{LONG}\n    return 0\n"
    after = before.replace("step_20 = 20", "step_20 = 21")
    pack = _pack(project(f"//- shop/long.py\n{after}"),
                 _diff({"shop/long.py": before}, {"shop/long.py": after}), 2000)  # fmt: skip
    assert pack.count("step_20 = 21") == 1 and pack.count("step_19 = 19") == 1
    assert pack.count("step_3 = 3\n") == 1 and pack.count("step_39 = 39\n") == 1
    assert "… 19-25\n" in pack


def test_a_removed_file_is_what_the_files_beside_it_are(project):
    root = project("//- tests/test_a.py\nX = 1\n//- shop/a.py\nX = 1\n//- docs/a.md\n# A\n")
    with index(root).snapshot() as snapshot:
        tree = Tree(snapshot)
        roles = {
            path: reviewed_as(tree, RepoPath(path))
            for path in ("tests/b.py", "shop/b.py", "docs/b.md", "other/test_b.py", "x.zig")
        }
    assert roles == {
        "tests/b.py": Role.TEST, "shop/b.py": Role.PRODUCT, "docs/b.md": Role.DOCUMENT,
        "other/test_b.py": Role.TEST, "x.zig": Role.PRODUCT,
    }  # fmt: skip
