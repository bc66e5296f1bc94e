"""Mine questions with their answers from public repositories: `python -m training.ranking.mine`.

For each repository (a bare git directory) some snapshots and what its history and its code ask:

- fixes: the message of a commit → the functions that it changed, where these stand in the snapshot
  as they stood before it;
- descriptions: the first sentence of a doc comment, the name of a test, the text of an error, a
  symbol as people write it → the function. A description that was asked is blanked in the snapshot.

What is made lies in OUT/NAME@AFTER: `tree` and `cases.json`, a case file of
`bench.retrieval.cases`. A commit is asked in one snapshot alone, the first that was made. The same
repositories, seed and order of snapshots give the same files.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from satchel.store.model import FUNCTIONS, RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord
from satchel.workspace.project import Project
from training.ranking import descriptions, history, messages

SEED = 19
SUFFIXES = tuple(
    ".py .js .jsx .mjs .cjs .ts .tsx .go .rs .java .kt .scala .c .h .cc .cpp .cxx .hpp .cs .rb .php"
    " .swift .ex .exs .hs .lua .sh .bash .zig".split()
)
_MOST_FUNCTIONS = 15
Case = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Mine every repository of a list that is there and not made yet."""
    options = _parser().parse_args(arguments)
    left_out = {
        entry["repository"]
        for file in options.held_out
        for entry in json.loads(file.read_text(encoding="utf-8"))
    }
    lines = options.repositories.read_text(encoding="utf-8").splitlines()
    wanted = [line.strip() for line in lines if line.strip() and line[0] != "#"]
    # Languages stand together in the list; shuffled, any beginning of it holds all of them.
    random.Random(SEED).shuffle(wanted)
    for slug in wanted:
        name = slug.replace("/", "+")
        folders = [options.mirror / name / "repo" / ".git", options.mirror / name / "repo"]
        folder = next((f for f in folders if (f / "HEAD").exists()), None)
        if slug in left_out or folder is None:
            continue
        for after in options.after:
            out = options.out / f"{name}@{after}"
            if (out / "cases.json").exists():
                continue
            started = time.monotonic()
            try:
                entry = mine(slug, folder, out, after, options)
            except (subprocess.CalledProcessError, OSError, ValueError) as error:
                print(f"{slug}: {error}", file=sys.stderr, flush=True)
                break
            n_fixes, seconds = len(_commits(entry)), time.monotonic() - started
            print(
                f"{out.name}: {n_fixes} fixes, {len(entry['queries'])} questions, {seconds:.0f} s"
            )
            sys.stdout.flush()
    return 0


def _commits(entry: Case) -> set[str]:
    return {query["commit"] for query in entry["queries"] if query.get("commit")}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.ranking.mine", description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True, help="owner/name, one a line")
    parser.add_argument("--mirror", type=Path, required=True, help="holds OWNER+NAME/repo, bare")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--held-out",
        type=Path,
        action="append",
        default=[],
        help="case files whose repositories are left out",
    )
    parser.add_argument(
        "--after",
        type=int,
        nargs="+",
        default=[1500, 700],
        help="commits after each snapshot; at most half of history",
    )
    parser.add_argument("--fixes", type=int, default=80, help="at most, of a repository")
    parser.add_argument("--files", type=int, default=1200, help="code files of a snapshot, at most")
    return parser


def opened(root: Path, state: Path) -> Project:
    """The index of a folder, brought up to date, its vectors too."""
    settings = {"SATCHEL_VECTORS_ENGINE": "exact", "SATCHEL_STATE_FOLDER": str(state)}
    project = Project.at(root, settings)
    project.refresh(lambda _: None)
    return project


