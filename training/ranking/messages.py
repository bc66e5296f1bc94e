"""What a commit says, as a question: which messages ask for something, and how they are asked.

Pure. Numbers are those of the development fixes, whose messages are a line or two, some with the
text of a report.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_SKIPPED = re.compile(
    r"^\W*(?:merge|revert|bump|release|releas|version\b|v?\d+\.\d+|prepare|upgrade|downgrade|"
    r"lint|format|reformat|style|typos?\b|whitespace|clippy|fmt\b|rustfmt|prettier|black\b|ruff|"
    r"changelog|readme|docs?\b|documentation|copyright|license|spelling|wip\b|squash|fixup!|"
    r"update (?:dep|change|read|version|copyright|submodule|translat|snapshot)|"
    r"\[?(?:chore|build|ci|docs?|style|test|tests|release|refactor\(test)\b|add(?:ed)? tests?\b|"
    r"auto-?commit|initial commit|code cleanup|cleanups?$|backport|cherry)",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"\b(?:fix(?:e[sd])?|bug|crash|broken|wrong|incorrect|regression|handle|prevent|"
    r"avoid|leak|error|fail(?:s|ed|ure)?|issue|correct(?:ly)?)\b",
    re.IGNORECASE,
)
_TRAILER = re.compile(
    r"^\s*(?:[A-Z][\w-]*-by|co-authored-by|change-id|git-svn-id|cc|pr-url|reviewed|tested|"
    r"backport[\w-]*|cherry[\w -]*|see also|refs?|closes?|fix(?:es)?|resolves?|part of|issue|"
    r"bug|ticket|depends-on|differential revision|summary|test plan|\(cherry picked.*)\s*:.*$|"
    r"^\s*\(cherry picked .*$|^-{3,}$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(
    r"\(?\b(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|issue|pr|bug|gh|re)[ :]*)?"
    r"(?:[\w.-]+/[\w.-]+)?#\d+\)?|\bGH-?\d+|\b[A-Z]{2,8}-\d{2,6}\b|\b[0-9a-f]{8,40}\b",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://\S+")
_NAME = re.compile(
    r"`[^`\n]*`|(?:[\w.@+-]+/)+[\w.@+-]+|\b\w+\(\)|\b\w+(?:(?:\.|::|#|->)\w+)+|"
    r"\b[A-Za-z]+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z]+[a-z]+[A-Z]\w*\b"
)
_WORD = re.compile(r"[A-Za-z]{3,}")
_LONGEST = 4000
"""Characters of a message that are asked."""
_LEAST_WORDS = 3


def is_question(subject: str) -> bool:
    """Whether a subject says what should be otherwise in the code."""
    return not _SKIPPED.match(subject) and len(_WORD.findall(cleaned(subject))) >= _LEAST_WORDS


def is_fix(text: str) -> bool:
    """Whether a message speaks of something wrong."""
    return _FIX.search(text) is not None


def cleaned(text: str) -> str:
    """The message without trailers, numbers of reports, addresses; at most 4,000 characters."""
    text = _URL.sub("", _NUMBER.sub("", _TRAILER.sub("", text)))
    text = re.sub(r"[ \t]+", " ", text)
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text).strip(" \n\t.;:,-")[:_LONGEST]


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
    if bare != texts[first] and len(_WORD.findall(bare)) >= _LEAST_WORDS:
        found.append((f"{first} without names", bare))
    elif first == "whole" and chance.random() < 0.5:
        found.append(("subject", subject))
    return found
