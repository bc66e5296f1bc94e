"""What a session leaves behind, told before it ends: users and tests that it did not look at, and
what it decided and did not keep. Pure.

A transcript is the bytes of its file, a JSON object a line; decoding them would take most of the
time. A path counts as looked at where it stands in one.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_LISTED = 3
_DECIDED = re.compile(rb"(?:decided|chose|opted|settled on|will use)\b[^.\"\\\n]{10,200}")
_WHO = re.compile("\\b(?:I|[Ww]e)(?:'ve|’ve| have)? $".encode())
"""A sentence that says what was decided, as agents write it; the verb is looked for first, since
that is quicker."""
_KEPT = (b"satchel__remember", b"satchel remember ")
_LAST_BYTES = 1 << 18
"""Of a transcript, in which decisions are looked for."""


def report(transcript: bytes, changes: Mapping[str, Any]) -> str:
    """The lines, "" for nothing to say; `changes` is the JSON of `satchel changes HEAD`."""
    lines = [*_not_looked_at(transcript, changes), *_not_kept(transcript)]
    return "\n".join(lines)


def _not_looked_at(transcript: bytes, changes: Mapping[str, Any]) -> list[str]:
    def is_new(path: str) -> bool:
        # As JSON writes it: a transcript is not decoded.
        return json.dumps(path)[1:-1].encode() not in transcript

    places = [each["now"] or each["then"] for each in changes["changes"]]
    # What others have not committed either is no change of this session.
    changed = dict.fromkeys(at["name"] for at in places if not is_new(at["path"]))
    users = dict.fromkeys(
        f"{each['user']['path']} ({each['user']['name']})"
        for each in changes["impacts"]
        if each["of"] in changed and is_new(each["user"]["path"])
    )
    tests = [path for path in changes["tests"] if is_new(path)]
    if not changed or not (users or tests):
        return []
    parts = [f"{what} {_first(of)}" for what, of in (("users", users), ("tests", tests)) if of]
    return [f"Changed were {_first(changed)}; not looked at were {' and '.join(parts)}."]


def _not_kept(transcript: bytes) -> list[str]:
    last = transcript[-_LAST_BYTES:]
    decided = dict.fromkeys(
        (who[0] + found[0]).decode("utf-8", "replace")
        for found in _DECIDED.finditer(last)
        if (who := _WHO.search(last, max(0, found.start() - 12), found.start()))
    )
    if not decided or any(kept in transcript for kept in _KEPT):
        return []
    return [
        "Decided and not kept (`satchel remember decision …` keeps it):"
        f" {'; '.join([*decided][:_LISTED])}."
    ]


def _first(of: Iterable[str]) -> str:
    every = [*of]
    more = len(every) - _LISTED
    return ", ".join(every[:_LISTED]) + (f" and {more} more" if more > 0 else "")
