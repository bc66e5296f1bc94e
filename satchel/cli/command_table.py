"""Which module has which commands, what `satchel --help` says of them, and what their own help
ends with: examples that can be typed, and the exit codes. And what is meant by other words.

Reading it from here costs less than loading the modules.
"""

import shlex
from collections.abc import Sequence

COMMANDS: dict[str, dict[str, str]] = {
    "reindex": {
        "reindex": (
            "Bring the index up to date; Ctrl-C keeps what is done and the next run continues."
        ),
        "deps-source": (
            "Index the installed dependencies that are imported here, for --with-dependencies."
        ),
    },
    "ask": {
        "context": "What a model should see of this code for a task, in at most N tokens.",
        "search": "The best places for a question, as pointers or with their source.",
    },
    "look": {
        "symbols": "Definitions of a name: exact, Class.method, prefix*, path:name or path:line.",
        "deps": "The call graph around a symbol, with the rule and confidence of every edge.",
        "show": "The whole source of a definition, or of lines of a file.",
        "status": "How much is indexed, what is not, and why.",
    },
    "survey": {
        "changes": (
            "Symbols added, modified, moved and removed since a time or a revision, and"
            " their users."
        ),
        "overview": "A code base at a glance: size, languages, entry points, most used symbols.",
        "impact": (
            "What a change touches, as Markdown for a pull request: symbols, callers, tests,"
            " decisions."
        ),
        "graph": "The call graph: paths between symbols, cycles, rules, dead code, export.",
    },
    "knowledge": {
        "remember": "Keep a decision, warning, convention, need, question, finding, fact or note.",
        "revise": (
            "Change what is kept: promote, supersede, override, resolve, verify, edit, archive, …"
        ),
        "recall": "What is known about a question or a place, in at most N tokens.",
        "knowledge": "All that is known: export, import, prune, drift, check, stats, push, pull.",
    },
    "validate": {
        "validate": (
            "Check that what the index says is true; exit 0 ok, 1 findings, 3 stale, 4 corrupt."
        ),
        "repair": "Make a damaged index sound: derived parts first, then files, then everything.",
    },
    "bench": {
        "bench": "How much packs show of this repository's own fixes, against grep and BM25.",
        "tune": "Tune a few numbers of packing to this repository's own fixes, or go back.",
    },
    "config": {
        "config": "Every setting as it is in force; --origin says which file or variable said so.",
    },
    "share": {
        "publish": "Write the index to a folder, for others to pull.",
        "pull": "Take over an index that was published, once it has proved true of this tree.",
    },
    "hub": {
        "hub": "A team's repositories on PostgreSQL: add them, build them with Dask, ask them all.",
    },
    "state": {
        "state": (
            "Where indexes and knowledge lie, of all checkouts; take over, move or delete them."
        ),
    },
    "serve": {
        "serve": "Serve this code base to agents and editors over MCP.",
    },
    "ui": {
        "ui": "Open a local page in the browser: ask, map, graph, review, knowledge, health.",
    },
    "setup": {
        "setup": "Add this server to a client's configuration; nothing else in the file changes.",
        "completion": (
            "Print a script that completes commands, options, symbols and paths in a shell."
        ),
    },
    "doctor": {
        "doctor": "Start the servers that clients are set up to start, and check that they answer.",
    },
}
"""The commands of each module of `satchel.cli.commands`."""

GROUPS: dict[str, tuple[str, ...]] = {
    "ask about code": (
        *("context", "search", "symbols", "deps", "show", "overview", "graph", "ui"),
        "deps-source",
    ),
    "see what changed": ("changes", "impact"),
    "keep what the team knows": ("remember", "recall", "revise", "knowledge"),
    "let agents and editors ask": ("setup", "serve", "doctor"),
    "look after the index": ("status", "reindex", "validate", "repair", "state", "config"),
    "share it, in CI and in a team": ("publish", "pull", "hub"),
    "measure and fit": ("bench", "tune"),
    "in the shell": ("completion",),
}
"""What people do, and the commands for it: the order of `satchel --help`."""

