"""Does a pasted failing test or trace bring the function that has to change?

    python -m bench.packs.failures CASES.json CORPORA MIRRORS [--satchel CMD] [--budget N]

CASES and CORPORA are those of `bench.retrieval.measure` for fixes: `queries` with a `commit` and
`targets`, and CORPORA/NAME is a tree from before the fix, which is written to: give a copy.
MIRRORS/OWNER+NAME or a folder `repo` in it is a git directory that has the commit. For up to
`--each` fixes a repository, no two of which change the same test file, the tests of the fix are put
into the tree, as somebody has them who saw them fail. Then three things are pasted for each fix,
all made from the line in the test and the first changed line of the target:

assertion  the runner's report of a test that failed in its own assertion: no frame of the code
thrown     the same where the target threw
installed  only the trace, its paths those of an installed package, lines shifted by three

Printed is the share of targets of which every line stands in the pack, of which some do, and the
share of the pack's excerpts that are of test files. Which test of a file it is, is read from the
text by patterns of this module, and from no index.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.nothing import require

_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__|src/test|t)/.*\.(?:py|[jt]sx?|[cm]js|rb|php|rs|kt|scala|exs"
    r"|cpp|cs)$|_test\.(?:go|exs|rb)$|\.(?:test|spec)\.[cm]?[jt]sx?$|Tests?\.(?:kt|cs|php|scala)$"
)
_OPENERS = {
    "python": r"^(?P<i>\s*)(?:async )?def (?P<name>test\w*)",
    "go": r"^(?P<i>)func (?P<name>Test\w+)\(",
    "javascript": r"^(?P<i>\s*)(?:it|test)\((?P<q>['\"`])(?P<name>.+?)(?P=q)",
    "typescript": r"^(?P<i>\s*)(?:it|test)\((?P<q>['\"`])(?P<name>.+?)(?P=q)",
    "ruby": r"^(?P<i>\s*)it (?P<q>['\"])(?P<name>.+?)(?P=q)",
    "php": r"^(?P<i>\s*)public function (?P<name>test\w+)",
    "rust": r"^(?P<i>\s*)(?:pub )?fn (?P<name>\w+)\(\)",
    "kotlin": r"^(?P<i>\s*)fun `?(?P<name>[^`(]+)`?\(\)",
    "scala": r"^(?P<i>\s*)test\(\"(?P<name>.+?)\"",
    "elixir": r"^(?P<i>\s*)test \"(?P<name>.+?)\"",
    "cpp": r"^(?P<i>\s*)void (?P<name>\w+)\(\) \{",
    "csharp": r"^(?P<i>\s*)public (?:async Task|void) (?P<name>\w+)\(",
}
_ASSERTION = re.compile(
    r"assert|expect|should|require|ASSERT|EXPECT|check|is_expected|Assert", re.I
)
_SHIFT = 3


@dataclass(frozen=True, slots=True)
class Test:
    """A failing test: where it stands, and the line that failed; lines are 1-based."""

    path: str
    name: str
    first_line: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Pasted:
    """What is asked, and the function that should be shown."""

    id: str
    kind: str
    text: str
    path: str
    first_line: int
    last_line: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--satchel", default="satchel")
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--show", help="print the pack of the question with this id")
    args = parser.parse_args()
    rows: list[tuple[str, str, str, float]] = []
    for case in json.loads(args.cases.read_text("utf-8")):
        root = args.corpora / case["name"]
        if not root.is_dir() or (args.only and case["name"] not in args.only):
            continue
        mirror = args.mirrors / case["repository"].replace("/", "+")
        asked = list(_questions(case, root, mirror / "repo", args.each))
        packs = _packs(shlex.split(args.satchel), root, asked, args.budget)
        for each in asked:
            pack = packs.get(each.id, {"excerpts": [], "text": ""})
            if args.show == each.id:
                print(each.text, pack["text"], sep="\n=====\n")
            rows.append((case["language"], each.kind, *_judged(pack, each, root)))
            print(case["name"], each.id, each.path, rows[-1][2], flush=True)
    require(len(rows), "fix with a test in any repository")
    _print(rows)


def _questions(case: dict[str, Any], root: Path, mirror: Path, each: int) -> Iterator[Pasted]:
    """The questions of one repository; the tests of its fixes are written into the tree."""
    used: set[str] = set()
    n_fixes = 0
    for number, query in enumerate(case["queries"]):
        targets = [
            t for t in query["targets"] if t.get("hunks") and not _TEST_FILE.search(t["path"])
        ]
        changed = _git(mirror, "diff-tree", "--no-commit-id", "--name-only", "-r", query["commit"])
        tests = [p for p in changed.split("\n") if _TEST_FILE.search(p) and "fixture" not in p]
        if not targets or not tests or used & set(tests):
            continue
        found = next(filter(None, (_test(case, mirror, query["commit"], t) for t in tests)), None)
        if found is None:
            continue
        used |= set(tests)
        for path in tests:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            text = _git(mirror, "show", f"{query['commit']}:{path}")
            (root / path).write_text(text, "utf-8")
        target = targets[0]
        for kind in ("assertion", "thrown", "installed"):
            text = _text(case, root, kind, found, target)
            place = target["path"], target["start_line"], target["end_line"]
            yield Pasted(f"{case['name']}/{number}/{kind}", kind, text, *place)
        n_fixes += 1
        if n_fixes == each:
            return


def _test(case: dict[str, Any], mirror: Path, commit: str, path: str) -> Test | None:
    """The first test that the fix added or changed, and the last assertion it added in there."""
    opener = re.compile(_OPENERS.get(case["language"], "(?!)"))
    lines = _git(mirror, "show", f"{commit}:{path}").split("\n")
    diff = _git(mirror, "diff-tree", "-p", "-U0", "--no-commit-id", commit, "--", path)
    added: list[int] = []
    for start, count in re.findall(r"(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@", diff):
        added += range(int(start), int(start) + int(count or 1))
    of_test: dict[int, list[int]] = defaultdict(list)
    for line in added:
        at = next((n for n in range(line, 0, -1) if opener.match(lines[n - 1])), 0)
        if at:
            of_test[at].append(line)
    if not of_test:
        return None
    asserted = {
        at: [n for n in inside if n > at and _ASSERTION.search(lines[n - 1])]
        for at, inside in of_test.items()
    }
    first = min(of_test, key=lambda at: (not asserted[at], at))
    asserts = asserted[first]
    match = opener.match(lines[first - 1])
    assert match
    line = (asserts or of_test[first])[-1]
    return Test(path, match["name"], first, line, lines[line - 1].strip())


def _text(case: dict[str, Any], root: Path, kind: str, test: Test, target: dict[str, Any]) -> str:
    """What the runner of a language prints, in the words of `case`'s language."""
    language = case["language"]
    line, name = target["hunks"][0][0], target["function"].split(".")[-1].split("::")[-1]
    here = (target["path"], line, name)
    if language == "elixir":  # relative to the application
        here = (_installed(case, root, target["path"]), line, name)
    if kind == "installed":
        there = _installed(case, root, target["path"])
        return _trace(language, target, [(there, line + _SHIFT, name)])
    frames = [here] if kind == "thrown" else []
    return _report(language, test, _trace(language, target, frames) if frames else "")


