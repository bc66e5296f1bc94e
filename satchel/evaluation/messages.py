"""Messages of commits as questions: which of them ask for a change, and in which words. Pure."""

import re

_SKIPPED = re.compile(
    r"^\W*(?:merge|revert|bump|release|releas|version\b|v?\d+\.\d+|prepare|upgrade|downgrade|"
    r"lint|format|reformat|style|typos?\b|whitespace|clippy|fmt\b|rustfmt|prettier|black\b|ruff|"
    r"changelog|readme|docs?\b|documentation|copyright|license|spelling|wip\b|squash|fixup!|"
    r"update (?:[\w-]+ ){0,2}(?:deps\b|dependenc|requirements)|"
    r"update (?:dep|change|read|version|copyright|submodule|translat|snapshot)|"
    r"\[?(?:chore|build|ci|docs?|style|test|tests|release|refactor\(test)\b|add(?:ed)? tests?\b|"
    r"fix(?:e[sd])?:? (?:a |some |more |minor )?(?:typos?|spelling|grammar|lint|format)|"
    r"\[?pre-commit|auto-?fix|auto-?commit|initial commit|code cleanup|cleanups?$|backport|cherry)",
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
_WORD = re.compile(r"[A-Za-z]{3,}")
_LONGEST = 4000
"""Characters of a message that are asked."""
_LEAST_WORDS = 3
SUFFIXES = tuple(
    ".py .js .jsx .mjs .cjs .ts .tsx .go .rs .java .kt .scala .c .h .cc .cpp .cxx .hpp .cs .rb .php"
    " .swift .ex .exs .hs .lua .sh .bash .zig".split()
)
"""Suffixes of files whose changes count as changes of code."""


def is_question(subject: str) -> bool:
    """Whether a subject says what should be otherwise in the code."""
    return not _SKIPPED.match(subject) and has_words(cleaned(subject))


def has_words(text: str) -> bool:
    """Whether there are enough words: two of them ask for nothing that could be found."""
    return len(_WORD.findall(text)) >= _LEAST_WORDS


def is_fix(text: str) -> bool:
    """Whether a message speaks of something wrong."""
    return _FIX.search(text) is not None


def cleaned(text: str) -> str:
    """The message without trailers, numbers of reports, addresses; at most 4,000 characters."""
    # Patterns that look behind many blank lines take time by their square.
    text = _URL.sub("", _NUMBER.sub("", _TRAILER.sub("", text[: 2 * _LONGEST])))
    text = re.sub(r"[ \t]+", " ", text)
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text).strip(" \n\t.;:,-")[:_LONGEST]
