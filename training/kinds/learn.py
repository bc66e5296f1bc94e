"""Learn what a text wants: `python -m training.kinds.learn TEXTS --out FILE`.

TEXTS come of `training.kinds.texts`. As they are they are written for git and readers; `forms.json`
has how people ask, in several languages, with places for a task ({t}) and things ({x}, {y}). What
is learned are three logistic regressions (L1) over `kinds_of_question.features`. Every fifth
repository, by a checksum of its name, is held out of what is printed; what is written has all.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from satchel.assembler.query import kinds_of_question
from satchel.assembler.query.kinds_of_question import Model
from satchel.evaluation import messages
from training.kinds.texts import Row

FORMS = Path(__file__).with_name("forms.json")
SEED = 7
_REGULAR, _LEAST = 0.2, 8
"""C of the regressions, and how many texts must have a feature."""
_FORMED = 0.35
"""Questions and tasks made of forms alone, against all texts."""
_CHANGES = ("change", "repair", "addition")
_KIND = re.compile(r"\W*[a-z]+(?:\([^)]*\))?!?:\s+", re.I)
_FILLED = re.compile(r"%[-\d.]*[a-z]|\{[^}]*\}|\$\{[^}]*\}")
_FILLINGS = ("foo", "42", "config.json", "x", "main", "None")
_BEFORE_MESSAGES = ("error: ", "Error: ", "fatal: ", "ValueError: ", "E: ", "panic: ")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is right on repositories held out; write the model of all."""
    parser = argparse.ArgumentParser(prog="python -m training.kinds.learn", description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    rows: list[Row] = [tuple(row) for row in json.loads(options.texts.read_text(encoding="utf-8"))]
    seen, held = (
        [r for r in rows if (crc32(r[0].encode()) % 5 == 0) == out] for out in (False, True)
    )
    report(fitted(Asked(seen).all()), Asked(held).all())
    options.out.write_text(written(fitted(Asked(rows).all())), encoding="utf-8")
    return 0


class Asked:
    """Texts as people ask them, each with its kind: also "question" and "message"."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows, self._chance = rows, random.Random(SEED)
        self._forms: dict[str, list[str]] = json.loads(FORMS.read_text(encoding="utf-8"))
        self._bodies = [body for _, _, _, body in rows if body]
        self._things = [text for _, kind, text, _ in rows if kind in ("heading", "class")]
        self._names = [text for _, kind, text, _ in rows if kind == "symbol"]

    def all(self) -> list[tuple[str, str]]:
        """The texts, in an order that the seed decides."""
        made: list[tuple[str, str]] = []
        for _, kind, text, body in self._rows:
            if kind in _CHANGES:
                made += self._change(kind, text, body)
            elif kind == "message":
                made += self._message(text)
            else:
                made.append((self._about(kind, text), "question"))
        for _ in range(int(_FORMED * len(self._rows))):
            kind = self._chance.choice(("question", "question", "repair", "addition"))
            # Who writes further lines asks in a sentence, and does not name a subject alone.
            body = f"\n\n{self._chance.choice(self._bodies)}" if self._may(0.1) else ""
            made.append((self._form(kind) + body, kind))
        return made

    def _may(self, share: float) -> bool:
        return self._chance.random() < share

    def _change(self, kind: str, text: str, body: str) -> list[tuple[str, str]]:
        bare = _KIND.sub("", text, count=1) or text
        task = bare[:1].lower() + bare[1:]
        written = bare if self._may(0.5) else text
        made = [(f"{written}\n\n{body}" if body and self._may(0.3) else written, kind)]
        if self._may(0.3):
            made.append((self._form("addition" if kind == "addition" else "repair", task), kind))
        # What is wished for is new, unless it says what is wrong.
        if kind == "change" and self._may(0.12):
            wished = "repair" if messages.is_fix(text) else "addition"
            made.append((self._form("wish", task), wished))
        if self._may(0.12):
            made.append((self._form("question", task), "question"))
        return made

    def _message(self, text: str) -> list[tuple[str, str]]:
        filled = _FILLED.sub(lambda _: self._chance.choice(_FILLINGS), text)
        made = [(filled, "message")]
        if self._may(0.4):
            made.append((self._chance.choice(_BEFORE_MESSAGES) + filled, "message"))
        return made

    def _about(self, kind: str, text: str) -> str:
        if kind == "symbol":
            owner = self._chance.choice(self._things).title().replace(" ", "")
            return (
                text
                if self._may(0.7)
                else owner + self._chance.choice((".", "::", "#", "->")) + text
            )
        if kind == "doc":
            return re.sub(r"^(An?|The) ", "", text) if self._may(0.5) else text
        return text if self._may(0.5) else text.lower()

    def _form(self, kind: str, task: str | None = None) -> str:
        fitting = [form for form in self._forms[kind] if ("{t}" in form) == (task is not None)]
        text = self._chance.choice(fitting).replace("{t}", task or "")
        text = text.replace("{x}", self._thing()).replace("{y}", self._thing())
        return text[:1].upper() + text[1:] if self._may(0.3) else text

    def _thing(self) -> str:
        thing = self._chance.choice(self._things)
        if self._may(0.2):
            return self._chance.choice(self._names)
        thing = thing if self._may(0.2) else thing[:1].lower() + thing[1:]
        return f"the {thing}" if self._may(0.15) else thing


def fitted(asked: Sequence[tuple[str, str]]) -> Model:
    """The regressions: change or question; new or not, where it is known; message or task."""
    read = [kinds_of_question.features(text) for text, _ in asked]
    counts = Counter(feature for features in read for feature in features)
    columns = {f: n for n, f in enumerate(sorted(f for f, c in counts.items() if c >= _LEAST))}
    places = [[columns[f] for f in features if f in columns] for features in read]
    ends = np.cumsum([0, *map(len, places)])
    measured = sparse.csr_matrix(
        (np.ones(ends[-1]), np.concatenate(places).astype(int), ends), (len(read), len(columns))
    )
    kinds = np.array([kind for _, kind in asked])
    heads = (
        (kinds != "", kinds != "question"),
        (np.isin(kinds, ("repair", "addition")), kinds == "addition"),
        (kinds != "question", kinds == "message"),
    )
    made = [
        LogisticRegression(
            C=_REGULAR, l1_ratio=1.0, solver="liblinear", class_weight="balanced", random_state=SEED
        ).fit(measured[kept], wanted[kept])
        for kept, wanted in heads
    ]
    weights = np.round(np.vstack([each.coef_[0] for each in made]) * 1000).astype(int)
    first, second, third = (round(float(each.intercept_[0]) * 1000) for each in made)
    named = {f: tuple(weights[:, n].tolist()) for f, n in columns.items() if weights[:, n].any()}
    return Model((first, second, third), named)


def written(model: Model) -> str:
    """A model as `kinds_of_question.shipped` reads it, a feature a line."""
    lines = (f"{json.dumps(f)}: {json.dumps(w)}" for f, w in sorted(model.weights.items()))
    return f'{{"bias": {json.dumps(model.bias)}, "weights": {{\n' + ",\n".join(lines) + "\n}}\n"


def report(model: Model, asked: Sequence[tuple[str, str]]) -> None:
    """Print the share of texts of each kind that are told right."""
    by_kind: dict[str, list[Any]] = {}
    for text, kind in asked:
        by_kind.setdefault(kind, []).append(model.wanted(text))
    for kind, found in sorted(by_kind.items()):
        shares = {
            "change": np.mean([w.change >= 0.5 for w in found]),
            "unsure": np.mean([0.2 < w.change < 0.8 for w in found]),
            "addition": np.mean([w.addition >= 0.5 for w in found]),
            "message": np.mean([w.message >= 0.5 for w in found]),
        }
        print(kind, len(found), {name: round(float(share), 3) for name, share in shares.items()})


if __name__ == "__main__":
    sys.exit(main())