def _report(language: str, test: Test, trace: str) -> str:
    """A failing test as its runner reports it; `trace` are the frames of the code."""
    at = f"{test.path}:{test.line}"
    stem = Path(test.path).stem
    words = test.name
    return {
        "python": f"____ {words} ____\n\n>       {test.text}\n\n{at}: in {words}\n    {test.text}\n"
        f"{trace}E   AssertionError\n==== short test summary info ====\n"
        f"FAILED {test.path}::{words} - AssertionError\n",
        "go": f"--- FAIL: {words} (0.01s)\n    {Path(test.path).name}:{test.line}: not equal\n"
        f"{trace}FAIL\n",
        "javascript": f"  1) {words}:\n     AssertionError\n{trace}"
        f"      at Context.<anonymous> ({at}:12)\n",
        "typescript": f" FAIL  {test.path} > {words}\nAssertionError: expected false to be true\n"
        f"{trace} ❯ {at}:12\n",
        "ruby": f"  1) {words}\n     Failure/Error: {test.text}\n{trace}"
        f"     # ./{at}:in `block (2 levels) in <top (required)>'\n\n"
        f"rspec ./{test.path}:{test.first_line} # {words}\n",
        "php": f"1) Tests\\{stem}::{words}\nFailed asserting that false is true.\n\n"
        f"{trace}/app/{at}\n",
        "rust": f"test {words} ... FAILED\n\n---- {words} stdout ----\n"
        f"thread '{words}' panicked at {at}:9:\nassertion failed: left == right\n{trace}",
        "kotlin": f"{stem} > {words}() FAILED\n    java.lang.AssertionError\n{trace}"
        f"        at {stem}.{words}({stem}.kt:{test.line})\n",
        "scala": f"==> X {stem}.{words}  0.02s munit.FailException: /app/{at} not equal\n{trace}",
        "elixir": f"  1) test {words} (Some.{stem})\n     {test.path}:{test.first_line}\n"
        f"     Assertion with == failed\n     stacktrace:\n{trace}       {at}: (test)\n",
        "cpp": f"{at}: Assertion failed in {stem}::{words}\n{trace}",
        "csharp": f"  Failed Some.{stem}.{words} [12 ms]\n  Stack Trace:\n{trace}"
        f"   at Some.{stem}.{words}() in /app/{test.path}:line {test.line}\n",
    }[language]  # fmt: skip


