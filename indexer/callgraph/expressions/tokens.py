"""The tokens of expressions in all languages, and what each of them means to the parser."""

import re
from collections.abc import Sequence

from satchel.indexer.callgraph.expressions.nodes import Beginning, Text

# The most frequent first. Nothing that has begun is tried again in another way.
TOKEN = re.compile(
    r"[(),\[\]{}]"
    r"|[rbfuRBFU]{0,2}(?:\"\"\".*?\"\"\"|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|`[^`]*+`"
    r"|'[^'\\]*+(?:\\.[^'\\]*+)*+')"
    r"|\d[\w.]*+"
    # `Stack$new` of R has a member, `fs$1` and `_$read` are names.
    r"|[#@$]*+[^\W\d]\w*+(?:(?:\$(?![^\W\d_])|(?<=_)\$)\w*+)*+|\$\d"
    # Blanks tell the arrow of a function from C's and PHP's member.
    r"|\s->(?=\s)|\.\.\.|\?\.|::|->|=>|<-|:=|\*\*|==|!=|<=|>=|&&|\|\||\?\?|\S",
    re.DOTALL,
)
IS_NAME = re.compile(r"[#@$]*[^\W\d][\w$]*|\$\d").fullmatch
QUOTES = ('"', "'", "`")
PATH_OF_NAMES = re.compile(
    r"\$?[^\W\d]\w*+(?:(?:\.|->|::)[^\W\d]\w*+)*+|[^\W\d][\w$]*+(?:\.[^\W\d][\w$]*+)*+"
).fullmatch
PREFIXES = frozenset(
    "new await yield try clone move mut ref out in & * ** - ! ... async go unsafe return + ~ <-"
    " checkNotNull".split()
)  # fmt: skip
"""What stands before a value that is followed as if it did not."""
LAMBDAS = {"lambda": ":", "|": "|"}
"""What begins a function without a name, which is no definition, and what ends its parameters."""
ARROWS = frozenset({"=>", " ->"})
"""Between the parameters of a function without a name and what it returns."""
BEFORE_TYPES = frozenset({"struct", "const", "dyn", "unsigned", "mut"})
IN_TYPES = frozenset({".", "::", "\\", "*", "&", "|", "?"})
"""What stands in a type beside names, and what is in brackets."""
BETWEEN_VALUES = frozenset(
    "if else for in is as and or not instanceof when unless of to do".split()
)
"""Words behind a value in parentheses that do not begin another one."""
DEFINING = frozenset({"function", "class"})
MEMBER_OPERATORS = frozenset({".", "?.", "::", "->"})
CHOICE_OPERATORS = frozenset({"or", "||", "??", "?:"})
JOINING = frozenset({"+", "|"})
"""Behind a list or a dictionary: what is joined has the parts of both."""
MAKING_TEXT = frozenset({"+", "%"})
"""Behind a text: the result begins with it."""
ASSIGNING = frozenset({"=", ":="})
"""`a = b` is b, also within an argument."""
LAST_COUNTS = frozenset({"and", "&&"})
"""The right side is the value: where it is the left one, that is false and no function."""
ENDS = frozenset({")", "]", "}", ",", ";", "", "for", "else", ":", "=>"})
BEHIND_ANY = frozenset({")", "]", "}", ",", ""})
"""Those that end an expression of any kind."""
BEFORE_METHODS = frozenset({"get", "set", "async", "static"})
NO_OPERATORS = frozenset({"?", "as", "satisfies", "{"})
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def text_literal(token: str) -> Text | Beginning:
    """A literal of text, or the beginning of one that values are put into."""
    inside = token.lstrip("rbfuRBFU")
    mark = "{" if "f" in token[: len(token) - len(inside)].lower() else "${"
    text = inside.strip("\"'`")
    is_template = (mark == "{" or inside[0] == "`") and mark in text
    return Beginning(text.partition(mark)[0]) if is_template else Text(text)


def is_prefix(word: str, after: str) -> bool:
    """Whether a token stands before a value: a keyword of a language may be a name in another, as
    in `f(out)` and `ref.x`."""
    if word not in PREFIXES:
        return False
    ends = after in ENDS or after in ASSIGNING or after in MEMBER_OPERATORS or after == "["
    return not ((ends or (word == "new" and after == "(")) and IS_NAME(word))  # Ruby's `new(…)`


def begins_definition(word: str, tokens: Sequence[str], at: int) -> bool:
    """Whether a word before a position begins a definition of JavaScript or PHP: `function` may be
    a name, and behind its parentheses stands no body then."""
    if word not in DEFINING:
        return False
    if tokens[at] != "(":
        return tokens[at] in ("*", "{") or bool(IS_NAME(tokens[at]))
    depth = 0
    while tokens[at]:  # a text that was cut ends before they do
        depth += (tokens[at] == "(") - (tokens[at] == ")")
        at += 1
        if depth == 0:
            return tokens[at] in ("{", ":", "use", "<")
    return True


def behind_type_arguments(tokens: Sequence[str], at: int, *, is_type: bool = False) -> int:
    """The position behind the type arguments that the `<` at a position begins; 0 where it begins
    none. A comparison is told from them by what follows the `>`, and not by what precedes, except
    in what is known to be a type."""
    depth = 0
    if tokens[at] != "<":
        return 0
    while tokens[at]:
        token = tokens[at]
        depth += (token == "<") - (token == ">")
        at += 1
        if depth == 0:
            return at if is_type or tokens[at] in ("(", "::", "{", ".") else 0
        if token in ("(", ")", "{", "}", ";", "&&", "||"):
            return 0
    return 0
