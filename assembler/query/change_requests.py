"""Whether a text asks for a change of the code, and which words of it only ask. Pure.

How likely that is comes of a learned model (`kinds_of_question`).
"""

import re

from msgspec import Struct

from satchel.assembler.query import kinds_of_question

_LEAST, _SURE = 0.35, 0.8
"""Probabilities up to which a text asks about the code alone, and from which for a change alone.
Chosen on eleven repositories that the model may learn from: 358 fixes and 230 questions."""


class ChangeRequest(Struct, frozen=True):
    """What a text asks to be changed.

    `sureness` says how surely it asks for a change at all, 0..1; between them it may be either.
    `adds` says whether it asks for something that is not there yet, `verb` with which word, in
    small letters. A task is none where it reads as what a program prints.
    """

    sureness: float
    adds: bool = False
    is_task: bool = False
    verb: str = ""


_ASKED_FOR = re.compile(
    r"(?:(?:please|pls|plz|hey|hi|hello|ok|okay|so|now)\b[,!]?\s+)*(?:"
    r"(?:i|we)(?:['’]d| would)?(?: really| also)? (?:want|need|like|love|have)(?: you)? to"
    r"|(?:i|we)(?:['’]d| would)? (?:want|like)(?= (?:a|an|the|our|my|it)\b.* to\b)"
    r"|(?:can|could|would|will) (?:you|we)|help (?:me|us)(?: to)?|let['’]s|let us"
    r"|(?:it|that) (?:would|should) be (?:nice|great|good|useful|helpful|possible)"
    r"(?: to| if (?:we|one|i|you|users) could)"
    r"|(?:make it possible|there should be (?:a|some) way|i am trying|i['’]m trying) to"
    r"|please|pls|plz)"
    r"\s+(?P<task>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""How people and their agents ask for something to be done, before they say what."""
TRACKER_KINDS = r"(?:bug|issue|question|feature)(?: (?:report|request))?"
"""What trackers call what is reported, as a pattern of small letters."""
_TRACKER_TAG = re.compile(rf"\s*(?:\[{TRACKER_KINDS}\]:?|{TRACKER_KINDS}:)\s+", re.IGNORECASE)


def read(text: str) -> ChangeRequest:
    """What a text asks to be changed, judged by its first line."""
    line = kinds_of_question.first_line(text)
    # A name alone ("update", "Update::run") is what is looked for; other scripts set no spaces.
    if " " not in line and line.isascii():
        return ChangeRequest(0.0)
    wanted = kinds_of_question.shipped().wanted(text)
    sureness = min(1.0, max(0.0, (wanted.change - _LEAST) / (_SURE - _LEAST)))
    adds = min(wanted.change, wanted.addition) >= 0.5
    task = without_request(text).split(None, 1)
    return ChangeRequest(
        sureness,
        adds,
        sureness > 0 and wanted.message < 0.5,
        task[0].lower() if adds and task else "",
    )


def without_tag(text: str) -> str:
    """A text without the tag of a tracker at its beginning: "[Bug] ", "Feature request: "."""
    return _TRACKER_TAG.sub("", text, count=1)


def without_request(text: str) -> str:
    """A text without the words that only ask for what comes after them: "I want to", "Could you
    help me"."""
    while asked := _ASKED_FOR.match(text):
        text = asked["task"]
    return text