def _trace(language: str, target: dict[str, Any], frames: Sequence[tuple[str, int, str]]) -> str:
    """Frames as a runtime prints them, the innermost where it puts it."""
    kind = target["function"].replace("::", ".").rpartition(".")[0].rpartition(".")[2]
    form = {
        "python": '  File "{0}", line {1}, in {2}\n    pass\n',
        "go": "goroutine 7 [running]:\nexample.com/x/y.{2}(...)\n\t{0}:{1} +0x1d\n",
        "javascript": "      at {2} ({0}:{1}:11)\n",
        "typescript": " ❯ {2} {0}:{1}:11\n",
        "ruby": "     # {0}:{1}:in `{2}'\n",
        "php": "{0}:{1}\n",
        "rust": "   2: app::{2}\n             at {0}:{1}:9\n",
        "kotlin": "        at {4}.{3}.{2}({5}:{1})\n",
        "scala": "    at {4}.{3}.{2}({5}:{1})\n",
        "elixir": "       ({6} 1.2.0) {0}:{1}: {3}.{2}/2\n",
        "cpp": "#1  0x00005555 in {3}::{2} (this=0x1) at {0}:{1}\n",
        "csharp": "   at Some.{3}.{2}(Object x) in {0}:line {1}\n",
    }[language]
    rows = []
    for path, line, name in frames:
        parts = Path(path).parts
        package = ".".join(parts[_source_root(parts) : -1])
        owner = kind or Path(path).stem
        whole = Path(target["path"]).parts
        app = whole[1] if whole[0] == "lib" and len(whole) > 2 else "app"
        rows.append(form.format(path, line, name, owner, package, parts[-1], app))
    return "".join(rows)


def _source_root(parts: Sequence[str]) -> int:
    """How many parts of a path are before its package."""
    roots = [n for n, part in enumerate(parts) if part in ("kotlin", "scala", "java", "main")]
    return roots[-1] + 1 if roots else 0


