"""Which module has which commands, and what `satchel --help` says of them.

Reading it from here costs less than loading the modules; a test holds both equal.
"""

from __future__ import annotations

COMMANDS: dict[str, dict[str, str]] = {
    "reindex": {
        "reindex": (
            "Bring the index up to date; Ctrl-C keeps what is done and the next run continues."
        ),
        "deps-source": (
            "Index the installed code of what is imported here, for --with-dependencies."
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
    # Texts stand here as well as in the modules, so that `--help` imports none of them.
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
        "graph": "The call graph: ways between symbols, cycles, rules, dead code, export.",
    },
    "knowledge": {
        "remember": "Keep a decision, warning, convention, need, question, finding, fact or note.",
        "revise": (
            "Change what is kept: promote, supersede, override, resolve, verify, edit, archive, …"
        ),
        "recall": "What is known about a question or a place, in at most N tokens.",
        "knowledge": "All that is known: export, import, prune, drift, check, stats.",
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
        "setup": "Enter this server in a client's configuration; nothing else in the file changes.",
        "completion": (
            "Print what lets bash, zsh or fish complete commands, options, symbols and paths."
        ),
    },
    "doctor": {
        "doctor": "Start what clients are configured to start, and check that it answers.",
    },
}
"""The commands of each module of `satchel.cli.commands`, in the order `--help` shows them."""
