"""Command lines that nobody would write: every command and option, with hostile values.

They come from the parser itself, so a new option is among them. Commands that wait for clients are
left out, and so are values that would lead out of the folder of a run.
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random

from satchel.cli import command_line
from satchel.cli.main import _command_first

_WAITING = {("serve",), ("ui",), ("hub", "serve"), ("hub", "demo")}
_HOSTILE = (
    "", " ", "-", "--", "-1", "0", "00x", "9" * 400, "1e999", "NaN", "inf", "-0.0", "1" + "0" * 30,
    "\udcff\udc80", "e\u0301\ufe0f\u2800", "\x1b[2J\x1b]0;x\x07", "\u202e\u2066", "[satchel] done",
    "a" * 40_000, "d/" * 2_500, "." * 300, "*" * 3_000, "(" * 3_000, "(a+)+$", "[", "{",
    "%s%n%d", "$(id)", "`id`", "a\nb\r\nc", "\t", "'", '"', "\\", "/dev/zero", "/dev/full",
    "a.py:1-" + "9" * 30, "a.py:-1", "a.py:0-0", ":", "::", "a.py:bark:", "HEAD~9999999", "@{-1}",
    "2026-13-45", "99999 days ago", "C:\\x", "file:///etc", "http://127.0.0.1:1/", "{'a':" * 900,
    "/proc/self/mem", "postgresql://127.0.0.1:1/x",
)  # fmt: skip
_HONEST = (
    "a.py", "bark", "Dog.bark", "wake the dog", "b.py:1-3", "HEAD", "root", "5", "0.5", "c.md",
    "2026-01-01", ".", "json", "x", "path:a.py",
)  # fmt: skip


def commands(parser: ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[
    tuple[tuple[str, ...], list[Action]]
]:  # fmt: skip
    """Every command that ends by itself, with the arguments that it takes."""
    actions = [a for a in parser._actions if a.dest != "help" and a.default is not SUPPRESS]
    nested = [action for action in actions if isinstance(action, _SubParsersAction)]
    for action in nested:
        for name, inner in action.choices.items():
            yield from commands(inner, (*words, name))
    if not nested and words not in _WAITING:
        yield words, actions


def command_line_of(random: Random) -> list[str]:
    """A command with few of its options, of whose values one or two are hostile."""
    words, actions = random.choice(_COMMANDS)
    chosen = [action for action in actions if not action.option_strings]
    chosen += random.sample(actions, min(len(actions), random.randrange(4)))
    is_hostile = random.choice((0.1, 0.3, 1.0))
    line = list(words)
    for action in dict.fromkeys(chosen):
        line += action.option_strings[:1]
        count = {0: 0, "?": random.randrange(2), "*": random.randrange(4)}.get(action.nargs or 1, 1)
        line += [_value(action, random, is_hostile) for _ in range(count)]
    return line


def _value(action: Action, random: Random, is_hostile: float) -> str:
    if random.random() < is_hostile:
        return random.choice(_HOSTILE)
    if action.choices:
        return str(random.choice(list(action.choices)))
    return random.choice(("1", "7", "500", "0.5") if action.type else _HONEST)


def play(place: Path, words: list[str], environment: dict[str, str]) -> None:
    """Run one; raises `AssertionError` where it ends or prints as no command may."""
    os.chdir(place / "root")
    told = BytesIO()
    out = TextIOWrapper(told, encoding="utf-8", errors="surrogateescape", write_through=True)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            code: object = command_line.run(_command_first(words), environment)
    except SystemExit as ended:
        code = ended.code
    finally:
        os.chdir("/")
    assert code in range(6), f"exit code {code}: {_shown(words)}"
    raw = [
        byte
        for byte in re.sub(rb"\x1b\[[\d;]*m", b"", told.getvalue())
        if byte < 32 and byte not in b"\n\t"
    ]
    assert not raw, f"prints {bytes(raw[:5])!r}: {_shown(words)}"


def _shown(words: list[str]) -> str:
    return " ".join(ascii(word)[:40] for word in words)


_COMMANDS = list(commands(command_line.parser()))
