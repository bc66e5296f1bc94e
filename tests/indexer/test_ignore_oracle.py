"""The walk's ignore decisions against git's own, rule by rule, on random and on nasty patterns."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from satchel.indexer.scan.gitignore import needle
from satchel.indexer.scan.globs import translate
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import FoundFile, walk
from satchel.store.model import SkipReason

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")

LONG = os.environ.get("SATCHEL_LONG") == "1"

FILES = (
    *(
        "a",
        "b",
        "ab",
        "abc",
        "A",
        "a.b",
        "a.log",
        "b.log",
        "x.a.log",
        ".log",
        ".a",
        "a b",
        "a ",
        " ",
    ),
    *(
        "#a",
        "!a",
        "a\\",
        "\\",
        "*",
        "a*b",
        "?",
        "[a]",
        "[",
        "]",
        "-",
        "^a",
        "é",
        "\xff",
        "a\nb",
        "\t",
    ),
    *("build", "foo/a", "foo/b", "foo/foo", "foo/bar/a", "foo/bar/foo", "foo/build/a", "foo/a b"),
    *("foo/bar/baz/a", "foo/bar/baz/b.log", "foo/bar/baz/foo", "fooa/a", "bar/a", "bar/foo/bar/a"),
    *("bar/foo/a.log", "foob/bar", "foo/a.log", "bar/build", "a\\ b/a", "x/y/z/a", "x/y/b", "x/b"),
)
FOLDERS = ("", "foo", "foo/bar", "bar", "x/y")
ATOMS = (
    *("a", "b", "foo", "bar", "build", "baz", ".log", ".", "x", "y", "z", "é", "A"),
    *("*", "*", "**", "***", "?", "/", "/", "/", "\\", "\\ ", " ", "#", "!", "-", "^", "\t", "\r"),
    *(
        "**/",
        "/**",
        "/**/",
        "**\\/",
        "\\/",
        "\\*",
        "\\[",
        "[",
        "]",
        "[a]",
        "[!a]",
        "[^ab]",
        "[a-c]",
    ),
    *(
        "[]-a]",
        "[a-]",
        "[\\]]",
        "[a\\-z]",
        "[[:alpha:]]",
        "[![:digit:]]",
        "[[:nope:]]",
        "[/]",
        "[[:",
    ),
    *("[[:a]", "[a-[:alpha:]]", "[c-a]", "[!/]", "*.log", "foo/", "/a"),
)

pattern = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5).map("".join)
line = st.tuples(st.sampled_from(("", "", "", "!", "/", "#")), pattern).map("".join)
rule_file = st.lists(line, max_size=6).map("\n".join)
rule_files = st.dictionaries(st.sampled_from((*FOLDERS, "info", "global")), rule_file, min_size=1)


def encode(name: str) -> bytes:
    """Latin-1 escapes above ASCII stand for themselves, so that "\\xff" is no valid UTF-8."""
    return name.encode("latin-1") if name == "\xff" else name.encode()


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A checkout with every file of FILES, and an environment in which git knows no user."""
    home = tmp_path_factory.mktemp("home")
    root = home / "tree"
    for name in FILES:
        path = os.path.join(os.fsencode(root), encode(name))  # noqa: PTH118
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        Path(os.fsdecode(path)).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        (home / "config" / "git").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", root], check=True)
        yield root


def place(root: Path, name: str) -> Path:
    if name == "info":
        return root / ".git/info/exclude"
    return root.parent / "config/git/ignore" if name == "global" else root / name / ".gitignore"


def write_rules(root: Path, rules: dict[str, str]) -> None:
    for name in (*FOLDERS, "info", "global"):
        place(root, name).unlink(missing_ok=True)
    for name, text in rules.items():
        place(root, name).write_bytes(text.encode())


def all_files(root: Path, start: str = "") -> list[bytes]:
    return [
        os.fsencode(os.path.relpath(os.path.join(folder, name), root))  # noqa: PTH118
        for folder, _, names in os.walk(root / start)
        if ".git" not in Path(folder).relative_to(root).parts
        for name in names
    ]


def git_ignored(root: Path, start: str = "") -> dict[bytes, str]:
    """Every ignored file below `start`, with the "source:line" that git names for it."""
    answer = subprocess.run(
        ["git", "check-ignore", "-v", "-n", "-z", "--no-index", "--stdin"],
        cwd=root,
        input=b"\0".join(all_files(root, start)),
        capture_output=True,
        check=False,
    ).stdout.split(b"\0")
    rows = zip(answer[0::4], answer[1::4], answer[2::4], answer[3::4], strict=False)
    return {
        path: f"{source_name(root, source)}:{line.decode()}"
        for source, line, rule, path in rows
        if source and not rule.startswith(b"!")
    }


def source_name(root: Path, source: bytes) -> str:
    name = os.fsdecode(source)
    return "core.excludesFile" if name == str(place(root, "global")) else name


def ours(root: Path) -> tuple[set[bytes], dict[bytes, str]]:
    kept: set[bytes] = set()
    ignored: dict[bytes, str] = {}
    for item in walk(root, WalkOptions()):
        if isinstance(item, FoundFile):
            kept.add(os.fsencode(item.path))
        elif item.reason is SkipReason.IGNORED and item.path != ".git/":
            ignored[os.fsencode(item.path)] = item.detail
    return kept, ignored