def _installed(case: dict[str, Any], root: Path, path: str) -> str:
    """Where a file lies once its package is installed, by the rules of the language's installer."""
    name, repository = case["name"], case["repository"]
    if case["language"] == "rust":
        crate = next(
            (f for f in _above(path) if (root / f / "Cargo.toml").exists() and f != "."), "."
        )
        toml = (root / crate / "Cargo.toml").read_text("utf-8")
        package = re.findall(r'(?m)^name\s*=\s*"(.+)"', toml)[0]
        rest = path.removeprefix(f"{crate}/")
        return f"/home/ann/.cargo/registry/src/index.crates.io-6f17/{package}-4.5.1/{rest}"
    prefix = {
        "python": "/usr/lib/python3/dist-packages/",
        "go": f"/home/ann/go/pkg/mod/github.com/{repository}@v0.300.0/",
        "javascript": f"/srv/app/node_modules/{name}/",
        "typescript": f"/srv/app/node_modules/{name}/",
        "ruby": f"/usr/lib/ruby/gems/3.2.0/gems/{name}-1.60.2/",
        "php": f"/srv/app/vendor/{repository}/",
        "cpp": f"/build/{name}-2.14/",
        "csharp": f"D:\\a\\{name}\\{name}\\",
    }.get(case["language"], "")
    if case["language"] == "typescript":
        return prefix + "dist/" + re.sub(r"\.tsx?$", ".js", path.removeprefix("src/"))
    if case["language"] == "elixir":
        return path.split("/", 2)[2] if path.startswith("lib/") else path
    return prefix + (path.replace("/", "\\") if "\\" in prefix else path)


def _above(path: str) -> Iterator[str]:
    for folder in Path(path).parents:
        yield str(folder)


def _packs(
    command: Sequence[str], root: Path, asked: Sequence[Pasted], budget: int
) -> dict[str, Any]:
    """The pack of each question, from the command line."""
    subprocess.run([*command, "reindex"], cwd=root, capture_output=True, check=False)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as batch:
        for each in asked:
            batch.write(json.dumps({"id": each.id, "query": each.text, "budget": budget}) + "\n")
        batch.flush()
        done = subprocess.run(
            [*command, "context", "--batch", batch.name, "--json"],
            cwd=root, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        print(done.stderr[-500:])
    return {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines())}


def _judged(pack: dict[str, Any], asked: Pasted, root: Path) -> tuple[str, float]:
    """How much of the target is shown, and the share of the shown lines that are of tests."""
    source = (root / asked.path).read_text("utf-8", "replace").split("\n")
    shown: set[int] = set()
    n_lines = n_tests = 0
    for excerpt in pack["excerpts"]:
        if excerpt.get("detail") in ("signature", "held"):
            continue
        lines = excerpt["text"].split("\n")
        n_lines += len(lines)
        n_tests += len(lines) if _TEST_FILE.search(excerpt["path"]) else 0
        if excerpt["path"] == asked.path:
            shown |= _shown(excerpt, lines, source)
    wanted = set(range(asked.first_line, asked.last_line + 1))
    state = "whole" if wanted <= shown else "part" if wanted & shown else "absent"
    return state, n_tests / max(1, n_lines)


def _shown(excerpt: dict[str, Any], lines: Sequence[str], source: Sequence[str]) -> set[int]:
    """Lines of the file whose text stands in the excerpt, in order."""
    at, found = excerpt["start_line"], set()
    for line in lines:
        for number in range(at, min(excerpt["end_line"], len(source)) + 1):
            if source[number - 1].rstrip() == line.rstrip():
                found.add(number)
                at = number + 1
                break
    return found


def _print(rows: Sequence[tuple[str, str, str, float]]) -> None:
    print(
        "\n| kind | targets | whole | part | absent | lines of tests |\n|---|--:|--:|--:|--:|--:|"
    )
    for kind in (*dict.fromkeys(row[1] for row in rows), "all"):
        listed = [row for row in rows if kind in (row[1], "all")]
        n = len(listed)
        states = [
            sum(row[2] == state for row in listed) / n for state in ("whole", "part", "absent")
        ]
        tests = sum(row[3] for row in listed) / n
        print(
            f"| {kind} | {len(listed)} | " + " | ".join(f"{x:.2f}" for x in (*states, tests)) + " |"
        )
    for language in sorted({row[0] for row in rows}):
        listed = [row for row in rows if row[0] == language]
        whole = sum(row[2] == "whole" for row in listed)
        print(f"{language}: {whole} of {len(listed)} whole")


def _git(mirror: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "--git-dir", str(mirror), *arguments], capture_output=True, check=False
    )
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main()
