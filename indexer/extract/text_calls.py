"""Calls in code without a grammar: names that brackets follow, and names of the file's functions.

Not read: imports, values, and what a language writes in another way than most.
"""

import re
from collections.abc import Sequence

from satchel.indexer.extract.references import RESULT, enclosing
from satchel.indexer.extract.source import Source
from satchel.indexer.languages.outlines.lines import BEHIND, CONTROL, WIDTH, is_comment
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
_BRACKETED = re.compile(r"[(<\[]|\s*(?::[^(]*)?:?=|\s*<-").match
_IS_CONTROL = re.compile(rf"(?:{CONTROL})\b").match


def calls(source: Source, symbols: Sequence[Symbol]) -> tuple[Reference, ...]:
    """Calls in source order, each once for the symbol around it; `symbols` are all of the file."""
    text = source.text(0, len(source.data))
    lines = _BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n")
    starts = [source.line_start(number) for number in range(1, len(lines) + 1)]
    own = {each.name for each in symbols if each.kind in FUNCTIONS and not _is_bracketed(each)}
    defined = {(each.line, each.name) for each in symbols}
    found: dict[tuple[int, str, str], Reference] = {}
    for number, (raw, scope) in enumerate(zip(lines, enclosing(starts, symbols), strict=True), 1):
        line = raw[:WIDTH]
        if not own and "(" not in line:
            continue
        around = symbols[scope] if scope >= 0 else None
        # What stands in a class outside of its methods most often declares something.
        if is_comment(line.strip()) or (around and around.kind in CLASS_LIKE):
            continue
        for behind, of, name, call, key in _NAME(_LEFT_OUT.sub('""', line)):
            is_use = call or (name in own and not key)
            if not is_use or _IS_CONTROL(name) or (number, name) in defined:
                continue
            # What stands behind a call is a member of what that gives.
            receiver = RESULT if behind else of.rstrip(".:->")
            if receiver or not around or name != around.name:
                found.setdefault(
                    (scope, name, receiver),
                    Reference(name, receiver, ReferenceKind.CALL, scope, number),
                )
    return tuple(found.values())


def _is_bracketed(symbol: Symbol) -> bool:
    """Whether brackets stand behind the name of a function, as they do in its calls then."""
    return any(map(_BRACKETED, symbol.signature.split(symbol.name)[1:]))
