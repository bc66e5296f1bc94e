"""Names of definitions as people write them, and their parts. Pure.

A name may stand as in code or in an import: `func()`, `Class::method`, `Class/method`,
`module:function/2`, `-[Class method:]`, `package.module.name`. Several stand between commas or
spaces.
"""

import re

from satchel.store.errors import UsageError

_SEPARATOR = re.compile(r"\.|::|#|->|/")
_OPERATOR = re.compile(r"(.*\w)(?:\.|::|#|->)([^\w\s.:#()]+|\[\]=?|\(\))")
_CALL = re.compile(r"[`\s]*([^\s`(]+)(?:\(.*\))?[`\s;]*", re.DOTALL)
"""A name with the parentheses and arguments of a call, or in backticks."""
_ARITY = re.compile(r"(?<=[\w?!])/\d{1,3}$")
_MESSAGE = re.compile(r"(?:[-+]\[(\w+)(?:\(\w*\))?\s+)?(\w+):?(?:\w*:)*\]?")
"""A method of Objective-C: `-[Class name:with:]`, or its selector alone, `name:with:`."""
_SEPARATOR_OR_COLON = re.compile(rf"{_SEPARATOR.pattern}|:")
"""Names of Erlang have one between module and function."""
_BETWEEN = re.compile(r"[,;\s]+(?![^(<\[]*[)>\]])")
"""What stands between several names, and not between arguments."""
WILD_HINT = (
    "a * stands at the end: prefix*, Class.* or Class.prefix*; `search` in mode regex finds parts"
)
_OWN = ("self", "this")
"""What stands for the object of whichever class: its member may be any class's."""
_PLACE = re.compile(r"([^:]*[^:\s]):(?!:)([^:\s].*)")


def last_part(name: str) -> str:
    """The simple name at the end of a qualified one: `a.B::c` → `c`."""
    return _SEPARATOR.split(name)[-1]


def qualifier(name: str) -> str:
    """The name before the last part, "" when there is none: `a.B::c` → `B`."""
    parts = _SEPARATOR.split(name)
    return parts[-2] if len(parts) > 1 else ""


def may_hold(variable: str, owner: str) -> bool:
    """Whether a variable is called like a class, or short for it: `conn`, `ctx`, `self`.

    `owner` is the qualified name of the class, "" for none.
    """
    variable, owner = variable.lower(), owner.lower()
    rest = iter(owner)
    is_short = owner[:1] == variable[:1] and all(letter in rest for letter in variable)
    return variable in _OWN or variable in owner or is_short


def operator_member(name: str) -> tuple[str, str] | None:
    """The owner and the operator of a member that is called after one: `Vector.==`, `Path./`."""
    found = _OPERATOR.fullmatch(name)
    return (found[1], found[2]) if found and found[2] != "*" else None


def listed(written: str) -> tuple[str, ...]:
    """The names between commas or spaces."""
    return tuple(filter(None, _BETWEEN.split(written.strip())))


def parts_of(name: str) -> list[str]:
    """A name's own and those of what holds it, outermost first."""
    return _SEPARATOR_OR_COLON.split(name)


def place(name: str) -> tuple[str, str] | None:
    """The path, and the line or name, of `path:line` and `path:name`; None for any other name."""
    found = _PLACE.fullmatch(name)
    return (found[1], found[2]) if found else None


def without_call(name: str) -> str:
    """A name without what surrounds it in code: `send(x)`, `send/2` and `send:to:` are `send`."""
    message = _MESSAGE.fullmatch(name) if name.endswith((":", "]")) else None
    if message:
        return ".".join(filter(None, message.groups()))
    written = _CALL.fullmatch(name)
    return _ARITY.sub("", written[1] if written else name)


def check_wildcards(name: str) -> None:
    """Raises: UsageError, for a name that nothing has and that holds a * where none may stand."""
    where = place(name)
    name = where[1] if where else name
    if "*" in name.removesuffix("*"):
        raise UsageError(f"{name!r} has a * where none may stand", WILD_HINT)
