"""The walk and the safe read: order, ignore precedence, links, special files, and hostile swaps."""

from __future__ import annotations

import errno
import os
import random
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from satchel.indexer.scan.ignore_rules import WalkOptions, tree_at
from satchel.indexer.scan.walk import FoundFile, list_paths, read, walk
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath, Skipped, SkipReason

OPTIONS = WalkOptions()
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture(autouse=True)
def no_user_settings(monkeypatch, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", root, *identity, *arguments], check=True, capture_output=True)


def found(root: Path, options: WalkOptions = OPTIONS) -> list[str]:
    """The paths of `FoundFile`, without ignore files."""
    names = [item.path for item in walk(root, options) if isinstance(item, FoundFile)]
    return [name for name in names if not name.endswith("ignore")]


def skipped(root: Path, options: WalkOptions = OPTIONS) -> dict[str, tuple[str, str]]:
    items = [item for item in walk(root, options) if isinstance(item, Skipped)]
    assert len({item.path for item in items}) == len(items)
    return {item.path: (item.reason.value, item.detail) for item in items}


# --- what is found, and in which order -----------------------------------------------------------


def test_found_says_what_the_file_system_says(tmp_path):
    write(tmp_path, {"a/b.py": "x = 1\n"})
    status = (tmp_path / "a/b.py").stat()
    expected = FoundFile(
        RepoPath("a/b.py"), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    )
    assert list(walk(tmp_path, OPTIONS)) == [expected]


def test_the_order_is_that_of_the_bytes_of_full_paths(tmp_path):
    names = ["a/b", "a-b", "a.b", "a0", "a/b.c", "A", "é", "z/a/b", "z/a.b", "z/a-/b", "\U0001f600"]
    write(tmp_path, dict.fromkeys(names, ""))
    (tmp_path / os.fsdecode(b"\xf0\xff")).touch()
    (tmp_path / "z/a!").mkdir()
    paths = [os.fsencode(item.path) for item in walk(tmp_path, OPTIONS)]
    assert len(paths) == len(names) + 1
    assert paths == sorted(paths)


def test_strange_names_come_out_and_can_be_read(tmp_path):
    names = [b"a\nb", b"'\"", b"\xff\xfe", b" ", b"-", b"\\", b"*", b"a\tb", b"\x01", b"~"]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(name)
    items = list(walk(tmp_path, OPTIONS))
    assert [os.fsencode(item.path) for item in items] == sorted(names)
    assert [read(tmp_path, item.path, OPTIONS) for item in items] == sorted(names)


def test_a_large_file_is_skipped_with_its_size(tmp_path):
    write(tmp_path, {"a": "x" * 10, "b": "x" * 11})
    options = WalkOptions(max_file_bytes=10)
    assert found(tmp_path, options) == ["a"]
    assert skipped(tmp_path, options) == {"b": ("too-large", "11 bytes")}


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_folder_is_an_error_at_once(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot list"):
        walk(tmp_path / name, OPTIONS)


def test_a_root_may_be_reached_through_a_link(tmp_path):
    write(tmp_path, {"real/a": "text"})
    (tmp_path / "link").symlink_to("real")
    assert found(tmp_path / "link") == ["a"]
    assert read(tmp_path / "link", RepoPath("a"), OPTIONS) == b"text"


def test_deep_folders_are_walked(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(400):  # beyond PATH_MAX as a whole
        os.mkdir("d" * 20, dir_fd=here)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    [path] = found(tmp_path)
    assert path.count("/") == 400
    assert read(tmp_path, RepoPath(path), OPTIONS) == b""
    shutil.rmtree(tmp_path / ("d" * 20), ignore_errors=True)


# --- what is ignored -----------------------------------------------------------------------------


def test_an_ignored_folder_is_reported_once_with_its_rule(tmp_path):
    write(tmp_path, {".gitignore": "\n# c\nout/\n*.log\n", "out/a/b": "", "out/c": "", "x.log": ""})
    assert skipped(tmp_path) == {
        "out/": ("ignored", ".gitignore:3"),
        "x.log": ("ignored", ".gitignore:4"),
    }


def test_nested_rules_win_and_cannot_reach_below_an_ignored_folder(tmp_path):
    write(
        tmp_path,
        {
            ".gitignore": "*.log\nout/\n!out/keep\n",
            "a/.gitignore": "!b.log\n",
            "a/b.log": "",
            "a/c/b.log": "",
            "b.log": "",
            "out/keep": "",
        },
    )
    assert found(tmp_path) == ["a/b.log", "a/c/b.log"]


def test_satchelignore_is_stronger_than_any_gitignore(tmp_path):
    write(
        tmp_path,
        {
            ".satchelignore": "!a/kept.log\nnotes/\n!out/\n",
            ".gitignore": "out/\n",
            "a/.gitignore": "*.log\n!notes/\n",
            "a/kept.log": "",
            "a/left.log": "",
            "a/notes/x": "",
            "out/x": "",
        },
    )
    assert found(tmp_path) == ["a/kept.log", "out/x"]
    assert skipped(tmp_path) == {
        "a/left.log": ("ignored", "a/.gitignore:1"),
        "a/notes/": ("ignored", ".satchelignore:2"),
    }


def test_extra_ignore_is_the_strongest(tmp_path):
    write(tmp_path, {".satchelignore": "!/a/secret\nb\n", "a/secret": "", "secret": "", "b": ""})
    options = WalkOptions(extra_ignore=("/a/secret", "!b"))
    assert found(tmp_path, options) == ["b", "secret"]
    assert skipped(tmp_path, options) == {"a/secret": ("ignored", "extra_ignore:1")}


def test_defaults_can_be_asked_back_by_satchelignore_alone(tmp_path):
    write(tmp_path, {".gitignore": "!node_modules\n", "node_modules/a": "", "b/__pycache__/a": ""})
    assert skipped(tmp_path) == {
        "b/__pycache__/": ("ignored", "default"),
        "node_modules/": ("ignored", "default"),
    }
    write(tmp_path, {".satchelignore": "!node_modules/\n"})
    assert found(tmp_path) == ["node_modules/a"]


def test_a_file_called_like_a_dependency_folder_stays(tmp_path):
    write(tmp_path, {"node_modules": "", "a/.venv": ""})
    assert found(tmp_path) == ["a/.venv", "node_modules"]


@pytest.mark.parametrize(
    ("folder", "names", "why"),
    [
        ("docs/api/", "element-list allclasses-index.html", ("generated", "javadoc")),
        ("docs/api/", "package-list navigation.html", ("generated", "dokka")),
        ("html/", "doxygen.css dynsections.js index.html", ("generated", "doxygen")),
        ("docs/_build/html/", "objects.inv searchindex.js", ("generated", "sphinx")),
        ("doc/", "crates.js help.html settings.html", ("generated", "rustdoc")),
        ("docs/", ".nojekyll assets/a.js modules.html", ("generated", "typedoc")),
        ("vendor/", "modules.txt", ("vendored", "go mod vendor")),
        ("lib/vendor/", "autoload.php composer/a.php", ("vendored", "composer")),
        ("third_party/rust/serde/", ".cargo-checksum.json", ("vendored", "cargo vendor")),
        ("deps/plug/", ".hex", ("vendored", "mix")),
        ("ios/Pods/", "Manifest.lock", ("vendored", "CocoaPods")),
    ],
)
def test_a_folder_that_a_tool_wrote_is_one_record_and_listed_alike_by_its_paths(
    tmp_path, folder, names, why
):
    root = tmp_path / "project"
    write(root, {folder + name: "" for name in (*names.split(), "deep/more.py")})
    assert (found(root), skipped(root)) == ([], {folder: why})
    [listing] = list_paths(tree_at(root, OPTIONS), [RepoPath(folder + "deep/more.py")])
    assert [(s.path, (s.reason.value, s.detail)) for s in listing.found] == [(folder, why)]
    # Without one of the names it is a folder like others, and so is a root of that kind.
    write(root, {".satchelignore": f"!{folder}\n"})
    assert folder + "deep/more.py" in found(root)
    assert "deep/more.py" in found(root / folder)
    (root / ".satchelignore").unlink()
    shutil.rmtree(first) if (
        first := root / folder / names.split()[0].split("/")[0]
    ).is_dir() else (first.unlink())
    assert folder + "deep/more.py" in found(root)


@pytest.mark.parametrize(
    "name", ["myvendor/modules.txt", "docs/searchindex.js", "api/element-list"]
)
def test_a_folder_of_a_person_that_has_such_a_name_in_it_stays(tmp_path, name):
    assert found(write(tmp_path, {name: "x"})) == [name]


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "CACHEDIR.TAG"])
def test_a_disposable_folder_is_known_by_what_it_holds(tmp_path, mark):
    write(tmp_path, {f"env/{mark}": "", "env/lib/a.py": "", mark: "", "venv/a.py": ""})
    assert found(tmp_path) == [mark, "venv/a.py"]
    assert skipped(tmp_path) == {"env/": ("ignored", "default")}
    write(tmp_path, {".satchelignore": "!env\n"})
    assert "env/lib/a.py" in found(tmp_path)


def test_the_folders_of_version_control_and_of_the_index_never_come_back(tmp_path):
    names = [".git", ".hg", ".satchel", ".svn"]
    write(tmp_path, {f"{name}/a": "" for name in names} | {".satchelignore": "!.*\n!*\n"})
    write(tmp_path, {"sub/.git": "gitdir: elsewhere\n", "sub/a": ""})
    assert found(tmp_path) == ["sub/a"]
    assert list(skipped(tmp_path)) == [*(f"{name}/" for name in names), "sub/.git"]


@pytest.mark.parametrize("name", [".gitignore", ".satchelignore"])
def test_ignore_files_behind_links_and_special_ones_are_not_read(tmp_path, name):
    write(tmp_path, {"rules": "a\n", "a": "", "b/a": "", "c/a": ""})
    (tmp_path / name).symlink_to("rules")
    os.mkfifo(tmp_path / "b" / name)
    (tmp_path / "c" / name).mkdir()
    assert found(tmp_path) == ["a", "b/a", "c/a", "rules"]


# --- git around the root -------------------------------------------------------------------------


@needs_git
def test_user_and_checkout_rules_apply(tmp_path, no_user_settings):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "b\n!c\n", "a": "", "b": "", "c": "", "d": ""})
    write(no_user_settings, {".config/git/ignore": "a\nc\n"})
    assert found(tmp_path) == ["c", "d"]
    rules = [detail for _, detail in skipped(tmp_path).values()]
    assert rules == ["default", "core.excludesFile:1", ".git/info/exclude:1"]
    write(no_user_settings, {"mine": "d\n", ".gitconfig": "[core]\nexcludesFile = ~/mine\n"})
    assert found(tmp_path) == ["a", "c"]


