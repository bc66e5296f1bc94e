"""How messages of commits are asked in training: as subject or whole, with names and without."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from satchel.evaluation.messages import cleaned, has_words

_NAME = re.compile(
    r"`[^`\n]*`|(?:[\w.@+-]+/)+[\w.@+-]+|\b\w+\(\)|\b\w+(?:(?:\.|::|#|->)\w+)+|"
    r"\b[A-Za-z]+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]+[a-z]+[A-Z]\w*\b"
)


def without_names(text: str, names: Sequence[str]) -> str:
    """The text without what is written as code, and without some names however written."""
    text = _NAME.sub(" ", text)
    for name in sorted(set(names), key=lambda n: (-len(n), n)):
        if len(name) >= 3:
            text = re.sub(rf"\b{re.escape(name)}\b", " ", text, flags=re.IGNORECASE)
    return re.sub(r" {2,}", " ", text).strip()


def variants(
    subject: str, body: str, names: Sequence[str], chance: random.Random
) -> list[tuple[str, str]]:
    """(form, question) pairs that a message gives, one or two; forms are drawn by `chance`."""
    subject, body = cleaned(subject), cleaned(body)
    whole = f"{subject}. {body}" if body else subject
    forms = ["subject", "whole"] if body else ["subject"]
    first = chance.choices(forms, [1, 2][: len(forms)])[0]
    texts = {"subject": subject, "whole": whole}
    found = [(first, texts[first])]
    bare = without_names(texts[first], names)
    # A message that names its place is asked a second time without the names: else the easy ones
    # would be half of all.
    if bare != texts[first] and has_words(bare):
        found.append((f"{first} without names", bare))
    elif first == "whole" and chance.random() < 0.5:
        found.append(("subject", subject))
    return found
