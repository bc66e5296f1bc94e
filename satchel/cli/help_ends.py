"""What `satchel COMMAND --help` ends with: examples that can be typed, and the exit codes."""

from __future__ import annotations

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

_USUAL = "0 done · 1 failed · 2 wrong usage"
_LOOKS = "0 found · 1 nothing found, or failed · 2 wrong usage · 5 still indexing"
_EXITS: dict[str, str] = {
    **dict.fromkeys(("context", "search", "symbols", "show"), _LOOKS),
    **dict.fromkeys(("deps", "changes", "overview", "impact", "graph"),
                    f"{_USUAL} · 5 still indexing"),
    **dict.fromkeys(("reindex", "repair", "publish", "pull"), f"{_USUAL} · 5 locked"),
    "validate": "0 true · 1 findings · 2 wrong usage · 3 stale · 4 corrupt · 5 locked",
}  # fmt: skip


def help_end(command: str) -> str:
    """The last lines of a command's help."""
    shown = EXAMPLES.get(command, ())
    title = "examples:" if len(shown) > 1 else "example:"
    lines = [title, *(f"  {line}" for line in shown)] if shown else []
    code = _EXITS.get(command, _USUAL)
    # `validate` has a code of its own for damage.
    also = "130 interrupted" if command == "validate" else "4 damaged · 130 interrupted"
    return "\n".join([*lines, f"exit code: {code}", f"           {also}"])
