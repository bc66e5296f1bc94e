"""Output of programs as questions: real ones where the program is there, else as it prints."""

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.places import pasted, seeds
from satchel.assembler.places.seeds import Seed, Tree
from satchel.assembler.query import artefacts
from satchel.assembler.query.artefacts import ArtefactKind
from satchel.assembler.query.question import Question
from satchel.assembler.weights import DEFAULT
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import TIMEOUT_S, index


def output_of(*command: str | Path, cwd: Path) -> str:
    home = {"HOME": pwd.getpwuid(os.getuid()).pw_dir}  # where rustc keeps its toolchains
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env={**os.environ, **home},
    )  # fmt: skip
    assert done.returncode != 0, "the program was meant to fail"
    return done.stdout + done.stderr


def pointed(snapshot: Snapshot, text: str) -> list[tuple[str, str]]:
    """(path, symbol) of what a text points at, the most telling first."""
    artefact = artefacts.read(text)
    assert artefact is not None
    found = seeds.resolve(Tree(snapshot), artefact, DEFAULT.pointing).found
    return [(seed.chunk.path, symbol_at(snapshot, seed)) for seed in found]


def symbol_at(snapshot: Snapshot, seed: Seed) -> str:
    around = [
        symbol
        for symbol in snapshot.symbols.of_file(seed.chunk.path)
        if symbol.span.start_line <= seed.first_line <= symbol.span.end_line
    ]
    return around[-1].name if around else ""


def filler(comment: str) -> str:
    """Lines enough that what stands around them is a chunk of its own."""
    return "".join(f"{comment} line {n} says nothing about the matter at hand\n" for n in range(60))


OTHER = "def other(total):\n" + "".join(
    f"    total = total + {n}  # some work\n" for n in range(59)
)
PYTHON = f"""
//- app/main.py
import json
from app.stock import reserve

{OTHER}
def checkout(order):
    return reserve(order["thing"])

{OTHER}
def parse(text):
    return json.loads(text)
//- app/stock.py
{OTHER}
def reserve(thing):
    raise ValueError(f"no stock of {{thing}}")

{OTHER}
def restock(thing):
    return thing
"""


def test_a_python_traceback_leads_to_its_frames_innermost_first(project):
    root = project(PYTHON)
    text = output_of(
        sys.executable, "-c", "from app.main import checkout; checkout({'thing': 1})", cwd=root
    )
    with index(root).snapshot() as snapshot:
        assert pointed(snapshot, text)[:2] == [
            ("app/stock.py", "reserve"), ("app/main.py", "checkout"),
        ]  # fmt: skip
        pack = assemble.context(snapshot, Question(text), 1500)
    assert pack.excerpts[0].path == "app/stock.py"
    assert "no stock of {thing}" in pack.excerpts[0].text
    assert artefacts.read(text).prose == "ValueError: no stock of 1"


def test_frames_of_libraries_are_ignored(project):
    root = project(PYTHON)
    text = output_of(sys.executable, "-c", "from app.main import parse; parse('{')", cwd=root)
    assert "json/decoder.py" in text
    with index(root).snapshot() as snapshot:
        assert pointed(snapshot, text) == [("app/main.py", "parse")]


def test_a_function_that_moved_since_is_found_by_its_name(project):
    root = project(PYTHON)
    text = output_of(
        sys.executable, "-c", "from app.main import checkout; checkout({'thing': 1})", cwd=root
    )
    stock = root / "app/stock.py"
    stock.write_text(OTHER * 3 + stock.read_text("utf-8"), "utf-8")
    with index(root).snapshot() as snapshot:
        assert pointed(snapshot, text)[0] == ("app/stock.py", "reserve")


def test_pytest_output_leads_to_the_failing_test_and_what_it_calls(project):
    root = project(
        PYTHON
        + "//- tests/test_stock.py\nfrom app.stock import reserve\n\n"
        + "def test_reserve():\n    assert reserve(1) == 1\n"
    )
    (root / "conftest.py").write_text("", "utf-8")
    for style in ("short", "long", "native", "line"):
        text = output_of(
            sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--tb={style}", cwd=root
        )
        with index(root).snapshot() as snapshot:
            found = [path for path, _ in pointed(snapshot, text)]
            pack = assemble.context(snapshot, Question(text), 1024)
        assert found[0] == "app/stock.py", style
        assert "no stock of {thing}" in pack.text
        assert style == "line" or "tests/test_stock.py" in found