COMMAND_TEXTS = {name: text for commands in COMMANDS.values() for name, text in commands.items()}
"""What each command is about, by its name."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "reindex": ("satchel reindex", "satchel reindex --full"),
    "deps-source": ("satchel deps-source", 'satchel deps-source "django*" requests'),
    "context": (
        'satchel context "how are retries scheduled" --budget 4096',
        "pytest 2>&1 | satchel context",
        "satchel context --diff main",
    ),
    "search": (
        "satchel search where are tokens refreshed --path src",
        'satchel search --exact "self.retries"',
    ),
    "symbols": ("satchel symbols Session.send", 'satchel symbols "get_*" --kind function'),
    "deps": ("satchel deps Session.send --direction callers", "satchel deps send --tests"),
    "show": ("satchel show Session.send -n", "satchel show src/app.py:10-40"),
    "status": ("satchel status", "satchel status --skipped"),
    "changes": ("satchel changes 24h", "satchel changes main --path src"),
    "overview": ("satchel overview", "satchel overview src"),
    "impact": ("satchel impact --diff main",),
    "graph": ("satchel graph path Session.send Adapter.send", "satchel graph cycles"),
    "remember": ('satchel remember warning "Retries are not thread-safe" --scope src/retry.py',),
    "revise": ("satchel revise promote 01J8ZQ4T", "satchel revise archive 01J8ZQ4T"),
    "recall": ('satchel recall "retries"', "satchel recall --scope src/retry.py"),
    "knowledge": ("satchel knowledge export team.json", "satchel knowledge check"),
    "validate": ("satchel validate", "satchel validate --level deep --format sarif"),
    "bench": ("satchel bench history", "satchel bench history --since 90d --json"),
    "tune": ("satchel tune --history", "satchel tune --undo"),
    "config": ("satchel config show --origin",),
    "publish": ("satchel publish out/index",),
    "pull": ("satchel pull https://ci.example.org/index",),
    "hub": ("satchel hub sync postgresql://localhost/hub", "satchel hub ACTION --help"),
    "state": ("satchel state", "satchel state delete index/shop-5d1f"),
    "serve": ("satchel serve", "satchel serve --http 8137"),
    "ui": ("satchel ui", "satchel ui --port 8137 --no-browser"),
    "repair": ("satchel repair --dry-run", "satchel repair"),
    "setup": ("satchel setup claude-code", "satchel setup cursor --instructions --print"),
    "completion": ('eval "$(satchel completion bash)"', "satchel completion fish | source"),
    "doctor": ("satchel doctor",),
}
"""By command, the plainest first."""

_USUAL = ("0 done", "1 failed", "2 wrong usage", "4 damaged")
_LOOKS = ("0 found", "1 nothing found, or failed", *_USUAL[2:], "5 still indexing")
_EXITS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("context", "search", "symbols", "show", "deps", "impact"), _LOOKS),
    **dict.fromkeys(("changes", "overview", "graph"), (*_USUAL, "5 still indexing")),
    **dict.fromkeys(("reindex", "repair", "publish", "pull"), (*_USUAL, "5 locked")),
    "validate": ("0 true", "1 findings", "2 wrong usage", "3 stale", "4 corrupt", "5 locked"),
}  # fmt: skip
_IN_A_LINE = 4
"""Exit codes; so many fit into 80 columns."""


def help_end(command: str) -> str:
    """The last lines of a command's help."""
    shown = EXAMPLES.get(command, ())
    title = "examples:" if len(shown) > 1 else "example:"
    lines = [title, *(f"  {line}" for line in shown)] if shown else []
    codes = (*_EXITS.get(command, _USUAL), "130 interrupted")
    first, second = (" · ".join(part) for part in (codes[:_IN_A_LINE], codes[_IN_A_LINE:]))
    return "\n".join([*lines, f"exit code: {first}", f"           {second}"])


OTHER_NAMES = {"diff": "changes", "summary": "overview", "index": "reindex", "init": "reindex"}
"""What other tools call a command that means the same there."""
_AGENTS = "`satchel setup CLIENT` enters the server, `satchel serve`, in an agent's configuration"
_INSTEAD = {
    "ask": "satchel context {}",
    "query": "satchel context {}",
    "find": "satchel search {}",
    "grep": "satchel search --exact {}",
    "mcp": _AGENTS,
    "install": _AGENTS,
    "add": _AGENTS,
    "update": "`satchel reindex` brings the index up to date; every question does so too",
    "upgrade": "install the newer Satchel over this one, as this one was installed",
    "uninstall": "`satchel setup CLIENT --remove` for each agent, then uninstall the package",
    "start": _AGENTS,
    "dependencies": "satchel deps {}",
    "callers": "satchel deps {} --direction callers",
    "references": "satchel deps {} --direction callers",
    "definition": "satchel symbols {}",
    "cycles": "satchel graph cycles",
    "version": "satchel --version",
}
"""What other tools call it, and what to write here; `{}` are the words that follow."""
_ASKING = frozenset("how what where when why which who whose does is are can do should in".split())
_LEAST_WORDS = 3
"""Fewer words that are no command may be a slip of the pen; so many are a question."""


def instead(words: Sequence[str]) -> str:
    """What to write instead of `words`, whose first is no command."""
    from difflib import get_close_matches

    first, rest = words[0], shlex.join(words[1:])
    if first in _INSTEAD:
        return _INSTEAD[first].format(rest or "…")
    close = get_close_matches(first, COMMAND_TEXTS, 1, 0.7)
    close = close or [name for name in COMMAND_TEXTS if first and name.startswith(first)]
    is_question = len(words) >= _LEAST_WORDS and not any(word.startswith("-") for word in words)
    if " " in first.strip() or (is_question and (first.lower() in _ASKING or not close)):
        return f"satchel context {shlex.join(words)}"
    listed = "`satchel --help` lists the commands"
    return f"did you mean {close[0]}? {listed}" if close else listed
