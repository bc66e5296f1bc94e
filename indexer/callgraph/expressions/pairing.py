"""Which argument of a call a parameter gets, by names and positions alone."""

from __future__ import annotations

from satchel.indexer.callgraph.expressions.nodes import (
    Argument,
    DictLiteral,
    Expression,
    Item,
    ListLiteral,
    Number,
    Spread,
    Text,
    either,
)


def argument_for(
    name: str, names: tuple[str, ...], given: tuple[Argument, ...]
) -> Expression | None:
    """The argument that a parameter gets, by keyword or by position; None where it gets none.

    One that takes the rest gets a list of them, one that takes the other keywords a dictionary.
    """
    if f"**{name}" in names:
        return _other_keywords(names, given)
    is_rest = f"*{name}" in names
    wanted = names.index(f"*{name}" if is_rest else name)
    if is_rest:
        rest = [each.value for each in given if not each.keyword][wanted:]
        return ListLiteral(tuple(rest)) if rest else None
    for position, (keyword, value) in enumerate((each.keyword, each.value) for each in given):
        if keyword == name:
            return value
        if keyword == "**":
            return Item(value, Text(name))
        if not keyword and isinstance(value, Spread) and position <= wanted:
            # After a second spread argument no position is known.
            by_position = Item(value.of, Number(str(wanted - position)))
            others = [Item(each.value, Text(name)) for each in given if each.keyword == "**"]
            return either((by_position, *others))
        if not keyword and position == wanted:
            return value
    return None


def _other_keywords(names: tuple[str, ...], given: tuple[Argument, ...]) -> Expression | None:
    pairs = [
        (Spread(a.value), Spread(a.value)) if a.keyword == "**" else (Text(a.keyword), a.value)
        for a in given
        if a.keyword and a.keyword not in names
    ]
    return DictLiteral(tuple(pairs)) if pairs else None
