"""`git switch` between two branches, and what the index takes to follow it: processor seconds.

    python -m bench.indexing.switch TREE [--files 500] [--turns 3] [--satchel EXE …]
    python -m bench.indexing.switch REPOSITORY --revisions ONE OTHER

The tree is copied and committed. On a second branch every tenth of `--files` files names one of its
definitions otherwise, so that edges of files that did not change are stale as well; the others have
an empty line more. With `--revisions` the branches are two revisions of a repository. After a first
index and a first visit of the second branch and back, each turn switches there and back. A line for
each run: processor seconds of `reindex` in all, edges and vectors included, the same as a share of
the first index, and seconds of the clock; then how many files one more parsed, which should be
none. Several `--satchel` take turns, each with an index of its own. Linux and macOS.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench import processes
from satchel.indexer.languages import detect

_FIRST_VISITS = ("first index", "first visit of the other branch", "first switch back")
_RACY_SECONDS = 2.1
"""A file that was written more recently than that is read again by the next run."""
_DEFINED = re.compile(r"^\s*(?:def|func|fn|function|class|fun)\s+(\w{4,})", re.MULTILINE)
_RENAMED_EVERY = 10


def two_branches(tree: Path, copy: Path, n_files: int) -> None:
    """Commit a copy of the tree, and another version of some of its files on a second branch."""
    shutil.copytree(tree, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    _git(copy, "init", "-q", "-b", "main")
    _keep_bytes(copy)
    _commit(copy)
    _git(copy, "switch", "-q", "-c", "other")
    code = sorted(p for p in copy.rglob("*") if p.is_file() and detect.is_code(p.name))
    for number, path in enumerate(code[:: max(1, len(code) // n_files)][:n_files]):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        found = None if number % _RENAMED_EVERY else _DEFINED.search(text)
        if found:
            text = re.sub(rf"\b{found[1]}\b", f"{found[1]}Other", text)
        path.write_bytes(("\n" + text).encode("utf-8", "surrogateescape"))
    _commit(copy)


def two_revisions(repository: Path, copy: Path, revisions: Sequence[str]) -> None:
    """Clone a repository, with two of its revisions as the branches."""
    _git(repository, "clone", "-q", "--no-checkout", str(repository), str(copy))
    _keep_bytes(copy)
    for branch, revision in zip(("main", "other"), revisions, strict=True):
        _git(copy, "checkout", "-q", "-f", "-B", branch, revision)


def _keep_bytes(root: Path) -> None:
    """Let git change no bytes: a tree may name encodings that git does not know."""
    attributes = "* -text -eol -ident -filter -working-tree-encoding\n"
    Path(root, ".git", "info", "attributes").write_text(attributes, encoding="utf-8")


def _commit(root: Path) -> None:
    _git(root, "add", "-Af")
    _git(root, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all of it")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, stdout=subprocess.DEVNULL)


def follow(command: list[str], root: Path, environment: Mapping[str, str]) -> processes.Run:
    """One `reindex` of the tree as it is now."""
    words = [*command, "reindex", "--quiet", "--yes"]
    return processes.run(words, root, environment, (0,))


def n_parsed(command: list[str], root: Path, environment: Mapping[str, str]) -> int:
    """How many files a `reindex` of the tree parses."""
    words = [*command, "reindex", "--json", "--yes"]
    done = subprocess.run(words, cwd=root, env=environment, check=True, stdout=subprocess.PIPE)
    return int(msgspec.json.decode(done.stdout)["index"]["parsed"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.switch", description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--revisions", nargs=2, metavar="REVISION")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--satchel", action="append", default=[], metavar="EXE")
    options = parser.parse_args()
    commands = [shlex.split(exe) for exe in options.satchel] or [[*processes.SATCHEL]]
    with tempfile.TemporaryDirectory(prefix="satchel-switch-") as scratch:
        root = Path(scratch, "tree")
        if options.revisions:
            two_revisions(options.tree.resolve(), root, options.revisions)
        else:
            two_branches(options.tree.resolve(), root, options.files)
        states = [
            {**os.environ, "HOME": scratch, "SATCHEL_STATE_FOLDER": f"{scratch}/state{number}"}
            for number in range(len(commands))
        ]
        taken: list[list[float]] = [[] for _ in commands]
        visits = ["main", "other", "main"] + ["other", "main"] * options.turns
        for number, branch in enumerate(visits):
            _git(root, "switch", "-q", branch)
            time.sleep(_RACY_SECONDS)
            for command, state, seconds in zip(commands, states, taken, strict=True):
                run = follow(command, root, state)
                seconds.append(run.processor)
                share = run.processor / seconds[0]
                name = _FIRST_VISITS[number] if number < len(_FIRST_VISITS) else branch
                print(f"{command[0]}, {name}: {run.processor:.2f} s, {share:.2f} of a first index,"
                      f" {run.wall:.1f} by the clock")  # fmt: skip
        _git(root, "switch", "-q", "other")
        for command, state in zip(commands, states, strict=True):
            print(f"{command[0]}: {n_parsed(command, root, state)} files parsed by one more")
        for command, every in zip(commands, taken, strict=True):
            seconds = every[len(_FIRST_VISITS) :]
            if not seconds:
                continue
            print(f"{command[0]}: median {median(seconds):.2f}, {min(seconds):.2f} to"
                  f" {max(seconds):.2f} s; load {processes.load():.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
