"""Bug reports wrapped in templates: `python -m training.ranking.reports DATA --mirror GIT`.

The messages of mined fixes that have a body are asked as their first line, whole, and with the body
in an issue template: that of the repository, or a long one. Each is asked a second time without the
names of what was changed. Printed are functions NDCG@10, the share of the functions in the first
8,000 tokens of the ranking, and how often a changed file comes first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.peers import inprocess
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.values import Scored
from satchel.evaluation import commits
from satchel.evaluation.messages import cleaned
from training.ranking import measure, variants

_LEAST_BODY, _LONGEST = 120, 9900
_PLACE = "\0"
_TEMPLATES = (".github/ISSUE_TEMPLATE.md", ".github/ISSUE_TEMPLATE/*.md")
_LONG = f"""<!-- Thanks for filing an issue! Please read CONTRIBUTING.md. -->
### Is there an existing issue for this?
- [x] I have searched the existing issues
- [x] I have read the documentation in docs/README.md

### Describe the bug
{_PLACE}

### To Reproduce
Steps to reproduce the behavior:
1. Install the latest release
2. Run the example with the default configuration
3. See error

```
$ npm install && make build test
Error: Process completed with exit code 1.
```

### Expected behavior
It should work without an error, as it did in the previous version.

### Environment
- OS: Ubuntu 22.04
- Version: 2.13.1
- Node: v18.12.1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each form, with and without names."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.reports", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--only", nargs="*", help="these folders of DATA")
    parser.add_argument("--fixes", type=int, default=15, help="at most, of a snapshot")
    options = parser.parse_args(arguments)
    rows: dict[tuple[bool, str], list[tuple[float, float, float]]] = {}
    for file in sorted(options.data.glob("*@*/cases.json")):
        if options.only and file.parent.name not in options.only:
            continue
        entry = json.loads(file.read_text(encoding="utf-8"))[0]
        folder = options.mirror / entry["name"] / "repo"
        asked = list(_forms(entry, folder, file.parent / "tree", options.fixes))
        for key, value in _asked(file.parent / "tree", asked):
            rows.setdefault(key, []).append(value)
    print("| names | form | reports | functions | in 8k tokens | file first |")
    print("|---|---|--:|--:|--:|--:|")
    for (without, form), values in sorted(rows.items()):
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(values, axis=0))
        print(f"| {'without' if without else 'with'} | {form} | {len(values)} | {means} |")
    return 0


def _forms(
    entry: Any, folder: Path, tree: Path, limit: int
) -> Iterator[tuple[tuple[bool, str], str, Any]]:
    """(without names, form), text and targets of a snapshot's reports."""
    by_commit = {q["commit"]: q["targets"] for q in entry["queries"] if q.get("commit")}
    n_reports = 0
    for commit, targets in by_commit.items():
        raw = commits.git_output(folder, "show", "-s", "--format=%s%x00%b", commit)
        subject, body = (cleaned(t) for t in raw.decode("utf-8", "replace").split("\0", 1))
        if len(body) < _LEAST_BODY or n_reports == limit:
            continue
        n_reports += 1
        names = [t["function"].split(".")[-1] for t in targets]
        names += [Path(t["path"]).stem for t in targets]
        bare = "\n".join(variants.without_names(line, names) for line in body.split("\n"))
        for without, title, told in (
            (False, subject, body),
            (True, variants.without_names(subject, names), bare),
        ):
            for form, shape in (("first line", ""), ("whole", _PLACE), ("long form", _LONG)):
                text = f"{title}\n\n{shape.replace(_PLACE, told)}".strip()[:_LONGEST]
                yield (without, form), text, targets
            own = f"{title}\n\n{_template(tree).replace(_PLACE, told)}"[:_LONGEST]
            yield (without, "own template"), own, targets


def _template(tree: Path) -> str:
    """The repository's own, with a place below its first heading, or the long one."""
    for file in (f for pattern in _TEMPLATES for f in sorted(tree.glob(pattern))):
        text = file.read_text(encoding="utf-8", errors="replace")
        lines = (text.split("---", 2)[-1] if text.startswith("---") else text).split("\n")
        for number, line in enumerate(lines):
            if line.startswith(("#", "**")):
                return "\n".join([*lines[: number + 1], _PLACE, *lines[number + 1 :]])
    return _LONG


def _asked(
    tree: Path, asked: Sequence[tuple[tuple[bool, str], str, Any]]
) -> Iterator[tuple[tuple[bool, str], tuple[float, float, float]]]:
    with inprocess.opened(tree) as index:
        for key, text, targets in asked:
            reply = search(index.snapshot, Question(text), 200, vectors=index.vectors)
            yield key, _worth(reply.results, targets)


def _worth(found: Sequence[Scored], targets: Sequence[Any]) -> tuple[float, float, float]:
    gain, seen, spent, within = 0.0, set[int](), 0, set[int]()
    for place, item in enumerate(found):
        spent += item.chunk.tokens
        shown = {n for n, t in enumerate(targets) if measure.overlap(item, t, measure.spans(t))}
        if place < 10:
            gain += len(shown - seen) / np.log2(place + 2)
            seen |= shown
        if spent <= 8000:
            within |= shown
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(targets))))
    is_first = bool(found) and any(found[0].chunk.path == t["path"] for t in targets)
    return min(1.0, gain / ideal), len(within) / len(targets), float(is_first)


if __name__ == "__main__":
    sys.exit(main())