def mine(slug: str, folder: Path, out: Path, after: int, options: argparse.Namespace) -> Case:
    """Make a snapshot of one repository and its questions, but those of its other snapshots."""
    others = sorted(options.out.glob(f"{slug.replace('/', '+')}@*/cases.json"))
    listed = [json.loads(file.read_text(encoding="utf-8"))[0] for file in others]
    asked: set[str] = set().union(*(_commits(entry) for entry in listed))
    n_commits = int(history.git(folder, "rev-list", "--count", "--no-merges", "HEAD"))
    snapshot = history.snapshot_of(folder, min(after, n_commits // 2))
    blobs = history.blobs(folder, snapshot)
    n_code = sum(path.endswith(SUFFIXES) for path in blobs)
    entry: Case = {
        "name": slug.replace("/", "+"),
        "repository": slug,
        "revision": snapshot,
        "language": "",
        "root": "",
        "queries": [],
    }
    out.mkdir(parents=True, exist_ok=True)
    if n_code <= options.files:
        tree = out / "tree"
        tree.mkdir(exist_ok=True)
        packed = subprocess.Popen(
            ["git", "--git-dir", str(folder), "archive", snapshot],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        subprocess.run(
            ["tar", "-x", "-C", str(tree)],
            stdin=packed.stdout,
            check=False,
            stderr=subprocess.DEVNULL,
        )
        packed.wait()
        chance = random.Random(f"{SEED} {slug} {after}")
        project = opened(tree, options.out / "state")
        with project.snapshot() as index:
            places = Places(index, blobs)
            commits = fixes(folder, snapshot, blobs, places)
            new = (case for case in commits if case["commit"] not in asked)
            found = [case for case, _ in zip(new, range(2 * options.fixes), strict=False)]
            described = descriptions.asked(index, tree, chance)
        entry["language"] = places.language()
        entry["queries"] = [*_chosen(found, options.fixes, chance), *described]
        descriptions.blank(tree, described)
    text = json.dumps([entry], indent=1, ensure_ascii=True)
    (out / "cases.json").write_text(text + "\n", encoding="utf-8")
    return entry


class Places:
    """The functions of a snapshot by path and line; product code alone."""

    def __init__(self, index: Snapshot, blobs: dict[str, str]) -> None:
        self._index = index
        self._known = {f.path: f for f in index.files.all() if f.path in blobs and not f.is_test}
        self._of_file: dict[str, list[SymbolRecord]] = {}

    def language(self) -> str:
        """The language of most code files."""
        counts: dict[str, int] = {}
        for path, file in self._known.items():
            if path.endswith(SUFFIXES):
                counts[file.language] = counts.get(file.language, 0) + 1
        return max(sorted(counts), key=counts.__getitem__, default="")

    def knows(self, path: str) -> bool:
        """Whether a file is indexed as product code."""
        return path in self._known

    def around(self, path: str, line: int) -> SymbolRecord | None:
        """The innermost function that a line is in."""
        if path not in self._of_file:
            symbols = self._index.symbols.of_file(RepoPath(path))
            listed = [s for s in symbols if s.kind in FUNCTIONS and not s.is_test]
            self._of_file[path] = sorted(
                listed, key=lambda s: (s.span.start_line, -s.span.end_line)
            )
        listed = self._of_file[path]
        last = bisect_right([s.span.start_line for s in listed], line)
        inside = [s for s in listed[:last] if s.span.end_line >= line]
        return min(inside, key=lambda s: s.span.end_line - s.span.start_line, default=None)


def fixes(folder: Path, snapshot: str, blobs: dict[str, str], places: Places) -> Iterable[Case]:
    """The commits after a snapshot that change only functions which are as they were then."""
    for commit in history.commits_after(folder, snapshot, SUFFIXES):
        if not messages.is_question(commit.subject):
            continue
        targets: dict[tuple[str, int], Case] = {}
        is_whole = True
        for change in commit.changes:
            if not places.knows(change.path):
                continue
            drift = history.between(folder, blobs[change.path], change.before)
            for symbol, lines in _changed(change, drift, places):
                if symbol is None or history.touches(
                    symbol.span.start_line, symbol.span.end_line, drift
                ):
                    is_whole = False
                    continue
                key = (change.path, symbol.span.start_line)
                target = targets.setdefault(key, _target(change.path, symbol))
                target["hunks"].append(list(lines))
        if is_whole and 1 <= len(targets) <= _MOST_FUNCTIONS:
            yield {
                "commit": commit.id,
                "subject": commit.subject,
                "body": commit.body,
                "targets": [targets[key] for key in sorted(targets)],
            }


def _changed(
    change: history.Change, drift: Sequence[history.Hunk], places: Places
) -> Iterable[tuple[SymbolRecord | None, tuple[int, int]]]:
    """The functions of the snapshot that hunks lie in, with the lines; None where a line is new."""
    for first, n_lines, _, _ in change.hunks:
        # Lines that are brought in belong to what stands on both sides of them.
        lines = range(first, first + n_lines) if n_lines else range(first, first + 2)
        earlier = [history.earlier_line(line, drift) for line in lines]
        if None in earlier:
            yield None, (0, 0)
            continue
        spans: dict[int, tuple[SymbolRecord, list[int]]] = {}
        for line in earlier:
            assert line is not None
            symbol = places.around(change.path, line)
            if symbol is not None:
                spans.setdefault(symbol.id, (symbol, []))[1].append(line)
        for symbol, found in spans.values():
            # Between two functions nothing of either is changed.
            if n_lines or len(found) == 2:
                yield symbol, (min(found), max(found))


def _target(path: str, symbol: SymbolRecord) -> Case:
    return {
        "path": path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
        "function": symbol.qualified_name,
        "hunks": [],
    }


def _chosen(found: Sequence[Case], limit: int, chance: random.Random) -> list[Case]:
    """Questions of at most `limit` commits, those that speak of something wrong first."""
    listed = list(found)
    chance.shuffle(listed)
    listed.sort(key=lambda c: not messages.is_fix(c["subject"] + " " + c["body"][:200]))
    queries: list[Case] = []
    for case in listed[:limit]:
        names = [t["function"].split(".")[-1] for t in case["targets"]]
        stems = [Path(t["path"]).stem for t in case["targets"]]
        for form, text in messages.variants(
            case["subject"], case["body"], [*names, *stems], chance
        ):
            kind = "described"
            if any(stem.lower() in text.lower() for stem in stems if len(stem) > 3):
                kind = "names-file-stem"
            if any(name in text for name in names if len(name) > 3):
                kind = "names-function"
            queries.append(
                {
                    "query": text,
                    "kind": kind,
                    "form": form,
                    "commit": case["commit"],
                    "targets": case["targets"],
                }
            )
    return queries


if __name__ == "__main__":
    sys.exit(main())
