"""Commands that setup.py and setup.cfg declare, read as text: nothing of them runs. Pure.

Of setup.py what is written out in the call of `setup` is read; what it computes is not known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

_GROUPS = ("console_scripts", "gui_scripts")


def of_setup_cfg(text: str) -> list[tuple[str, str]]:
    """Commands and what they run. Raises: ValueError: it cannot be read."""
    import configparser

    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    groups = [parser.get("options.entry_points", name, fallback="") for name in _GROUPS]
    return [*_scripts(line for group in groups for line in group.splitlines())]


def of_setup_py(text: str) -> list[tuple[str, str]]:
    """Commands and what they run.

    Raises:
        ValueError: it is no Python of this version, or nested too deep.
    """
    import ast

    try:
        # Python warns of "\d" in a text, on standard error, and this text is not the user's own.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return [
        script
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "entry_points"
        for script in _scripts(_script_lines(node.value))
    ]


def _script_lines(value: ast.expr) -> Iterator[str]:
    """The lines of the groups of scripts: of a table of lists or texts, or of a text like an INI
    file."""
    import ast

    if isinstance(value, ast.Dict):
        for key, group in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in _GROUPS:
                listed = group.elts if isinstance(group, ast.List | ast.Tuple) else [group]
                for each in listed:
                    yield from _text(each).splitlines()
        return
    group_name = ""
    for line in map(str.strip, _text(value).splitlines()):
        if line.startswith("["):
            group_name = line.strip("[] ")
        elif group_name in _GROUPS:
            yield line


def _text(value: ast.expr) -> str:
    """What a literal says, "" for what is none."""
    import ast

    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _scripts(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """`command = module:function`, without the extras behind it."""
    for line in lines:
        command, equals, target = line.partition("=")
        target = target.partition("[")[0].strip()
        if equals and command.strip() and target and not line.lstrip().startswith("#"):
            yield command.strip(), target
