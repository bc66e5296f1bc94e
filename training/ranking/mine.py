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
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from satchel.evaluation import commit_tree, commits, fixes, messages
from satchel.evaluation.messages import SUFFIXES
from satchel.store.errors import SatchelError
from satchel.workspace.project import Project
from training.ranking import descriptions, variants

SEED = 19
_COMMITS = 5000
_MOST_BYTES = 1_000_000
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
        folder = options.mirror / name / "repo"
        if slug in left_out or not any((folder / f / "HEAD").exists() for f in (".git", ".")):
            continue
        for after in options.after:
            out = options.out / f"{name}@{after}"
            if (out / "cases.json").exists():
                continue
            started = time.monotonic()
            try:
                entry = mine(slug, folder, out, after, options)
            except (SatchelError, OSError, ValueError) as error:
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
    parser.add_argument("--only-fixes", action="store_true", help="no questions from the code")
    parser.add_argument("--files", type=int, default=1200, help="code files of a snapshot, at most")
    return parser


def opened(root: Path, state: Path) -> Project:
    """The index of a folder, brought up to date; without vectors, which mining does not ask."""
    settings = {"SATCHEL_VECTORS_ENGINE": "exact", "SATCHEL_STATE_FOLDER": str(state)}
    project = Project.at(root, settings)
    project.refresh(lambda _: None)
    return project


def mine(slug: str, folder: Path, out: Path, after: int, options: argparse.Namespace) -> Case:
    """Make a snapshot of one repository and its questions, but those of its other snapshots."""
    others = sorted(options.out.glob(f"{slug.replace('/', '+')}@*/cases.json"))
    listed = [json.loads(file.read_text(encoding="utf-8"))[0] for file in others]
    asked: set[str] = set().union(*(_commits(entry) for entry in listed))
    snapshot = commits.snapshot_before(folder, min(after, commits.count(folder, "HEAD") // 2))
    files = commits.files(folder, snapshot)
    n_code = sum(path.endswith(SUFFIXES) for path in files)
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
        commit_tree.write(folder, files, tree, lambda *_: None, _MOST_BYTES)
        chance = random.Random(f"{SEED} {slug} {after}")
        project = opened(tree, options.out / "state")
        with project.snapshot() as index:
            places = fixes.ProductFunctions(index, files)
            listed_after = commits.between(folder, snapshot, "HEAD", SUFFIXES, most=_COMMITS)
            new = (
                _case(fix)
                for fix in fixes.mined(folder, listed_after, files, places)
                if fix.commit not in asked
            )
            found = list(islice(new, 2 * options.fixes))
            described = [] if options.only_fixes else descriptions.asked(index, tree, chance)
        entry["language"] = places.language()
        entry["queries"] = [*_chosen(found, options.fixes, chance), *described]
        descriptions.blank(tree, described)
    text = json.dumps([entry], indent=1, ensure_ascii=True)
    (out / "cases.json").write_text(text + "\n", encoding="utf-8")
    return entry


def _case(fix: fixes.Fix) -> Case:
    targets = [
        {
            "path": t.path,
            "start_line": t.first_line,
            "end_line": t.last_line,
            "function": t.function,
            "hunks": [list(lines) for lines in t.changed],
        }
        for t in fix.targets
    ]
    return {
        "commit": fix.commit, "subject": fix.subject, "body": fix.body, "targets": targets
    }  # fmt: skip


def _chosen(found: Sequence[Case], limit: int, chance: random.Random) -> list[Case]:
    """Questions of at most `limit` commits, those that speak of something wrong first."""
    listed = list(found)
    chance.shuffle(listed)
    listed.sort(key=lambda c: not messages.is_fix(c["subject"] + " " + c["body"][:200]))
    queries: list[Case] = []
    for case in listed[:limit]:
        names = [t["function"].split(".")[-1] for t in case["targets"]]
        stems = [Path(t["path"]).stem for t in case["targets"]]
        for form, text in variants.variants(
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