@needs_git
def test_without_git_the_default_excludes_file_counts(tmp_path, no_user_settings, monkeypatch):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "b\n", "a": "", "b": "", "c": ""})
    write(no_user_settings, {".config/git/ignore": "a\n"})
    monkeypatch.setenv("PATH", "")
    assert found(tmp_path) == ["c"]


@needs_git
def test_a_worktree_shares_info_exclude_with_its_repository(tmp_path):
    main, tree = tmp_path / "main", tmp_path / "tree"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "a")
    git(main, "worktree", "add", "-q", str(tree))
    write(main, {".git/info/exclude": "b\n"})
    write(tree, {"a": "", "b": "", "c/b": ""})
    assert found(tree) == ["a"]
    assert found(tree / "c") == []


@needs_git
def test_a_tracked_file_stays_although_a_rule_ignores_it(tmp_path):
    git(tmp_path, "init", "-q")
    write(
        tmp_path, {".gitignore": "out/\n*.log\n", "out/a/t.py": "", "out/a/u.py": "", "x.log": ""}
    )
    write(tmp_path, {"out/b/v": "", "y.log": "", "out/node_modules/w": "", "out/secret": ""})
    git(tmp_path, "add", "-f", "out/a/t.py", "x.log", "out/node_modules/w", "out/secret")
    write(tmp_path, {".satchelignore": "secret\n!u.py\n"})
    assert found(tmp_path) == ["out/a/t.py", "x.log"]
    assert skipped(tmp_path) == {
        ".git/": ("ignored", "default"),
        "out/a/u.py": ("ignored", ".gitignore:1"),
        "out/b/": ("ignored", ".gitignore:1"),
        "out/node_modules/": ("ignored", "default"),
        "out/secret": ("ignored", ".satchelignore:1"),
        "y.log": ("ignored", ".gitignore:2"),
    }
    assert found(tmp_path / "out") == ["a/t.py", "a/u.py", "b/v"]