REAL = {
    "node": (
        ("node", "main.js"),
        f"""
//- main.js
const {{ reserve }} = require("./lib/stock.js");
{filler("//")}
function checkout(order) {{
  return reserve(order.thing);
}}
checkout({{ thing: 1 }});
//- lib/stock.js
{filler("//")}
class Stock {{
  take(thing) {{
    throw new Error("no stock of " + thing);
  }}
}}
exports.reserve = (thing) => new Stock().take(thing);
""",
        ["lib/stock.js", "main.js"],
    ),
    "java": (
        ("java", "Main.java"),
        f"""
//- Main.java
public class Main {{
{filler("//")}
    static int reserve(int thing) {{
        throw new IllegalStateException("no stock of " + thing);
    }}
    public static void main(String[] args) {{
        try {{
            reserve(1);
        }} catch (IllegalStateException e) {{
            throw new RuntimeException("checkout failed", e);
        }}
    }}
}}
""",
        ["Main.java"],
    ),
    "javac": (
        ("javac", "-d", "out", "src/Stock.java"),
        "\n//- src/Stock.java\nclass Stock {\n    int take() { return missing; }\n}\n",
        ["src/Stock.java"],
    ),
    "gcc": (
        ("gcc", "-c", "src/stock.c"),
        """
//- src/stock.c
#include "stock.h"
int reserve(int thing) {
    return missing_name + thing;
}
//- src/stock.h
int restock(int thing) {
    return other_missing;
}
""",
        ["src/stock.c", "src/stock.h"],
    ),
    "rustc": (
        ("rustc", "src/main.rs"),
        '\n//- src/main.rs\nfn reserve(thing: i32) -> i32 {\n    "text"\n}\nfn main() {}\n',
        ["src/main.rs"],
    ),
}


@pytest.mark.parametrize("program", REAL)
def test_what_a_real_program_prints_leads_to_the_code(project, program: str):
    command, files, paths = REAL[program]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    root = project(files)
    text = output_of(*command, cwd=root)
    with index(root).snapshot() as snapshot:
        found = dict.fromkeys(path for path, _ in pointed(snapshot, text))
        pack = assemble.context(snapshot, Question(text), 1024)
    assert sorted(found) == sorted(paths)
    assert pack.excerpts[0].path == paths[0]


PRINTED = {
    "go panic": (
        "panic: runtime error: invalid memory address or nil pointer dereference\n\n"
        "goroutine 1 [running]:\nexample.com/shop/stock.(*Shelf).Take(0x0, 0x1)\n"
        "\t/home/ann/shop/stock/shelf.go:12 +0x1d\nmain.main()\n"
        "\t/home/ann/shop/cmd/main.go:9 +0x25\nexit status 2\n",
        [("/home/ann/shop/stock/shelf.go", 12, "Take"), ("/home/ann/shop/cmd/main.go", 9, "main")],
    ),
    "go test": (
        "--- FAIL: TestTake (0.00s)\n    shelf_test.go:21: got 1, want 2\nFAIL\n",
        [("shelf_test.go", 21, "")],
    ),
    "go compiler": (
        "# example.com/shop/stock\nstock/shelf.go:12:9: undefined: missing\n",
        [("stock/shelf.go", 12, "")],
    ),
    "rust panic": (
        "thread 'main' panicked at src/stock.rs:7:5:\nno stock\nstack backtrace:\n"
        "   0: rust_begin_unwind\n             at /rustc/1a2b/library/std/src/panicking.rs:645:5\n"
        "   2: shop::stock::Shelf<T>::take\n             at ./src/stock.rs:7:5\n",
        [
            ("src/stock.rs", 7, ""),
            ("/rustc/1a2b/library/std/src/panicking.rs", 645, "rust_begin_unwind"),
            ("./src/stock.rs", 7, "take"),
        ],
    ),
    "c#": (
        "Unhandled exception. System.InvalidOperationException: no stock\n"
        "   at Shop.Stock.Shelf.Take(Int32 thing) in C:\\work\\shop\\Stock\\Shelf.cs:line 14\n"
        "   at System.Linq.Enumerable.First()\n",
        [("C:\\work\\shop\\Stock\\Shelf.cs", 14, "Take")],
    ),
    "ruby": (
        "lib/shop/stock.rb:5:in `take': no stock (RuntimeError)\n"
        "\tfrom lib/shop/order.rb:9:in 'Shop::Order#checkout'\n",
        [("lib/shop/stock.rb", 5, "take"), ("lib/shop/order.rb", 9, "checkout")],
    ),
    "php": (
        "PHP Fatal error:  Uncaught RuntimeException: no stock in /srv/shop/src/Stock.php:12\n"
        "Stack trace:\n#0 /srv/shop/src/Order.php(30): Shop\\Stock->take()\n#1 {main}\n",
        [("/srv/shop/src/Stock.php", 12, "take"), ("/srv/shop/src/Order.php", 30, "")],
    ),
    "gdb": (
        "#0  __GI_raise (sig=6) at ../sysdeps/raise.c:51\n"
        "#1  0x00005555 in shop::Shelf::take (this=0x0, thing=1) at src/shelf.cpp:14\n",
        [("../sysdeps/raise.c", 51, "__GI_raise"), ("src/shelf.cpp", 14, "take")],
    ),
    "address sanitizer": (
        "==12==ERROR: AddressSanitizer: heap-use-after-free\n"
        "    #0 0x4f8 in Shelf::take(int) /home/ann/shop/src/shelf.cc:14:7\n",
        [("/home/ann/shop/src/shelf.cc", 14, "take")],
    ),
    "tsc": (
        "src/stock.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
        [("src/stock.ts", 12, "")],
    ),
    "tsc, pretty": (
        "src/stock.ts:12:5 - error TS2322: Type 'string' is not assignable.\n\n12     take(1)\n",
        [("src/stock.ts", 12, "")],
    ),
    "clang": (
        "In file included from src/main.cc:1:\nsrc/shelf.h:4:3: error: unknown type name 'Thing'\n",
        [("src/main.cc", 1, ""), ("src/shelf.h", 4, "")],
    ),
    "java, a cause": (
        'Exception in thread "main" java.lang.RuntimeException: checkout failed\n'
        "\tat com.shop.Order.checkout(Order.java:20)\n"
        "Caused by: java.lang.IllegalStateException: no stock\n"
        "\tat app//com.shop.stock.Shelf$Row.take(Shelf.java:14)\n\t... 3 more\n",
        [("com/shop/stock/Shelf.java", 14, "take"), ("com/shop/Order.java", 20, "checkout")],
    ),
    "jest": (
        "FAIL src/stock.test.ts\n  ● Shelf › takes\n\n    expect(received).toBe(expected)\n\n"
        "      at Object.<anonymous> (src/stock.test.ts:8:20)\n"
        "      at async Promise.all (index 0)\n",
        [("src/stock.test.ts", 0, ""), ("src/stock.test.ts", 8, "anonymous")],
    ),
}


