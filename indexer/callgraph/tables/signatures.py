"""Parameters of functions, read from their signatures as text."""

import re
from functools import lru_cache

from satchel.indexer.callgraph.tables.bindings import Definition
from satchel.store.reading.parameters import end_of_list, split_at_commas

_LAMBDA = re.compile(r"=\s*lambda\b([^:]*)")
_LAST_WORD = re.compile(r"(\$?[^\W\d]\w*)[\s\[\]]*$")
_PARAMETER = re.compile(
    r"\s*(?:(?:public|private|protected|readonly|final|mut|this)\s+)*(\*{0,2}|\.{3}|&)([^\W\d][\w$]*)"
)
_GO_METHOD = "func ("
_GO_NAMED = re.compile(r"(?!func\b|chan\b|map\b|struct\b|interface\b)[^\W\d]\w* \S")
"""A parameter of Go with its name."""
_WORD = re.compile(r"\w+")
_TYPE_NAME = re.compile(r"[^\W\d][\w.]*(?:::[\w.]+)*")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_TYPE = rf"{_TYPE_NAME.pattern}(?:{_TYPE_ARGUMENTS.pattern})?"
_BOUND = re.compile(
    rf"\b(\w+)\s*(?:(?<!:):(?!:)|<:|\bextends\b)\s*(?=({_TYPE}(?:\s*[&+,]\s*{_TYPE})*))"
)
_GO_TYPES = re.compile(r"(?:func|type) \w+\[([^\[\]]*)\]")
_GO_BOUND = re.compile(rf"(\w+(?:, \w+)*) ({_TYPE})")
_PACKAGE = re.compile(r"\b\w+\.(?=\w)")


def parameter_names(function: Definition) -> tuple[str, ...]:
    """The names of a function's parameters in order, as its signature lists them.

    One that takes the rest keeps a star, one that takes the other keywords two. What JavaScript
    takes apart is called by its pattern; another pattern has no name ("").
    """
    if function.file.rules.type_before_name:
        return _last_words(function.signature)
    return _first_words(function.signature)


def has_parameter(function: Definition, name: str) -> bool:
    """Whether a function has a parameter called so, whatever stars it has."""
    names = parameter_names(function)
    return bool(names) and (name in names or f"*{name}" in names or f"**{name}" in names)


@lru_cache(maxsize=1 << 14)
def bounds_of_types(signature: str) -> dict[str, tuple[str, ...]]:
    """The types to which a signature binds its type parameters, by their names: `<T: A + B>`,
    `<T extends A>`, `where T : A, B`, `[T A]` of Go. Those of other parameters are among them."""
    listed = _GO_TYPES.match(signature)
    found = _GO_BOUND.finditer(listed[1]) if listed else _BOUND.finditer(signature)
    return {
        name: tuple(_TYPE_NAME.findall(_TYPE_ARGUMENTS.sub("", each[2])))
        for each in found
        for name in _WORD.findall(each[1])
    }


def type_of_parameter(function: Definition, name: str) -> str:
    """What a signature writes before the name of a parameter: its type in C."""
    for part in split_at_commas(parameter_list(function.signature)):
        found = _LAST_WORD.search(part)
        if found and found[1] == name:
            return part[: found.start()].strip()
    return ""


@lru_cache(maxsize=1 << 14)
def _last_words(signature: str) -> tuple[str, ...]:
    """The parameters of a signature that has the type of each before its name."""
    parts = split_at_commas(parameter_list(signature))
    named = [_LAST_WORD.search(part.split("=")[0]) for part in parts]
    return tuple(found[1] if found else "" for found in named)


@lru_cache(maxsize=1 << 15)
def _first_words(signature: str) -> tuple[str, ...]:
    """The parameters of a signature that has the name of each first."""
    listed = _LAMBDA.search(signature)
    names = []
    for part in split_at_commas(listed[1] if listed else parameter_list(signature)):
        found = _PARAMETER.match(part)
        if part.strip() not in ("/", "*"):  # Python's marks, which are no parameters
            star = "" if not found or found[1] in ("", "&") else "**" if found[1] == "**" else "*"
            names.append(star + found[2] if found else _pattern(part.strip()))
    return tuple(names)


def _pattern(part: str) -> str:
    """`{ a, b }` or `[a, b]` of JavaScript, which stands for a name; "" for anything else."""
    if part[:1] not in ("{", "["):
        return ""
    return part[: end_of_list(part, 1) + 1]


@lru_cache(maxsize=1 << 14)
def types_of_method(signature: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The types of the parameters and of the results of a method of Go, without packages."""
    given = parameter_list(signature)
    start = _start_of_parameters(signature)
    result = signature[start + len(given) + 1 :].partition("{")[0].strip()
    if result.startswith("(") and result.endswith(")"):
        result = result[1:-1]
    return _go_types(given), _go_types(result)


def _go_types(listed: str) -> tuple[str, ...]:
    """The types in a list of parameters, in which all have names or none has."""
    parts = [" ".join(part.split()) for part in split_at_commas(listed)]
    found: list[str] = []
    named = any(_GO_NAMED.match(part) for part in parts)
    following = ""
    for part in reversed(parts):
        # `a, b int`: a name alone has the type of the next one.
        is_name = named and not _GO_NAMED.match(part)
        following = following if is_name else part.split(" ", 1)[1] if named else part
        found.append(_PACKAGE.sub("", following))
    return tuple(reversed(found))


def parameter_list(signature: str) -> str:
    """What the first parentheses hold; of Go's methods, those after the receiver's."""
    start = _start_of_parameters(signature)
    if not start:
        return ""
    end = end_of_list(signature, start)
    # A signature may be cut before its last parenthesis: then all that is there counts.
    return signature[start:end] if end >= 0 else signature[start:]


def _start_of_parameters(signature: str) -> int:
    """Behind the parenthesis that opens the parameters; 0 for none."""
    return signature.find("(", len(_GO_METHOD) if signature.startswith(_GO_METHOD) else 0) + 1
