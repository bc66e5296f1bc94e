"""Source text of a value or a type, read as an expression that the call graph can follow.

One reader for all languages: what it cannot follow (operators, literals, keywords it does not know)
becomes `NOTHING`. Expressions are tuples, so that equal ones are equal keys:

    ("name", x)              ("attr", of, name)        ("call", of, ((keyword or "", value), …))
    ("item", of, key)        ("list", (values…))       ("dict", ((key, value), …))
    ("either", (…))          ("text", "…")             ("star", of)
    ("each", of)             an element of `of`     ("slice", of, first, end)
    ("instance", of)         a value of the type `of`  ("items", of)   a collection of `of`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from satchel.indexer.callgraph.expressions import lexing

Expression = tuple[Any, ...]

NOTHING: Expression = ("nothing",)

_DOTTED = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_BEFORE = frozenset(
    "new await yield move mut ref out in & * - ! ... async go unsafe return + ~ <- checkNotNull"
    .split()
)  # fmt: skip
_OPAQUE = frozenset({"lambda", "|"})
_JOINTS = frozenset({".", "?.", "::", "->"})
_OR = frozenset({"or", "||", "??", "and", "&&", "?:"})
_ENDS = frozenset({")", "]", "}", ",", ";", "", "for", "else", ":", "=>"})
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_MAX_DEPTH = 25


@lru_cache(maxsize=1 << 16)
def read(text: str) -> Expression:
    """The expression that `text` is."""
    if _DOTTED.fullmatch(text):  # as most are
        head, *members = text.split(".")
        if head not in _BEFORE and head not in _OPAQUE:
            found: Expression = ("name", head)
            for name in members:
                found = ("attr", found, name)
            return found
    reader = _Reader(text)
    first = reader.expression()
    if reader.peek() == ",":
        return ("list", (first, *reader.rest(",", "")))
    return first


@lru_cache(maxsize=1 << 14)
def arguments(text: str) -> tuple[tuple[str, Expression], ...]:
    """(keyword or "", value) of an argument list in parentheses, in order."""
    reader = _Reader(text)
    if reader.peek() != "(":
        return ()
    reader.take()
    return reader.arguments()


def is_type(expression: Expression) -> bool:
    """Whether an expression says what a declared type holds."""
    if expression[0] == "either":
        return all(is_type(choice) for choice in expression[1])
    return expression[0] in ("instance", "items")


def declared(values: Sequence[Expression]) -> Sequence[Expression]:
    """What a place may hold: its declared types where it has any, else all it was given."""
    return [value for value in values if is_type(value)] or values


class _Reader:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, text: str) -> None:
        self._tokens = lexing.tokens(text)
        self._n_tokens = len(self._tokens)
        self._tokens += ("", "", "", "")  # what may be looked at behind the end
        self._at = 0
        self._depth = 0

    def peek(self, ahead: int = 0) -> str:
        """The token after `ahead` more (at most 3), "" at the end."""
        return self._tokens[self._at + ahead]

    def take(self) -> str:
        """The next token."""
        token = self._tokens[self._at]
        self._at += self._at < self._n_tokens
        return token

    def _kind(self) -> str:
        return lexing.kind(self._tokens[self._at])

    def expression(self) -> Expression:
        """Everything up to a comma, a closing bracket or the end."""
        self._depth += 1
        found = self._joined() if self._depth < _MAX_DEPTH else NOTHING
        self._depth -= 1
        self._skip()
        return found

    def _joined(self) -> Expression:
        first = self._value()
        token = self.peek()
        if token in _OR:
            self.take()
            return _either(first, self.expression())
        if token == "if":
            self.take()
            self._skip_to("else")
            return _either(first, self.expression())
        if token == "?":
            self.take()
            yes = self.expression()
            if self.peek() == ":":
                self.take()
                return _either(yes, self.expression())
            return first
        if token in ("=", ":="):
            self.take()
            return self.expression()
        return first if token in _ENDS or token in ("as", "satisfies") else NOTHING

    def _value(self) -> Expression:
        while self.peek() in _BEFORE:
            if self.take() in ("*", "**", "...") and self._kind() == "name":
                return ("star", self._value())
        return self._after(self._primary())

    def _primary(self) -> Expression:
        kind, token = self._kind(), self.take()
        if token in _OPAQUE:
            self._at = self._n_tokens
            return NOTHING
        if kind == "name":
            return ("name", token)
        if kind == "text":
            return ("text", "'" + token.lstrip("rbfuRBFU").strip("\"'`"))
        if kind == "number":
            return ("text", token)
        if token == "(":
            inside = self.rest("", ")")
            return inside[0] if len(inside) == 1 else ("list", inside)
        if token == "[":
            return self._list()
        if token == "{":
            return self._braces()
        return NOTHING

    def _list(self) -> Expression:
        first = self.expression() if self.peek() != "]" else NOTHING
        if self.peek() == "for":
            self._close("]")
            return ("list", (first,))
        inside = () if first == NOTHING and self.peek() == "]" else (first,)
        if self.peek() == ",":
            return ("list", (*inside, *self.rest(",", "]")))
        self._close("]")
        return ("list", inside)

    def _braces(self) -> Expression:
        pairs: list[tuple[Expression, Expression]] = []
        while self.peek() not in ("}", ""):
            key = self.expression()
            value = key
            if self.peek() == ":":
                self.take()
                value = self.expression()
            key = ("text", "'" + key[1]) if key[0] == "name" else key
            pairs.append((key, value))
            if self.peek() not in ("}", ""):
                self.take()
        self.take()
        return ("dict", tuple(pairs))

    def rest(self, before: str, closing: str) -> tuple[Expression, ...]:
        """Expressions up to `closing`; `before` is what stands before the first."""
        found: list[Expression] = []
        if before and self.peek() == before:
            self.take()
        while self.peek() not in (closing, ""):
            found.append(self.expression())
            if self.peek() != ",":
                break
            self.take()
        self._close(closing)
        return tuple(found)

    def _after(self, found: Expression) -> Expression:
        """What is done to a value: members, calls, items."""
        while found != NOTHING or self.peek() in _JOINTS:
            token = self.peek()
            if token in _JOINTS:
                found = self._member(found)
            elif token == "(":
                self.take()
                found = ("call", found, self.arguments())
            elif token == "[":
                self.take()
                found = self._item(found)
            elif token == "{" and found[0] in ("name", "attr"):
                self.take()
                self._close("}")
                found = ("call", found, ())
            elif not self._passed():
                break
        return found

    def _member(self, of: Expression) -> Expression:
        self.take()
        if self.peek() in ("(", "[", "{", "<"):
            return of
        name = self.take()
        return ("attr", of, name) if of != NOTHING else NOTHING

    def _passed(self) -> bool:
        """Go past what changes nothing: type arguments, `x!`, `x?`."""
        if self.peek() == "<":
            return self._generic()
        if self.peek() in ("!", "?") and (self.peek(1) in _JOINTS or self.peek(1) in ("", "(")):
            self.take()
            return True
        return False

    def _item(self, of: Expression) -> Expression:
        """An item or a slice, up to the closing bracket."""
        first = self.expression() if self.peek() != ":" else NOTHING
        if self.peek() == ":":
            self.take()
            end = self.expression() if self.peek() != "]" else NOTHING
            self._close("]")
            return ("slice", of, first, end)
        self._close("]")
        return ("item", of, first)

    def arguments(self) -> tuple[tuple[str, Expression], ...]:
        """Arguments up to the closing parenthesis, the opening one taken."""
        found: list[tuple[str, Expression]] = []
        while self.peek() not in (")", ""):
            keyword = ""
            if self._kind() == "name" and self.peek(1) in ("=", ":") and self.peek(2) != "=":
                keyword = self.take()
                self.take()
            found.append((keyword, self.expression()))
            if self.peek() != ",":
                break
            self.take()
        self._close(")")
        return tuple(found)

    def _generic(self) -> bool:
        """Skip type arguments, if that is what `<` begins."""
        depth, at = 0, self._at
        while at < self._n_tokens:
            token = self._tokens[at]
            depth += (token == "<") - (token == ">")
            at += 1
            if depth == 0:
                break
            if token in ("(", ")", "{", "}", ";", "&&", "||"):
                return False
        if depth or self._tokens[at] not in ("(", "::", "{", "."):
            return False
        self._at = at
        return True

    def _skip(self) -> None:
        """Go on to the next comma or closing bracket on this level."""
        while self.peek() not in _ENDS:
            self._skip_one()

    def _skip_to(self, token: str) -> None:
        while self.peek() not in (token, "", ")", "]", "}"):
            self._skip_one()
        if self.peek() == token:
            self.take()

    def _skip_one(self) -> None:
        token = self.take()
        if token in ("(", "[", "{"):
            self._close(_CLOSING[token])

    def _close(self, closing: str) -> None:
        """Go past `closing`, whatever stands before it."""
        while closing and self.peek() not in (closing, ""):
            self._skip_one()
        if closing:
            self.take()


def _either(first: Expression, second: Expression) -> Expression:
    choices = [e for e in (first, second) if e != NOTHING]
    return choices[0] if len(choices) == 1 else ("either", tuple(choices)) if choices else NOTHING