@needs_git
def test_rules_above_the_root_apply_up_to_the_top_of_the_checkout(tmp_path):
    write(tmp_path, {".gitignore": "*\n"})  # outside of the checkout
    top = tmp_path / "top"
    write(
        top, {".gitignore": "*.log\n/a/b/x\n", "a/.gitignore": "!k.log\n", "a/.satchelignore": "s"}
    )
    git(top, "init", "-q")
    write(top, {"a/b/x": "", "a/b/y.log": "", "a/b/k.log": "", "a/b/s": "", "a/b/c/x": ""})
    assert found(top / "a/b") == ["c/x", "k.log"]
    assert skipped(top / "a/b") == {
        "s": ("ignored", "../.satchelignore:1"),
        "x": ("ignored", "../../.gitignore:2"),
        "y.log": ("ignored", "../../.gitignore:1"),
    }


def test_rules_without_number_are_in_force_up_to_a_bound_that_is_told(tmp_path):
    globs = "".join(f"?{n}*\n" for n in range(3_000))
    write(tmp_path, {".gitignore": globs, "a1": "", "b/a2": "", "b/x-last": "", "b/plain": ""})
    write(tmp_path, {"b/.gitignore": "plain\n" + globs + "*-last\nx-last.py\n", "b/x-last.py": ""})
    # Those of the two files count together, and what takes no trying does not count.
    assert found(tmp_path) == ["b/x-last"]
    assert skipped(tmp_path)["b/.gitignore"] == (
        "too-many-ignore-rules", "no pattern with wildcards is in force from line 1002 on"
    )  # fmt: skip
    assert skipped(tmp_path)["b/x-last.py"] == ("ignored", "b/.gitignore:3003")
    assert ".gitignore" not in skipped(tmp_path)


