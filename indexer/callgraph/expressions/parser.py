"""Text of a value, as extraction noted it, read as an expression that the call graph can follow.

One recursive descent for the expressions of all languages, over tokens: it knows names, members,
calls, items, literals of lists and dictionaries, and the operators that choose between two values.
What it cannot follow becomes `NOTHING`; there are no errors, since text is cut at 320 bytes.
docs/decisions/call_graph.md says why it reads text and not the syntax tree, and what it misses.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from satchel.indexer.callgraph.expressions.nodes import (
    NOTHING,
    Argument,
    Attribute,
    Beginning,
    Call,
    DictLiteral,
    Either,
    ElementOf,
    Expression,
    FirstOf,
    InstanceOf,
    Item,
    ListLiteral,
    Name,
    Nothing,
    Number,
    Returning,
    Selector,
    Slice,
    Spread,
    Text,
    Written,
    either,
    last_part,
)
from satchel.indexer.callgraph.expressions.tokens import (
    ARROWS,
    ASSIGNING,
    BEFORE_METHODS,
    BEFORE_TYPES,
    BEHIND_ANY,
    BETWEEN_VALUES,
    CHOICE_OPERATORS,
    CLOSING,
    ENDS,
    IN_TYPES,
    IS_NAME,
    JOINING,
    LAMBDAS,
    LAST_COUNTS,
    MAKING_TEXT,
    MEMBER_OPERATORS,
    NO_OPERATORS,
    PATH_OF_NAMES,
    QUOTES,
    TOKEN,
    begins_definition,
    behind_type_arguments,
    is_prefix,
    text_literal,
)
from satchel.indexer.callgraph.expressions.type_parser import parse_type
from satchel.indexer.languages.operators import ANY_OPERATOR, BINARY

_MAX_DEPTH = 25  # expressions in one another, of four frames each: no file exhausts the stack


@lru_cache(maxsize=1 << 16)
def parse_expression(text: str) -> Expression:
    """The expression that a text is; a list, where it has several with commas between them."""
    return _parsed(text, has_operators=False)


@lru_cache(maxsize=1 << 16)
def parse_operated(text: str) -> Expression:
    """As `parse_expression`; an operator, if there is one, is a call of the method that it runs."""
    if ANY_OPERATOR.search(text):
        return _parsed(text, has_operators=True)
    return parse_expression(text)


def _parsed(text: str, *, has_operators: bool) -> Expression:
    text = text.removeprefix("::").removesuffix(" _")  # Kotlin's and Scala's names of functions
    if text[:1] == "@":  # a variable of the instance, in Ruby
        text = "self." + text.lstrip("@")
    # A third of all texts are paths of names: no tokens need be made for them.
    if PATH_OF_NAMES(text):
        head, *members = text.replace("->", ".").replace("::", ".").split(".")
        if head not in LAMBDAS:
            found: Expression = Name(head)
            for name in members:
                found = Attribute(found, name)
            return found
    parser = _Parser(text, has_operators=has_operators)
    first = parser.expression()
    if parser.next == ",":
        parser.take()
        return ListLiteral((first, *parser.list_until("")))
    return first


@lru_cache(maxsize=1 << 14)
def parse_arguments(text: str) -> tuple[Argument, ...]:
    """The arguments in an argument list with its parentheses, in order."""
    parser = _Parser(text)
    return parser.arguments() if parser.take() == "(" else ()


class _Parser:
    """The tokens of one expression; `next` is the one that is read next, "" at the end."""

    def __init__(self, text: str, *, has_operators: bool = False) -> None:
        self._operators = BINARY if has_operators else {}
        self._tokens: list[str] = TOKEN.findall(text)
        self._n_tokens = len(self._tokens)
        self._tokens += ["", "", "", ""]  # so that looking ahead at the end needs no check
        self._at, self.next, self._depth = 0, self._tokens[0], 0
        self._types = ""  # the type arguments before what is next

    def peek(self, ahead: int) -> str:
        """The token after `ahead` more (at most 3), "" at the end."""
        return self._tokens[self._at + ahead]

    def take(self) -> str:
        """Go past the next token, which is returned."""
        token = self.next
        self._at += self._at < self._n_tokens
        self.next = self._tokens[self._at]
        return token

    def expression(self) -> Expression:
        """Everything up to a comma, a closing bracket or the end."""
        token = self.next  # a name alone, half of the time
        if self._tokens[self._at + 1] in BEHIND_ANY and IS_NAME(token) and token not in LAMBDAS:
            return Name(self.take())
        self._depth += 1
        found = self._choice() if self._depth < _MAX_DEPTH else NOTHING
        self._depth -= 1
        while self.next not in ENDS:
            self._skip()
        return found

    def _choice(self) -> Expression:
        """A value, or the values between which operators and conditions choose."""
        first = self._cast_behind(self._operated(self._value()))
        token = self.next
        if type(first) is Text and token in MAKING_TEXT and self.peek(1) not in ENDS:
            # What stands behind it is skipped by `expression`.
            return Beginning(first.text.partition("%")[0] if token == "%" else first.text)
        is_joined = token in JOINING and isinstance(first, ListLiteral | DictLiteral)
        if token in CHOICE_OPERATORS or is_joined:
            self.take()
            if self.next == "=":  # `a ||= b`
                self.take()
            return either((first, self.expression()))
        if token in LAST_COUNTS or token in ASSIGNING:
            self.take()
            return self.expression()
        if token == "if":  # Python's `a if condition else b`
            self.take()
            while self.next not in ("else", "", ")", "]", "}"):
                self._skip()
            if self.next == "else":
                self.take()
            return either((first, self.expression()))
        return self._after_condition(first)

    def _cast_behind(self, value: Expression) -> Expression:
        """A value with the types that it is cast to behind it: `x as T`."""
        while self.next == "as":
            self.take()
            value = _cast(value, self._type())
        return value

    def _operated(self, first: Expression) -> Expression:
        """A value with what operators behind it run, from left to right."""
        while self.next in self._operators and isinstance(first, Name | Attribute | Call | Item):
            if self.peek(1) in ENDS or self.peek(1) == self.next:
                break
            method = self._operators[self.take()]
            first = Call(Attribute(first, method), (Argument("", self._value()),))
        return first

    def _after_condition(self, first: Expression) -> Expression:
        """What `condition ? a : b` chooses between; `first`, where no condition follows it."""
        if self.next not in ENDS and self.next not in NO_OPERATORS:
            first = NOTHING  # any other operator makes a value of its own
            while self.next not in ENDS and self.next != "?":
                self._skip()
        if self.next != "?":
            return first
        self.take()  # the condition was read as the first value, and is dropped
        yes = self.expression()
        if self.next == ":":
            self.take()
            return either((yes, self.expression()))
        return first

    def _value(self) -> Expression:
        """A value with what is done to it: members, calls, items."""
        while is_prefix(self.next, self.peek(1)):
            if self.next == "-" and self.peek(1)[:1].isdigit():
                self.take()
                return Number(f"-{self.take()}")
            if self.next == "<-":  # what Go receives from a channel
                self.take()
                return ElementOf(self._value())
            prefix = self.take()
            if prefix == "try" and self.next in ("?", "!"):
                self.take()
            if prefix == "&" and self.next == ":":  # Ruby's `&:name`
                self.take()
                return Selector(self.take())
            if prefix in ("*", "**", "...") and IS_NAME(self.next):
                return Spread(self._value())
        return self._with_suffixes(self._primary())

    def _with_suffixes(self, found: Expression) -> Expression:
        while found is not NOTHING or self.next in MEMBER_OPERATORS:
            token = self.next
            if token in MEMBER_OPERATORS:
                found = self._member(found)
            elif token[:1] == "$" and IS_NAME(token):  # R's `a$b`
                found = Attribute(found, self.take()[1:])
            elif token == "(":
                self.take()
                types, self._types = self._types, ""
                found = _typed_call(Call(found, self.arguments()), types)
            elif token == "[":
                self.take()
                found = self._item(found)
            elif token == "{" and isinstance(found, Name | Attribute | Call):
                # `T{…}` of Go and Rust, and a call that is given a function behind it: `f() { … }`
                self.take()
                block = self._block()
                is_made = type(found) is not Call and last_part(found)[:1].isupper()
                given = () if is_made or block is NOTHING else (Argument("", block),)
                called = found if type(found) is Call else Call(found, ())
                found = Call(called.callee, (*called.arguments, *given))
            elif not self._pass_over():
                break
        return found

    def _pass_over(self) -> bool:
        """Go past what is done to no value, if it is next: type arguments, `x!`, `x?`."""
        if self.next == "<":
            at = behind_type_arguments(self._tokens, self._at)
            if at:
                self._types = _joined(self._tokens[self._at + 1 : at - 1])
                self._at, self.next = at, self._tokens[at]
            return at > 0
        after = self.peek(1)
        if self.next in ("!", "?") and (after in MEMBER_OPERATORS or after in ("", "(", "!")):
            self.take()
            return True
        return False

    def _block(self) -> Expression:
        """A function without a name that is written behind a call, past its end; NOTHING for a
        literal, and where it does more than to return a value."""
        if self.next == "|":
            self._parameters("|")
        elif self._tokens[self._at + 1] in ARROWS:
            self.take()
            self.take()
        found = self._choice() if self.next != "}" else NOTHING
        is_whole = self.next == "}"
        self._close("}")
        return Returning(found) if is_whole and found is not NOTHING else NOTHING

    def _parameters(self, end: str) -> None:
        """Go past the parameters of a function without a name, the first token of which is next."""
        self.take()
        while self.next not in (end, ""):
            self._skip()
        self.take()

    def _type(self) -> str:
        """The text of a type, up to what can be no part of it."""
        while self.next in ("?", "!"):  # `as? T`, `as! T`
            self.take()
        start, before = self._at, ""
        while self.next:
            at = behind_type_arguments(self._tokens, self._at, is_type=True)
            if at:
                self._at, self.next = at, self._tokens[at]
            elif self.next == "[":
                self._skip()
            elif self.next in IN_TYPES or (
                IS_NAME(self.next) and (not IS_NAME(before) or before in BEFORE_TYPES)
            ):
                before = self.take()
            else:
                break
        return _joined(self._tokens[start : self._at])

    def _primary(self) -> Expression:
        token = self.take()
        if token in LAMBDAS:
            self._at -= 1
            self._parameters(LAMBDAS[token])
            return self._function()
        if token[-1:] in QUOTES and len(token) > 1:
            return text_literal(token)
        if token == "\\":  # `\\.name`, `\\Type.name` of Swift; PHP names from the top so
            is_member = self.next == "." and self.take() == "."
            return Selector(self.take()) if is_member else self._primary()
        if begins_definition(token, self._tokens, self._at):
            return self._definition(token)
        if IS_NAME(token):
            if self.next not in ARROWS:
                return Name(token)
            self.take()
            return self._function()
        if token[:1].isdigit():
            return Number(token)
        opened = _OPENED_BY.get(token)
        return opened(self) if opened else NOTHING

    def _parentheses(self) -> Expression:
        """A value in parentheses, several, what a generator gives, or an arrow's parameters."""
        start = self._at
        first = self.expression() if self.next != ")" else NOTHING
        inside: tuple[Expression, ...] = ()
        is_one = self.next == ")" and self._tokens[self._at - 1] != "("
        is_generator = self.next == "for"
        if self.next == ",":
            self.take()
            inside = (first, *self.list_until(")"))
        else:
            self._close(")")
        if self.next in ARROWS:
            self.take()
            return self._function()
        if is_one and not inside:
            cast_to = self._tokens[start : self._at - 1]
            if self._is_cast(cast_to):
                return _cast(self._value(), _joined(cast_to))
            return first.of if type(first) is Spread else first  # `(*pointer)`
        return ListLiteral((first,) if is_generator else inside)

    def _is_cast(self, inside: Sequence[str]) -> bool:
        """Whether tokens in parentheses are the type to which what is next is cast: `(T) x`."""
        is_value = bool(IS_NAME(self.next)) and self.next not in BETWEEN_VALUES
        is_pointer = inside[-1] == "*" and self.next in ("(", "&", "*")
        is_type = inside[-1] in ("*", ">", "]") or inside[-1][:1].isupper()
        is_path = all(each in IN_TYPES or IS_NAME(each) or each in "<>[]," for each in inside)
        return is_type and is_path and (is_value or is_pointer)

    def _function(self) -> Expression:
        """The function without a name whose result is next; a body in braces is gone past."""
        if self.next == "{":
            self._skip()
            return NOTHING
        found = self.expression()
        return Returning(found) if found is not NOTHING else NOTHING

    def _definition(self, keyword: str) -> Expression:
        """A function or class of JavaScript that is written as a value, past its body."""
        if self.next == "*":
            self.take()
        is_named = bool(IS_NAME(self.next)) and self.next != "extends"
        found = Written(self.take()) if is_named else NOTHING
        while self.next not in ("{", *ENDS) or (keyword == "class" and self.next == ")"):
            self._skip()
        if self.next == "{":
            self._skip()
        return found

    def _literal_part(self) -> Expression:
        """What stands in a literal, or in a pattern with what it holds where it gets nothing."""
        if IS_NAME(self.next) and self.peek(1) == "=":
            name = Name(self.take())
            self.take()
            return Either((name, self.expression()))
        return self.expression()

    def _list(self) -> Expression:
        if self._is_message():
            return self._message()
        first = self._literal_part() if self.next != "]" else NOTHING
        if self.next == "for":
            # A comprehension: extraction notes what it loops over as a flow of the bound name.
            self._close("]")
            return ListLiteral((first,))
        inside = () if first is NOTHING and self.next == "]" else (first,)
        if self.next == ",":
            self.take()
            return ListLiteral((*inside, *self.list_until("]", self._literal_part)))
        self._close("]")
        return ListLiteral(inside)

    def _is_message(self) -> bool:
        """Whether a bracket that was taken begins a message of Objective-C: `[a b]`, `[a b:…]`."""
        at, tokens = self._at, self._tokens
        if tokens[at] == "[":
            depth = 1
            while depth and tokens[at]:
                at += 1
                depth += (tokens[at] == "[") - (tokens[at] == "]")
        elif not IS_NAME(tokens[at]) or is_prefix(tokens[at], tokens[at + 1]):
            return False
        while tokens[at + 1] == "." and tokens[at + 2]:
            at += 2
        name = tokens[at + 1] if tokens[at] else ""
        return bool(IS_NAME(name)) and name not in ENDS and tokens[at + 2] in ("]", ":")

    def _message(self) -> Expression:
        """What a message is sent to, and its name up to the first colon, which is the method's."""
        found = Call(Attribute(self._value(), self.take()), ())
        self._close("]")
        return found

    def _braces(self) -> Expression:
        """A dictionary, a set, or a JavaScript object, whose bare keys are texts."""
        pairs: list[tuple[Expression, Expression]] = []
        while self.next not in ("}", ""):
            key, value = self._pair()
            if self.next == "for":  # a comprehension, whose key is computed
                self._close("}")
                return DictLiteral(((NOTHING, value),))
            pairs.append((Text(key.name) if type(key) is Name else key, value))
            if self.next not in ("}", ""):
                self.take()  # a comma, or a token that was not understood
        self.take()
        return DictLiteral(tuple(pairs))

    def _pair(self) -> tuple[Expression, Expression]:
        """A key and its value; of a method, and perhaps of a function, what is written there."""
        if self.next in BEFORE_METHODS and IS_NAME(self.peek(1)):
            self.take()
        if IS_NAME(self.next) and self.peek(1) == "(":
            name = Name(self.take())
            self.take()
            called: Expression = Call(name, self.arguments())
            is_method = self.next == "{"
            if is_method:
                self._skip()
            else:
                called = self._with_suffixes(called)
            return (name, Written(name.name)) if is_method else (called, called)
        is_key = IS_NAME(self.next) and self.peek(1) == ":"  # whatever else it means
        key = value = Name(self.take()) if is_key else self._literal_part()
        if self.next == ":":
            self.take()
            value = self._literal_part()
        if type(key) is Either and key is value:  # `{ name = default }`
            key = key.choices[0]
        elif isinstance(key, Name | Text) and isinstance(value, Nothing | Returning):
            value = Written(key.name if isinstance(key, Name) else key.text)
        return key, value

    def list_until(
        self, closing: str, part: Callable[[], Expression] | None = None
    ) -> tuple[Expression, ...]:
        """Expressions with commas between them up to `closing`, "" for the end of the text."""
        found: list[Expression] = []
        while self.next not in (closing, ""):
            found.append(part() if part else self.expression())
            if self.next != ",":
                break
            self.take()
        self._close(closing)
        return tuple(found)

    def _member(self, of: Expression) -> Expression:
        is_dot = self.take() == "."
        if is_dot and self.next == ".":  # Dart's cascade, whose value is what it begins with
            self.take()
            self.take()
            if self.next == "(":
                self._skip()
            return of
        if is_dot and self.next == "(" and self.peek(1) != "type":
            return self._asserted()
        if self.next in ("(", "[", "{", "<"):
            return of  # `x?.[key]`, `x::<T>()`, `x.{…}`: what follows is done to x itself
        name = self.take()  # "" at the end of a text that was cut: a member nothing has
        return Attribute(of, name) if of is not NOTHING else NOTHING

    def _asserted(self) -> Expression:
        """An instance of the type that Go asserts: `x.(*T)`."""
        self.take()
        asserted = self.expression()
        asserted = asserted.of if type(asserted) is Spread else asserted
        self._close(")")
        return InstanceOf(asserted) if isinstance(asserted, Name | Attribute) else NOTHING

    def _item(self, of: Expression) -> Expression:
        """An item or a slice, up to the closing bracket."""
        first = self.expression() if self.next != ":" else NOTHING
        if self.next == ":":
            self.take()
            end = self.expression() if self.next != "]" else NOTHING
            self._close("]")
            return Slice(of, first, end)
        self._close("]")
        return InstanceOf(first) if last_part(of) == "asInstanceOf" else Item(of, first)

    def arguments(self) -> tuple[Argument, ...]:
        """Arguments up to the closing parenthesis, the opening one taken."""
        found: list[Argument] = []
        while self.next not in (")", ""):
            keyword = ""
            # `name=` of Python, `name:` of Swift, Ruby and C#, but no `name == value`
            is_keyword = self.peek(1) in ("=", ":") and self.peek(2) != "="
            if is_keyword and IS_NAME(self.next):
                keyword = self.take()
                self.take()
            elif self.next == "**":
                keyword = self.take()
            is_function = self.next == "_" and self.peek(1) == "."  # Scala's `_.name`
            value = self.expression()
            value = Returning(value) if is_function else value
            is_generator = self.next == "for"  # which needs no parentheses of its own
            found.append(Argument(keyword, ListLiteral((value,)) if is_generator else value))
            if self.next != ",":
                break
            self.take()
        self._close(")")
        return tuple(found)

    def _skip(self) -> None:
        """Go past a token, and past all that it opens."""
        token = self.take()
        if token in ("(", "[", "{"):
            self._close(CLOSING[token])

    def _close(self, closing: str) -> None:
        """Go past `closing`, whatever stands before it; "" closes nothing."""
        while closing and self.next not in (closing, ""):
            self._skip()
        if closing:
            self.take()


def _joined(tokens: Sequence[str]) -> str:
    """The text of tokens, with blanks only where two words would become one."""
    found = ""
    for token in tokens:
        found += f" {token}" if IS_NAME(found[-1:]) and IS_NAME(token) else token
    return found


def _cast(value: Expression, to: str) -> Expression:
    """A value that is said to be of a type."""
    told = parse_type(to)
    return value if told is NOTHING else FirstOf((told, value) if value is not NOTHING else (told,))


def _typed_call(call: Call, types: str) -> Expression:
    """A call that is given a type, of which its result is an instance if nothing else is known:
    `get<T>()`, `static_cast<T*>(p)`. A class that is made with types may be a collection."""
    if not types:
        return call
    if type(call.callee) is Name and call.callee.name[:1].isupper():
        told = parse_type(f"{call.callee.name}<{types}>")
        return call if type(told) is InstanceOf else FirstOf((call, told))
    told = parse_type(types) if "," not in types or "<" in types else NOTHING
    return FirstOf((call, told)) if told is not NOTHING else call


_OPENED_BY = {"(": _Parser._parentheses, "[": _Parser._list, "{": _Parser._braces}
