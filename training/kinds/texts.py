"""Texts of public repositories by what they want: `python -m training.kinds.texts --help`.

A commit's message asks for a change; its kind ("feat: …", "fix: …") says which. Headings and
questions of documents, names of classes and functions and noun phrases of comments are what
questions about the code are made of. What programs print stands in their code.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from satchel.evaluation import messages

_N_COMMITS, _N_DOCUMENTS, _N_CODE = 1_500, 40, 160
_CONVENTIONAL = re.compile(r"\W*(fix|bugfix|feat|feature|perf|refactor)(?:\([^)]*\))?!?:\s", re.I)
_NEW = {"feat": "addition", "feature": "addition"}
_PICTURES = {"✨": "addition", "🐛": "repair", ":sparkles:": "addition", ":bug:": "repair"}
_NOT_PRODUCT = re.compile(r"test|spec|vendor|example", re.I)
_NOT_READ = re.compile(r"change|history|news|release|license|i18n", re.I)
_DOCUMENTS = (".md", ".rst", ".mdx")
_FOUND = {
    "heading": (re.compile(
        r"^(?:#{1,4} +([^\n#]{4,80})|([^\n=]{4,80})\n(?:={4,}|-{4,}|~{4,}|\^{4,}))\s*$", re.M), 25),
    "asked": (re.compile(r"(?:^|[.>] )([A-Z][^.?\n!]{10,120}\?)", re.M), 6),
    "message": (re.compile(
        r"(?:raise \w+\(|throw new \w+\(|errors\.New\(|fmt\.Errorf\(|panic!\(|bail!\(|[Ee]rror\("
        r"|warn\w*\(|fatal\w*\(|log_\w+\()\s*f?[\"'`]([A-Za-z][^\"`\n]{15,140})[\"'`]"), 8),
    "class": (re.compile(
        r"^\s*(?:export |public |pub |abstract |final |default |static |sealed |internal )*"
        r"(?:class|struct|interface|trait|enum|module|defmodule|type) ([A-Z]\w{5,40})", re.M), 4),
    "symbol": (re.compile(
        r"(?:def|func|fn|function|class|sub|struct)\s+([A-Za-z_][\w.:]{2,40})"), 3),
    "doc": (re.compile(
        r"^\s*(?:\"\"\"|/\*\*\s*\n?\s*\*?|///|//|#)\s*((?:An?|The|[A-Z][a-z]+(?:er|or|ion|ment|ness"
        r"|ity|ance|ence|ing|ure|ist|al|ions|ers|ors)s?) [a-z][^.\n]{15,110})\.?\s*$", re.M), 8),
}  # fmt: skip
"""How each kind of text is found in a file, and how many of one are taken."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
Row = tuple[str, str, str, str]
"""The repository, the kind, the text, and the body of a message."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the texts of all repositories that are there, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m training.kinds.texts", description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True, help="owner/name, one a line")
    parser.add_argument("--mirror", type=Path, required=True, help="holds OWNER+NAME/repo, bare")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    lines = options.repositories.read_text(encoding="utf-8").splitlines()
    rows: list[Row] = []
    for name in (line.strip() for line in lines if line.strip() and line[0] != "#"):
        folder = options.mirror / name.replace("/", "+") / "repo"
        if folder.exists():
            rows += [*_changes(name, folder), *_of_files(name, folder)]
    rows = list(dict.fromkeys(rows))
    options.out.write_text(json.dumps(rows), encoding="utf-8")
    print(dict(Counter(kind for _, kind, _, _ in rows)))
    return 0


def _git(folder: Path, *words: str, given: str = "") -> str:
    command = ["git", f"--git-dir={folder}", *words]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def _changes(name: str, folder: Path) -> Iterator[Row]:
    """What commits ask for: "change" where none says whether it is new."""
    log = _git(folder, "log", "--no-merges", "-n", str(_N_COMMITS), "--format=%s%x01%b%x00")
    for entry in log.split("\0"):
        subject, _, body = entry.strip().partition("\1")
        if not messages.is_question(subject):
            continue
        written = _CONVENTIONAL.match(subject)
        kind = _NEW.get(written[1].lower(), "repair") if written else "change"
        kind = next((k for sign, k in _PICTURES.items() if subject.startswith(sign)), kind)
        yield name, kind, messages.cleaned(subject), messages.cleaned(body)[:300]


def _of_files(name: str, folder: Path) -> Iterator[Row]:
    files = _git(folder, "ls-tree", "-r", "--name-only", "HEAD").split("\n")
    documents = [f for f in files if f.endswith(_DOCUMENTS) and not _NOT_READ.search(f)]
    code = [f for f in files if f.endswith(messages.SUFFIXES) and not _NOT_PRODUCT.search(f)]
    chance = random.Random(name)
    chance.shuffle(documents)
    chance.shuffle(code)
    wanted = [*documents[:_N_DOCUMENTS], *code[:_N_CODE]]
    given = "".join(f"HEAD:{file}\n" for file in wanted)
    texts = re.split(
        r"^[0-9a-f]{40} blob \d+$", _git(folder, "cat-file", "--batch", given=given), flags=re.M
    )
    for text in texts[1:]:
        for kind, (pattern, most) in _FOUND.items():
            for match in list(pattern.finditer(text))[:most]:
                said = next(filter(None, match.groups())).strip(" #*`")
                yield name, kind, _in_words(said) if kind == "class" else said, ""


def _in_words(name: str) -> str:
    return " ".join(_PART.findall(name)).lower()


if __name__ == "__main__":
    sys.exit(main())
