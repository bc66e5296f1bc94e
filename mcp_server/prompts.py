"""Prompts that a person can pick. Each describes a way of working; none contains indexed text."""

from collections.abc import Mapping
from dataclasses import dataclass

from satchel.store.errors import UsageError

_MAX_ARGUMENT = 10_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with one argument, `{value}` in its text."""

    name: str
    about: str
    argument: str
    argument_about: str
    text: str
    default: str = ""
    """What the argument is when it is left out; it must be given where this is empty."""


PROMPTS = (
    Prompt(
        "explain-symbol",
        "Explain what a symbol does, and for whom.",
        "symbol",
        "a name, or Class.method",
        "Explain `{value}` of this code base. Call `symbols` for its definition, `dependencies` "
        "for who calls it and what it calls, and `context` with its name for the source. Say what "
        "it promises, what it relies on, who uses it and what would break if it changed. Give "
        "path:line for every claim.",
    ),
    Prompt(
        "review-changes",
        "Review what changed, and whom it touches.",
        "since",
        "an age (24h, 7d), a date or a git revision",
        "Review what changed since {value}. Call `changes` first; for every changed signature and "
        "every removed symbol check each caller it lists. Call `context` with the names that "
        "changed for the source. Report bugs, missing tests (scope test) and callers that were "
        "forgotten, worst first, with path:line. Say so if there is nothing.",
        default="HEAD",
    ),
    Prompt(
        "plan-task",
        "Plan a change before it is made.",
        "task",
        "what is to be done",
        "Plan this task: {value}\n\nCall `context` with the task for the code that matters, "
        "`dependencies` on what will change, `search` with scope test for tests to extend. List "
        "the files to touch in order, what changes in each, what could break, and how to check "
        "it. Change nothing yet.",
    ),
)


def text(prompt: Prompt, given: Mapping[str, str]) -> str:
    """A prompt with its argument filled in.

    Raises:
        UsageError: the argument is missing, too long, or not one of this prompt.
    """
    # The refusal does not repeat unknown names, which may be any text that a client sends.
    unknown = sorted(given.keys() - {prompt.argument})
    if unknown:
        raise UsageError("unknown argument", f"{prompt.name} takes {prompt.argument}")
    value = given.get(prompt.argument) or prompt.default
    if not value:
        raise UsageError(f"{prompt.argument} is missing", f"give {prompt.argument_about}")
    if len(value) > _MAX_ARGUMENT:
        raise UsageError(
            f"{prompt.argument} has {len(value)} characters", f"give at most {_MAX_ARGUMENT}"
        )
    # It is no `str.format`, because a prompt's text may hold braces of its own.
    return prompt.text.replace("{value}", value)
