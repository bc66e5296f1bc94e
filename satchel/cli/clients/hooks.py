"""`satchel hook EVENT`: what an agent's hooks run. A server that runs answers, or nobody does.

An agent waits for its hooks, so nothing here loads more than it takes to ask a server, nothing
fails aloud, and the exit code is always 0: a hook that is wrong must not stop anybody's work.
`satchel setup claude-code --hooks` enters them; each event comes as JSON on standard input.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence

from satchel.cli import server_client

_MAX_BYTES = 1 << 20
_MAX_TRANSCRIPT_BYTES = 4 << 20
_LINES = 3
_NAME = re.compile(
    r"(?:\\b|\^)?(?:(?:def|class|func|fn|function)(?:\s|\\s[+*]?)+)?"
    r"([A-Za-z_][\w.]{2,80})(?:\\b|\\?\()?"
)
"""A pattern for grep that is nothing but one name, perhaps as it is declared."""
_START = (
    'Satchel keeps an index of this code base that follows every save: `satchel context "terms and'
    ' names"` prints the functions that a task needs, `satchel show NAME` a definition, `satchel'
    " deps NAME` its callers."
)


def run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Print what an agent should know before the event; always 0."""
    try:
        text = _text(words[0] if words else "", environment)
        if text:
            os.write(1, text.encode("utf-8"))
    except Exception:  # an agent's work goes on, whatever went wrong here
        return 0
    return 0


def _text(event: str, environment: Mapping[str, str]) -> str:
    if event == "session-start":
        return f"{_START}\n" if server_client.is_indexed(environment) else ""
    if event == "before-search":
        return _known_of(_searched_name(sys.stdin.buffer.read(_MAX_BYTES)), environment)
    if event == "before-stop":
        return _left_behind(sys.stdin.buffer.read(_MAX_BYTES), environment)
    return ""


def _searched_name(event: bytes) -> str:
    """The one name that a call of Grep looks for, "" where it looks for anything else."""
    import json

    arguments = json.loads(event).get("tool_input", {})
    found = _NAME.fullmatch(str(arguments.get("pattern", "")).strip())
    return found[1].rstrip(".") if found else ""


def _left_behind(event: bytes, environment: Mapping[str, str]) -> str:
    """What a session changed without looking, and decided without keeping it.

    It is a message to the person: what goes to the agent at this point would keep it from ending.
    """
    import json

    from satchel.cli.clients import session_end

    transcript = _end_of(json.loads(event)["transcript_path"])
    answer = server_client.answer_of(["changes", "HEAD", "--json"], environment)
    if answer is None or answer[0] != 0:
        return ""
    printed = b"".join(data for stream, data in answer[1] if stream == 1)
    text = session_end.report(transcript, json.loads(printed))
    return json.dumps({"systemMessage": f"Satchel: {text}"}) if text else ""


def _end_of(path: str) -> bytes:
    """The end of a transcript, where the session's last work is."""
    from pathlib import Path  # the other hooks do without

    with Path(path).open("rb") as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - _MAX_TRANSCRIPT_BYTES))
        return stream.read()


def _known_of(name: str, environment: Mapping[str, str]) -> str:
    """What the index knows of a name, as Claude Code takes it before a tool runs."""
    import json

    # Most patterns are no name: no server is asked for those.
    asked = ["symbols", name, "--limit", str(_LINES)]
    answer = server_client.answer_of(asked, environment) if name else None
    if answer is None or answer[0] != 0:
        return ""
    printed = b"".join(data for stream, data in answer[1] if stream == 1).decode("utf-8")
    lines = [line for line in printed.splitlines() if line.strip()][:_LINES]
    known = "\n".join([f"Satchel's index knows `{name}` (`satchel deps {name}`: callers):", *lines])
    event = {"hookEventName": "PreToolUse", "additionalContext": known}
    return json.dumps({"hookSpecificOutput": event})