def test_of_a_megabyte_of_rules_the_first_whole_lines_are_in_force(tmp_path):
    write(tmp_path, {".satchelignore": "a\n" + "# more\n" * 200_000 + "b\n", "a": "", "b": ""})
    assert found(tmp_path) == ["b"]
    assert skipped(tmp_path)[".satchelignore"] == (
        "too-many-ignore-rules", "only its first 1,048,576 bytes are in force"
    )  # fmt: skip
    write(tmp_path, {".satchelignore": "a\n" + "*" * 300_000 + "\nb\n"})
    assert found(tmp_path) == []
    assert skipped(tmp_path)[".satchelignore"][1].endswith("in force from line 2 on")


@needs_git
def test_a_bound_on_rules_in_git_s_own_folder_is_told_of_that_folder(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "*?x[a]*\n" * 4_001, ".gitignore": "# none\n", "a": ""})
    assert skipped(tmp_path) == {
        ".git/": (
            "too-many-ignore-rules",
            "info/exclude: no pattern with wildcards is in force from line 4001 on",
        )
    }


@needs_git
def test_a_root_that_the_rules_above_ignore_is_walked_all_the_same(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "*\n", "a/b/c": "", "a/b/.gitignore": "d\n", "a/b/d": ""})
    assert found(tmp_path / "a/b") == ["c"]


@needs_git
def test_a_nested_repository_is_an_ordinary_folder(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "*.log\n", "sub/.gitignore": "b\n", "sub/a": "", "sub/b": ""})
    git(tmp_path / "sub", "init", "-q")
    write(tmp_path, {"sub/.git/info/exclude": "a\n", "sub/x.log": ""})
    assert found(tmp_path) == ["sub/a"]
    assert found(tmp_path / "sub") == ["x.log"]


@needs_git
def test_asking_git_runs_no_program_that_the_repository_names(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "a\n", "a": ""})
    git(tmp_path, "add", "-f", "a")
    canary = tmp_path / "canary"
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "alias.ls-files"):
        git(tmp_path, "config", key, f"touch {canary}; false")
    assert "a" in found(tmp_path)
    assert not canary.exists()


# --- links, special files, failures --------------------------------------------------------------


