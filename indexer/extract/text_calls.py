"""Calls in code without a grammar: names that brackets follow, and names of the file's functions.

Not read: imports, values, and what a language writes in another way than most.
"""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache

from satchel.indexer.extract.references import RESULT, enclosing
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.outlines.lines import BEHIND, CONTROL, KEPT, WIDTH, is_comment
from satchel.store.model import CLASS_LIKE, FUNCTIONS, Reference, ReferenceKind, Symbol

_BLOCK = re.compile(r'"""[^"]*(?:"{1,2}[^"]+)*"""|/\*[^*]*(?:\*+[^*/]+)*\*+/')
"""Texts and comments of several lines."""
_LEFT_OUT = re.compile(r'"(?:[^"\\]|\\.)*"|' rf"'(?:[^'\\]|\\.){{2,}}'|{BEHIND}")
"""What is no code, within a line."""
_NAME = re.compile(
    r"(?<![\w$@])(\.|::|->)?((?:[^\W\d][\w$]*(?:\.|::|->))*)"
    r"([^\W\d][\w$-]*[\w$?!]|[^\W\d])(?:(!?\()|(:(?!:)))?"
).findall
"""What stands before, receiver, name, the bracket of a call, the colon behind a key."""
_Find = Callable[[str], Iterator[re.Match[str]]]
_BRACKETED = re.compile(r"[(<\[]|\s*(?::[^(]*)?:?=|\s*<-").match
_IS_CONTROL = re.compile(rf"(?:{CONTROL})\b").match


def calls(source: Source, symbols: Sequence[Symbol], uses: str = "") -> tuple[Reference, ...]:
    """Calls in source order, each once for the symbol around it; `symbols` are all of the file.

    `uses` is a pattern for those that no brackets follow.
    """
    others = re.compile(uses).finditer if uses else None
    text = source.text(0, len(source.data))
    lines = _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n")
    starts = [*source.line_starts, len(source.data)][: len(lines)]
    own = {each.name for each in symbols if each.kind in FUNCTIONS and not _is_bracketed(each)}
    defined = {(each.line, each.name) for each in symbols}
    found: dict[tuple[int, str, str], Reference] = {}
    for number, (raw, scope) in enumerate(zip(lines, enclosing(starts, symbols), strict=True), 1):
        line = raw[:WIDTH]
        if not own and "(" not in line and not others:
            continue
        around = symbols[scope] if scope >= 0 else None
        # What stands in a class outside of its methods most often declares something.
        if is_comment(line.strip()) or (around and around.kind in CLASS_LIKE):
            continue
        for name, receiver in _named(line, own, others):
            is_itself = not receiver and around and name == around.name
            if (number, name) not in defined and not is_itself:
                found.setdefault(
                    (scope, name, receiver),
                    Reference(name, receiver, ReferenceKind.CALL, scope, number),
                )
    return tuple(found.values())


def _named(line: str, own: Container[str], others: _Find | None) -> Iterator[tuple[str, str]]:
    """The name of each use in a line, and what stands before it."""
    code, names = _names(line)
    for match in others(code) if others else ():
        yield match["name"], match.groupdict().get("of") or ""
    for behind, of, name, call, key in names:
        if (call or (name in own and not key)) and not _IS_CONTROL(name):
            # What stands behind a call is a member of what that gives.
            yield name, RESULT if behind else of.rstrip(".:->")


@lru_cache(KEPT)
def _names(line: str) -> tuple[str, list[tuple[str, ...]]]:
    """The code of a line, and what may be a use in it."""
    code = _LEFT_OUT.sub('""', line)
    return code, _NAME(code)


def _is_bracketed(symbol: Symbol) -> bool:
    """Whether brackets stand behind the name of a function, as they do in its calls then."""
    return any(map(_BRACKETED, symbol.signature.split(symbol.name)[1:]))
