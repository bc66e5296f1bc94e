"""Operators that run a method of what they stand beside, by the references of the languages.

Python asks the value on the right too, and its operators are calls. Those of other languages are
read as a property is: where nothing in the tree defines such a method, none is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

BINARY = {
    "+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "%": "__mod__",
    "@": "__matmul__", "&": "__and__", "|": "__or__", "^": "__xor__", "**": "__pow__",
}  # fmt: skip
"""Those that stand between two values, as the parser of values reads them too."""
ANY_OPERATOR = re.compile("[" + re.escape("".join(sorted(set("".join(BINARY))))) + "]")
"""A character of one of these."""
_OTHERS = {
    "//": "__floordiv__", "<<": "__lshift__", ">>": "__rshift__",
    "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__",
    "in": "__contains__", "not in": "__contains__", "[": "__getitem__",
}  # fmt: skip
_METHODS = BINARY | _OTHERS
_SIGNS = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_STORING = "__setitem__"


def method_of(operator: str, *, is_sign: bool, is_reflected: bool, is_stored: bool) -> str:
    """The method that an operator runs; "" for one that runs none.

    `is_sign` where it stands before its only value, `is_reflected` where the value on its right is
    asked, `is_stored` where what it gives is assigned to.
    """
    if is_sign:
        return _SIGNS.get(operator, "")
    # `a += b`: an operator with a sign behind it that is none itself.
    is_in_place = operator.endswith("=") and operator not in _METHODS
    found = _METHODS.get(operator[:-1] if is_in_place else operator, "")
    if found and operator == "[" and is_stored:
        return _STORING
    mark = "r" if is_reflected else "i" if is_in_place else ""
    return f"__{mark}{found[2:]}" if found else ""


RUN_BY_OPERATORS = frozenset(
    {*_METHODS.values(), *_SIGNS.values(), _STORING}
    | {f"__{mark}{name[2:]}" for mark in "ri" for name in _METHODS.values()}
)
"""Every name that `method_of` gives."""


@dataclass(frozen=True, slots=True)
class Operators:
    """The methods that the operators of a language run of the value that stands before them."""

    methods: Mapping[str, str] = field(hash=False, default_factory=dict)
    """By operator; several with blanks between them."""
    names: frozenset[str] = frozenset()
    setter: str = ""
    """What the names of methods end with that run where a member is assigned to."""
    streaming: tuple[str, ...] = ()
    """Those of which the value behind them says what they are: they are no members of it."""

    @classmethod
    def of(
        cls, methods: Mapping[str, str], setter: str = "", streaming: tuple[str, ...] = ()
    ) -> Operators:
        """Operators with these methods."""
        return cls(methods, frozenset(" ".join(methods.values()).split()), setter, streaming)

    def run_by(self, operator: str, *, is_sign: bool, is_stored: bool) -> list[str]:
        """The methods that an operator may run: before its only value, or in what is assigned."""
        key = f"{_SIGN}{operator}" if is_sign else f"{operator}=" if is_stored else operator
        return self.methods.get(key, "").split()


NO_OPERATORS = Operators()
_SIGNS_BETWEEN = "+ - * / % == < <= > >= & | ^ << >>".split()
_INDEX, _STORED, _SIGN = "[", "[=", "sign "
"""Before what an item is asked for by, or is given; before an operator with one value."""


def _named(before: str, *, is_in_place: bool = False, more: str = "") -> dict[str, str]:
    """The methods of a language that calls them as their operators; in `a += b` that of `+` runs,
    unless it has one of its own."""
    own = {sign: before + sign for sign in (*_SIGNS_BETWEEN, *more.split())}
    runs = {f"{sign}=": f"{own[sign]}=" if is_in_place else own[sign] for sign in "+-*/%"}
    return own | runs


def _signs(signs: str, before: str = "", after: str = "") -> dict[str, str]:
    """The methods of operators with one value."""
    return {f"{_SIGN}{sign}": f"{before}{sign}{after}" for sign in signs.split()}


CSHARP = Operators.of(
    {
        **_named("", more="!="), **_signs("- ! ~ ++ --"), _INDEX: "this", _STORED: "this",
        "foreach": "GetEnumerator", "using": "Dispose DisposeAsync", "(": "Deconstruct",
    }
)  # fmt: skip
DART = Operators.of(
    {**_named("", more="~/"), **_signs("-"), _INDEX: "[]", _STORED: "[]=", "in": "iterator"}
)
RUBY = Operators.of(
    {
        **_named("", more="<=> ** =~ ==="), **_signs("- + ! ~", after="@"), _INDEX: "[]",
        _STORED: "[]=", "for": "each", "#{": "to_s",
    },
    setter="=",
)  # fmt: skip
SWIFT = Operators.of(
    {
        **_named("", is_in_place=True, more="! ** <> ... ..<"), **_signs("- ! ~ +"),
        _INDEX: "subscript", _STORED: "subscript", "for": "makeIterator",
    }
)  # fmt: skip
CPP = Operators.of(
    {
        **_named("operator", is_in_place=True, more="!="), **_signs("- ! ~ ++ --", "operator"),
        _INDEX: "operator[]", ":": "begin end",
    },
    streaming=("operator<<", "operator>>"),
)  # fmt: skip
KOTLIN = Operators.of(
    {
        "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "in": "contains",
        "!in": "contains", "+=": "plusAssign plus", "-=": "minusAssign minus",
        "*=": "timesAssign times", "/=": "divAssign div", "%=": "remAssign rem",
        **dict.fromkeys(("<", ">", "<=", ">="), "compareTo"), "==": "equals", "!=": "equals",
        "..": "rangeTo", "for": "iterator", "(": "component1 component2", "by": "getValue",
        "sign !": "not", "sign ++": "inc", "sign --": "dec",
        "sign -": "unaryMinus", _INDEX: "get", _STORED: "set",
    }
)  # fmt: skip
GROOVY = Operators.of(
    {
        "+": "plus", "-": "minus", "*": "multiply", "/": "div", "%": "mod", _INDEX: "getAt",
        _STORED: "putAt",
    }
)  # fmt: skip
SCALA = Operators.of(
    {
        "(": "apply", "(=": "unapply", "=": "update", "for": "foreach", "yield": "map",
        "yield=": "flatMap", "if": "withFilter", **_signs("- + ! ~", "unary_"),
        **{sign: sign for sign in "< > <= >= :: ::: +:".split()},
    },
    setter="_=",
)  # fmt: skip
"""An object is called by its name, and takes apart what a pattern of that name is tried on."""
PHP = Operators.of(
    {
        _INDEX: "offsetGet", _STORED: "offsetSet", "unset": "offsetUnset", "count": "count",
        "foreach": "getIterator", "clone": "__clone", "json_encode": "jsonSerialize",
        "iterator_to_array": "getIterator",
        **dict.fromkeys(('"', "string", "strval"), "__toString"),
    }
)  # fmt: skip
JAVA = Operators.of({"for": "iterator"})
LUA = Operators.of(
    {
        "+": "__add", "-": "__sub", "*": "__mul", "/": "__div", "%": "__mod", "^": "__pow",
        "..": "__concat", "==": "__eq", "~=": "__eq", "<": "__lt", ">": "__lt", "<=": "__le",
        ">=": "__le", "sign -": "__unm", "sign #": "__len", "tostring": "__tostring",
    }
)  # fmt: skip
RUST = Operators.of(
    {
        "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "==": "eq", "!=": "eq",
        "|": "bitor", "&": "bitand", "<<": "shl", ">>": "shr", "+=": "add_assign",
        "-=": "sub_assign", "*=": "mul_assign", "/=": "div_assign", "|=": "bitor_assign",
        "&=": "bitand_assign", **dict.fromkeys(("<", ">", "<=", ">="), "partial_cmp"),
        "sign -": "neg", "sign !": "not", "sign *": "deref", "for": "into_iter next",
        "into": "from", "try_into": "try_from", "parse": "from_str", "to_string": "fmt",
        _INDEX: "index index_mut",
    }
)  # fmt: skip
PYTHON = Operators.of(
    {
        "del": "__delitem__", "len": "__len__", "str": "__str__",
        "repr": "__repr__", "bool": "__bool__", "iter": "__iter__", "next": "__next__",
        "hash": "__hash__", "reversed": "__reversed__", "int": "__int__", "float": "__float__",
        "abs": "__abs__", "round": "__round__", "bytes": "__bytes__", "dir": "__dir__",
        "with": "__enter__ __exit__", "async": "__aenter__ __aexit__", "await": "__await__",
        "async=": "__aiter__ __anext__",
        **dict.fromkeys(
            "list tuple set sorted sum enumerate dict from ,".split(), "__iter__"
        ),
    }
)  # fmt: skip
"""What runs a method in Python and asks one value alone."""