def test_links_are_never_followed(tmp_path):
    root = write(tmp_path / "root", {"a": "text", "d/b": ""})
    write(tmp_path, {"secret": "canary", "rootless/x": ""})
    for name, target in {
        "in": "a",
        "in-dir": "d",
        "in-root": ".",
        "in-absolute": str(root / "d/b"),
        "out": "../secret",
        "out-dir": "..",
        "out-prefix": "../rootless",
        "out-chain": "out",
        "loop": "loop",
        "loop-1": "loop-2",
        "loop-2": "loop-1",
        "dangling": "nowhere",
        "beyond-a-file": "a/b",
    }.items():
        (root / name).symlink_to(target)
    (root / "d/up").symlink_to("..")
    expected = {
        "beyond-a-file": ("vanished", "ENOTDIR"),
        "d/up": ("symlink", "."),
        "dangling": ("vanished", "ENOENT"),
        "in": ("symlink", "a"),
        "in-absolute": ("symlink", "d/b"),
        "in-dir": ("symlink", "d"),
        "in-root": ("symlink", "."),
        "loop": ("symlink-loop", ""),
        "loop-1": ("symlink-loop", ""),
        "loop-2": ("symlink-loop", ""),
        "out": ("symlink-outside-root", ""),
        "out-chain": ("symlink-outside-root", ""),
        "out-dir": ("symlink-outside-root", ""),
        "out-prefix": ("symlink-outside-root", ""),
    }
    assert found(root) == ["a", "d/b"]
    assert skipped(root) == expected
    for name, (reason, detail) in expected.items():
        path = RepoPath(name)
        assert read(root, path, OPTIONS) == Skipped(path, SkipReason(reason), detail)
    for name in ("in-dir/b", "out-dir/secret", "in-root/a", "d/up/a"):
        item = read(root, RepoPath(name), OPTIONS)
        assert isinstance(item, Skipped) and item.reason is SkipReason.VANISHED


def test_special_files_are_named_and_never_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert skipped(tmp_path) == dict.fromkeys(["fifo", "socket"], ("not-a-regular-file", ""))
        for name in ("fifo", "socket"):
            item = read(tmp_path, RepoPath(name), OPTIONS)
            assert item == Skipped(RepoPath(name), SkipReason.SPECIAL)
    (tmp_path / "folder").mkdir()
    item = read(tmp_path, RepoPath("folder"), OPTIONS)
    assert item == Skipped(RepoPath("folder"), SkipReason.SPECIAL)
    device = read(Path("/dev"), RepoPath("null"), OPTIONS)
    assert device == Skipped(RepoPath("null"), SkipReason.SPECIAL)


def test_reading_obeys_the_size_limit(tmp_path):
    write(tmp_path, {"a": "x" * 10})
    assert read(tmp_path, RepoPath("a"), WalkOptions(max_file_bytes=10)) == b"x" * 10
    item = read(tmp_path, RepoPath("a"), WalkOptions(max_file_bytes=9))
    assert item == Skipped(RepoPath("a"), SkipReason.TOO_LARGE)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    item = read(tmp_path, RepoPath("sparse"), OPTIONS)
    assert item == Skipped(RepoPath("sparse"), SkipReason.TOO_LARGE)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_file_that_hides_its_size_is_read_whole_and_no_further_than_the_limit():
    whole = read(Path("/proc/self"), RepoPath("status"), OPTIONS)
    assert isinstance(whole, bytes) and whole.startswith(b"Name:")
    item = read(Path("/proc/self"), RepoPath("status"), WalkOptions(max_file_bytes=5))
    assert item == Skipped(RepoPath("status"), SkipReason.TOO_LARGE)


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../../x", "a/..", ".", "./a", "a//b", "a/", "a\0b"]
)
def test_a_path_that_could_leave_the_root_is_refused(tmp_path, path):
    with pytest.raises(UsageError, match="not a path below the root"):
        read(tmp_path, RepoPath(path), OPTIONS)


def test_what_is_gone_has_vanished(tmp_path):
    write(tmp_path, {"a": ""})
    for name, detail in {"gone": "ENOENT", "gone/b": "ENOENT", "a/b": "ENOTDIR"}.items():
        item = read(tmp_path, RepoPath(name), OPTIONS)
        assert item == Skipped(RepoPath(name), SkipReason.VANISHED, detail)