@pytest.mark.parametrize("artefact", PRINTED)
def test_places_are_read_as_they_are_printed(artefact: str):
    text, expected = PRINTED[artefact]
    found = artefacts.read(text)
    assert found is not None
    wanted = [(path, line, "" if name == "anonymous" else name) for path, line, name in expected]
    assert [(frame.path, frame.line, frame.name) for frame in found.frames] == wanted


def test_words_of_a_question_are_not_an_artefact():
    for text in (
        "how are retries scheduled", "what does store/writer.py do", "Signal.send(sender) at 12:30",
        "error: nothing works", "look at http://example.com:8080/x", "a - b\n+++ c",
    ):  # fmt: skip
        assert artefacts.read(text) is None, text


DIFF = """\
Take nothing from an empty shelf

diff --git a/app/stock.py b/app/stock.py
index 83db48f..bf26924 100644
--- a/app/stock.py
+++ b/app/stock.py
@@ -62,4 +62,5 @@ def reserve(thing):
 def reserve(thing):
-    raise ValueError(f"no stock of {thing}")
+    if not thing:
+        raise ValueError("no stock")

 # line 0 says nothing about the matter at hand
diff --git a/app/gone.py b/app/gone.py
deleted file mode 100644
--- a/app/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def gone():
-    pass
"""


def test_hunks_of_a_diff_lead_to_the_functions_they_change(project):
    found = artefacts.read(DIFF)
    assert found is not None
    assert found.kinds == (ArtefactKind.DIFF,)
    assert found.prose.strip() == "Take nothing from an empty shelf"
    assert [(f.path, f.line, f.end_line) for f in found.frames] == [("app/stock.py", 63, 64)]
    with index(project(PYTHON)).snapshot() as snapshot:
        assert pointed(snapshot, DIFF)[0] == ("app/stock.py", "reserve")


def test_a_hunk_below_the_heading_of_a_class_changes_the_method_that_holds_it(project):
    root = project(
        "\n//- shop.py\nclass Shop:\n    def open(self):\n        return 1\n\n"
        "    def close(self):\n        return 2\n"
    )
    diff = (
        "--- a/shop.py\n+++ b/shop.py\n@@ -5,3 +5,3 @@ class Shop:\n     def close(self):\n"
        "-        return 3\n+        return 2\n"
    )
    with index(root).snapshot() as snapshot:
        artefact = artefacts.read(diff)
        assert artefact is not None
        located = seeds.resolve(Tree(snapshot), artefact, DEFAULT.pointing).located
        assert [place.function and place.function.qualified_name for place in located] == [
            "Shop.close"
        ]