def check(root: Path, rules: dict[str, str]) -> None:
    write_rules(root, rules)
    expected = git_ignored(root)
    kept, ignored = ours(root)
    for path in all_files(root):
        covering = [
            rule
            for known, rule in ignored.items()
            if known == path or (known.endswith(b"/") and path.startswith(known))
        ]
        assert (path not in kept) == (path in expected) == bool(covering), (path, rules)
        assert path in kept or covering == [expected[path]], (path, rules)


def has_git_quirk(text: str) -> bool:
    """Whether git before 2.53 reads "**" after a literal as if it began the pattern."""
    return re.search(r"^!?/?[^*?\[\\\n]*[^*?\[\\/\n]\*\*", text, re.MULTILINE) is not None


@settings(
    max_examples=int(os.environ.get("SATCHEL_ORACLE_EXAMPLES", "150")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rule_files)
@example({"": "foo/\n!foo/bar/\n"})
@example({"": "/*\n!/foo\n/foo/*\n!/foo/bar\n", "foo": "!a\n"})
@example({"": "\ufeffa\n*.log \n!x.a.log\\ \n", "global": "a*\n", "info": "!ab\n"})
def test_random_rules_decide_as_git_does(tree, rules):
    rules = {name: text for name, text in rules.items() if not has_git_quirk(text)}
    check(tree, rules)


@pytest.mark.parametrize("seed", range(4 if LONG else 2))
def test_thousands_of_rules_decide_as_git_does(tree, seed):
    """Many that begin, end or contain the same: the way they are found is another than for few."""
    chosen = random.Random(seed)
    lines = [
        chosen.choice(("", "", "", "!", "/"))
        + "".join(chosen.choices(ATOMS, k=chosen.randint(1, 5)))
        + chosen.choice(("", "", "z", "*?q", "[a-c]*", "/b", f"{chosen.randint(0, 99)}"))
        for _ in range(4_000)
    ]
    rules = "\n".join(line for line in lines if not has_git_quirk(line))
    # Most names are decided by the last few rules, so parts of the file are asked, too.
    for part in (rules, rules[: len(rules) // 2], rules[: len(rules) // 50]):
        check(tree, {"": part})


@settings(max_examples=300, deadline=None)
@given(pattern)
@example("[a\\]y")
@example("**\\/a")
@example("[]-a]b")
def test_what_matches_contains_the_needle_that_it_is_found_by(glob):
    made = translate(encode(glob))
    for name in map(encode, FILES) if made is not None else ():
        assert not re.fullmatch(made, name, re.DOTALL) or needle(encode(glob)) in name


@pytest.mark.parametrize(
    "text",
    [
        "a \n", "a\\ \n", "a \\ \n", "a\t\n", "a\r\n", "a\r\r\n", "\\#a\n", "\\!a\n", "#a\n",
        "*\n!*/\n!*.log\n", "/foo/**\n!/foo/**/\n!/foo/**/a\n", "**/a\n", "a/**\n", "foo/**/a\n",
        "**/foo/**/a\n", "foo/**/bar/**/a\n", "**\n", "**/\n", "/**\n", "/\n", "//\n", "!/\n",
        "foo\n!foo/a\n", "foo/*\n!foo/a\n", "foo//a\n", "/foo/\n", "foo/bar/\n", "bar/\n!bar\n",
        "[\n", "[a\n", "[]a]\n", "[!]a]\n", "[^a]\n", "[[:alpha:]]\n", "[[:nope:]]\n", "a\\\n",
        "*\\\n", "\\\\\n", "\\*\n", "\\?\n", "a\0b\n", "a\n\0\n", "é\n", "?\n", "??\n", "foo\\/a\n",
        "foo/**\\/a\n", "**\\/a\n", "*.log\n!.log\n", "?.log\n", "[!a]*\n", "foo/[!/]*/a\n",
        "/foo[!x]a\n", "/foo[/]a\n", "*.a.log\n", "*.\n", "*.log\n!*.a.log\n", "*.a.*\n", "*.?\n",
    ],
)  # fmt: skip
def test_nasty_rules_decide_as_git_does(tree, text):
    check(tree, {"": text})


@pytest.mark.parametrize(
    "name",
    [
        *("alnum", "alpha", "blank", "cntrl", "digit", "graph"),
        *("lower", "print", "punct", "space", "upper", "xdigit"),
    ],
)
def test_character_classes_hold_the_bytes_git_puts_in_them(tree, name):
    folder = tree.parent / f"class-{name}"
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / ".gitignore").write_text(f"x[[:{name}:]]x\n", encoding="utf-8")
    for byte in set(range(1, 256)) - {ord("/")}:
        Path(os.fsdecode(os.fsencode(folder) + b"/x%cx" % byte)).touch()
    assert ours(folder)[1].keys() == git_ignored(folder).keys()


@pytest.mark.parametrize("start", ["foo", "foo/bar", "x/y"])
def test_a_root_inside_a_checkout_obeys_the_rules_above_it(tree, start):
    write_rules(tree, {"": "*.log\n/foo/bar/a\nb\n", "foo": "!b.log\nbaz/foo\n", "x/y": "!b\n"})
    expected = {os.path.relpath(path, start.encode()) for path in git_ignored(tree, start)}
    assert ours(tree / start)[1].keys() == expected


def test_stars_follow_the_manual_where_old_git_does_not():
    """Old git lets the pattern match "foo/a/bar" and "foobar", see has_git_quirk."""
    assert translate(b"foo**/bar") == translate(b"foo*/bar")