def test_what_vanishes_during_the_walk_is_reported(tmp_path):
    write(tmp_path, {"a": "", "b/c": "", "d": ""})
    items = walk(tmp_path, OPTIONS)
    next(items)
    shutil.rmtree(tmp_path / "b")
    assert next(items) == Skipped(RepoPath("b/"), SkipReason.VANISHED, "ENOENT")
    assert isinstance(next(items), FoundFile)


def test_unreadable_files_and_folders_say_why(as_somebody_else):
    root, become = as_somebody_else
    write(root, {"a": "", "closed/b": "", "unlisted/c": "", "z": ""})
    for name, mode in {"a": 0, "closed": 0, "unlisted": 0o311}.items():
        (root / name).chmod(mode)
    become()
    assert found(root) == ["a", "z"]
    assert skipped(root) == dict.fromkeys(["closed/", "unlisted/"], ("unreadable", "EACCES"))
    for name in ("a", "closed/b"):
        item = read(root, RepoPath(name), OPTIONS)
        assert item == Skipped(RepoPath(name), SkipReason.UNREADABLE, "EACCES")


def test_running_out_of_descriptors_is_an_error_and_not_a_deletion(tmp_path, monkeypatch):
    write(tmp_path, {"a": "", "b/c": ""})

    def exhausted(*_arguments: object, **_options: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    items = walk(tmp_path, OPTIONS)
    next(items)
    monkeypatch.setattr(os, "open", exhausted)
    with pytest.raises(OSError, match="Too many"):
        list(items)
    with pytest.raises(OSError, match="Too many"):
        read(tmp_path, RepoPath("a"), OPTIONS)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_a_file_swapped_after_it_was_looked_at_is_not_followed(tmp_path, monkeypatch, kind):
    root = write(tmp_path / "root", {"f": "inside"})
    write(tmp_path, {"secret": "canary"})
    look, calls = os.stat, []

    def look_then_swap(*arguments: object, **options: object) -> os.stat_result:
        status = look(*arguments, **options)
        calls.append(arguments)
        if len(calls) < 2:  # the first look tells links apart, the second one special files
            return status
        (root / "f").unlink()
        if kind == "link":
            os.symlink("../secret", root / "f")  # noqa: PTH211
        else:
            os.mkfifo(root / "f")
        return status

    monkeypatch.setattr(os, "stat", look_then_swap)
    item = read(root, RepoPath("f"), OPTIONS)
    assert isinstance(item, Skipped)
    assert item.reason in (SkipReason.VANISHED, SkipReason.SPECIAL)


def test_no_swap_of_a_file_or_folder_for_a_link_gets_out(tmp_path):
    root = write(tmp_path / "root", {"d/a": "inside", "f": "inside"})
    write(tmp_path, {"out/a": "canary", "out/only-outside": "canary"})
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name, target in (("d", "../out"), ("f", "../out/a")):
                (root / name).rename(root / ".hidden")
                (root / name).symlink_to(target)
                (root / name).unlink()
                (root / ".hidden").rename(root / name)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            for path in (RepoPath("d/a"), RepoPath("f")):
                item = read(root, path, OPTIONS)
                assert isinstance(item, Skipped) or item == b"inside"
            assert not any("only-outside" in item.path for item in walk_folders(root))
    finally:
        stop.set()
        thread.join()


def walk_folders(root: Path) -> list[FoundFile | Skipped]:
    """A walk that asks no git, so that many fit into a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "")
        return list(walk(root, OPTIONS))


# --- the walk as a whole -------------------------------------------------------------------------


def test_every_path_is_accounted_for_exactly_once(tmp_path):
    chance = random.Random(7)
    for _ in range(300):
        depth = chance.randint(1, 5)
        folder = tmp_path.joinpath(*(chance.choice("abcd") for _ in range(depth)))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{chance.randint(0, 9)}").touch()
    (tmp_path / ".gitignore").write_text("a/b/\nf1\nc/**/d\n", encoding="utf-8")
    items = [item.path for item in walk(tmp_path, OPTIONS)]
    assert items == sorted(set(items))
    folders = tuple(path for path in items if path.endswith("/"))
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    for path in files:
        assert (path in items) != path.startswith(folders)


def test_two_walks_agree(tmp_path):
    write(tmp_path, {f"{a}/{b}": a + b for a in "xyz" for b in "abc"})
    assert list(walk(tmp_path, OPTIONS)) == list(walk(tmp_path, OPTIONS))