PENDING = """\
//- shop.py
LIMIT = 5


def first():
    return 1


def second():
    count = 0
    count = count + 1
    return count


def third():
    return 3
"""
CHANGE = """\
--- a/shop.py
+++ b/shop.py
@@ -22,5 +22,7 @@ def second():
 def second():
     count = 0
+    # a long remark
+    # of two lines
     count = count + 1
     return count

@@ -28,3 +30,3 @@ def third():

 def third():
-    return 3
+    return 4
"""


def places(root: Path, diff: str) -> list[tuple[str, int, int]]:
    with index(root).snapshot() as snapshot:
        artefact = artefacts.read(diff)
        assert artefact is not None
        located = pasted.find(snapshot, artefact, DEFAULT.pointing).pointed.located
        return [(p.function.name if p.function else "", p.first_line, p.last_line) for p in located]


def test_hunks_that_are_not_applied_are_found_by_the_lines_they_were_made_from(project):
    root = project(PENDING)
    # The numbers of a hunk are those of the file that it was made from, which has changed since.
    assert places(root, CHANGE) == [("second", 9, 10), ("third", 15, 15)]


def test_hunks_that_are_applied_are_found_by_what_they_made(project):
    applied = PENDING.replace(
        "    count = 0\n", "    count = 0\n    # a long remark\n    # of two lines\n"
    )
    root = project(applied.replace("return 3", "return 4"))
    assert places(root, CHANGE) == [("second", 10, 11), ("third", 17, 17)]


def test_of_context_that_changed_since_the_ends_do_not_count(project):
    root = project(PENDING.replace("    return count\n", "    return 2 * count\n"))
    assert places(root, CHANGE)[0] == ("second", 9, 10)


def test_a_hunk_of_lines_that_a_file_does_not_have_keeps_its_numbers_and_says_so(project):
    root = project(PENDING)
    diff = (
        "--- a/shop.py\n+++ b/shop.py\n@@ -4,2 +4,2 @@\n def first():\n"
        "-    return 9\n+    return 8\n"
    )
    assert places(root, diff) == [("first", 5, 5)]
    with index(root).snapshot() as snapshot:
        text = assemble.context(snapshot, Question(diff), 1000).text
    assert "not in this file as it is now" in text


def test_paths_in_a_description_lead_to_their_files(project):
    text = "Fix the shelf\n\n- `app/stock.py`: raise when empty\n- docs"
    with index(project(PYTHON)).snapshot() as snapshot:
        assert {path for path, _ in pointed(snapshot, text)} == {"app/stock.py"}


@pytest.mark.parametrize(
    ("written", "is_meant"),
    [("shop/app/stock.py", True), ("./app/stock.py", True), ("my/other/app/stock.py", False)],
)
def test_a_file_that_is_only_named_is_meant_by_all_of_its_path(project, written, is_meant):
    root = project("//- shop/app/stock.py\ndef count():\n    return 2\n")
    with index(root).snapshot() as snapshot:
        found = pointed(snapshot, f"Stock is wrong\n\nIn `{written}` we count.")
    assert bool(found) == is_meant


@pytest.mark.parametrize(
    "text",
    [
        "File \"", "at ((((((((:1:1)", "#0 " + "(" * 5000, "x" * 9000 + ".py:12: boom",
        "@@ -1,99999999 +1,9 @@\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@", "\x00:1:1: \x1b[31m",
        "a.py:" + "9" * 300,
        "--- a/x\n+++ \"b/\\303\\251\\q\n@@ -0,0 +1 @@\n+x", "at " + "a." * 4000 + "b(C.java:1)",
    ],
    ids=range(10),
)  # fmt: skip
def test_broken_artefacts_are_read_quickly_and_raise_nothing(text: str):
    artefacts.read(text)
    artefacts.read(text * 3)


def test_a_place_alone_on_its_line_is_a_frame_among_others_and_a_question_by_itself():
    views = "app/views/list.html.erb:3\napp/shop.rb:7:in 'Shop#index'\n"
    artefact = artefacts.read(f"Template::Error (undefined method)\n{views}")
    assert artefact is not None
    assert [(f.path, f.line) for f in artefact.frames] == [
        ("app/views/list.html.erb", 3), ("app/shop.rb", 7),
    ]  # fmt: skip
    assert artefacts.read("app/views/list.html.erb:3") is None


def test_a_file_is_found_by_its_module_as_swift_prints_it(project):
    root = project(
        "//- Sources/Vapor/Content/Plain.swift\nfunc decode() {\n    fatalError()\n}\n"
        "//- Sources/Other/Plain.swift\nfunc decode() {\n    fatalError()\n}\n"
    )
    with index(root).snapshot() as snapshot:
        found = pointed(snapshot, "Vapor/Plain.swift:2: Fatal error: not implemented")
    assert found == [("Sources/Vapor/Content/Plain.swift", "decode")]
