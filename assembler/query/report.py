"""Reads a bug report: tells its title, prose, code and the text of its template apart. Pure.

Whoever files a report fills in a template: headings, checklists, comments of its authors, versions,
a pasted log. All of that has more words than the two lines that say what is wrong. The parts are
told apart by their shape, and the template's own text is left out.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from satchel.assembler.query.change_requests import TRACKER_KINDS

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_DIFF = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+|--- \S+\n\+\+\+ )", re.MULTILINE)
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s+(?P<hash>\S.*)|\*\*(?P<bold>[^*]{2,70})\*\*\s*:?|__(?P<line>[^_]{2,70})__:?"
    r"|(?P<plain>[A-Z][\w /'()-]{2,50}[:?]))\s*$"
)
_MARK = re.compile(
    r"^(?:#{1,6} |\s*[-*+] \[[ xX]\]|<!--|\s*```|\*\*[^*\n]+\*\*:?\s*$)", re.MULTILINE
)
"""Beginnings of lines that only a filled-in form or a text with code has."""
_HEADS = ("#", "*", "_")
"""What a heading of a form begins with; other lines may look like one by chance."""
_CHECK = re.compile(r"\s*[-*+] \[[ xX]\]")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$|\s*\|[\s|:-]+\|\s*$")
_VERSION = re.compile(
    r"\s*[-*>|]*\s*[*`_]*[\w @/().+-]{1,40}?[*`_]*\s*(?:[:=|]+|==|\bis\b)\s*[*`]*\s*"
    r"(?:[\w.+-]+[ (/@]+){0,3}[v^~>=]*\d+\.\d.{0,60}$"
)
"""`Node: v18.1.0`, `numpy==1.2.3`: a name and a number of a release."""
_LABEL = re.compile(
    r"\s*[-*>|]*\s*\**(?:os|operating system|platform|browser|device|node|npm|yarn|python|ruby|java"
    r"|jdk|go|rust|php|compiler|arch(?:itecture)?|kernel|shell|terminal|package manager"
    # `java.lang.IllegalStateException: …` names no release.
    r"|[\w .-]{0,24}version)s?\b(?!\.\w)[^:=|]{0,30}[:=|]",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"\s*[-*>_]*\s*(?:a (?:clear|short|brief) (?:and concise )?(?:description|summary)"
    r"|steps to reproduce|add any other|if applicable|please |before (?:submitting|opening|filing)"
    r"|(?:i|we) (?:have |'ve )?(?:searched|read|checked|agree|confirm)|thank(?:s| you)\b|go to '"
    r"|click on '|scroll down to '|see error\b|describe (?:the|what|how)|tell us|what happened\?"
    r"|is this a (?:regression|bug)|_?no response_?|n/?a\s*$|make sure|paste |\[?e\.g\.)",
    re.IGNORECASE,
)
"""Beginnings of lines that the authors of templates wrote."""
_TEMPLATE = frozenset(
    "a about actual additional affected an and any anything apply applicable are attempted be"
    " behavior behaviour bug can change changes checklist checks code complete context current"
    " current describe description details did do else environment error example exact existing"
    " expect expected expecting feature following for further general happen happened happens have"
    " how i if in info information is issue it kind link logs log media message minimal motivation"
    " my name notes of on or other output please possible preflight problem question related"
    " relevant report reproduce reproducible reproducing reproduction request result results run"
    " running sample screenshot screenshots search see sessions severity snippet solution stack"
    " step steps submission subject suggested summary system test that the there these this to"
    " trace traceback tracebacks backtrace type use used using version versions was we were what"
    " when where which why with workaround workarounds you your".split()
)
"""Words of the headings of templates."""
_SURROUNDINGS = re.compile(
    r"environment|\bversions?\b|system|platform|desktop|smartphone|device|\bsetup\b|diagnos"
    r"|checklist|preflight|installed|operating|\bos\b|dependenc|acknowledg|before you"
    r"|code of conduct|^how (?:do|did|are) you (?:us|install|run)"
    # Only as a whole heading, since code may be about them: "Shell completion" is no environment.
    r"|^(?:your )?(?:shell|terminal(?: emulator)?|browsers?|editor|distribution|runtime)$",
    re.IGNORECASE,
)
"""Headings under which a report says where it ran."""
_BLOB = re.compile(r"https?://[\w.-]+/[^\s/]+/[^\s/]+/blob/[^\s/]+/([^\s)#?]+)[^\s)]*")
_IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,1000}\)")
_URL = re.compile(r"\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)|https?://\S+")
_TAG = re.compile(
    r"</?(?:details|summary|br|p|b|pre|code|kbd|sub|sup|img)\b[^>\n]{0,300}>", re.IGNORECASE
)
_LOG = re.compile(
    r"\s+at \S|\s*File \"|\s*#\d+ |\s*\d+: +0x|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d"
    r"|\s*\$ |>>> |\s{4,}\S|\t"
)
_TITLE_TAG = re.compile(
    rf"(?:\[[^\]]{{1,24}}\]:?|(?:{TRACKER_KINDS}|title|subject|summary)\s*:)\s*", re.IGNORECASE
)
"""What stands before the title of a report: any word in brackets, or what a form calls it."""
_SIGNS = re.compile(r"^[\s#]*(?:[^\w\s\x21-\x7e]+\s+)?")
"""Text before a title: marks of a heading, a picture."""
_LONGEST_TITLE = 200
_LONGEST_SHAPE = 200
"""Characters from which on a line is no heading, prompt or version, whatever it looks like."""
_LEAST = 160
"""Characters of a text below which it is read as a question."""
_SENTENCE = 8
"""Words of a line that is written, and not listed."""
_WORD = re.compile(r"[^\W\d_]+")


class Kind(StrEnum):
    """What a line of a report is."""

    TITLE = "title"
    PROSE = "prose"
    CODE = "code"


class BugReport(Struct, frozen=True):
    """A report's lines by what they are, without those of its template, in their order."""

    title: str
    prose: str
    code: str
    text: str
    """All of them."""
    is_form: bool
    """Whether it has the shape of a filled-in form, and not only of lines."""


def read(text: str) -> BugReport | None:
    """A report, None for anything that is read as a question: one line, a short text, a diff."""
    stripped = text.strip()
    if len(stripped) < _LEAST or "\n" not in stripped or _DIFF.search(stripped):
        return None
    is_form = _MARK.search(stripped) is not None
    lines = list(_written_lines(_without_links(stripped), prompted=is_form))
    by_kind = {
        kind: "\n".join(line for found, line in lines if found == kind).strip() for kind in Kind
    }
    if not by_kind[Kind.TITLE] and not by_kind[Kind.PROSE]:
        return None
    whole = "\n".join(line for _, line in lines).strip()
    return BugReport(by_kind[Kind.TITLE], by_kind[Kind.PROSE], by_kind[Kind.CODE], whole, is_form)


def _without_links(text: str) -> str:
    """The text without comments, pictures and addresses; a link to a file of a repository is its
    path.
    """
    text = _BLOB.sub(r"\1", _IMAGE.sub(" ", _COMMENT.sub("", text)))
    return _TAG.sub(" ", _URL.sub(lambda match: match.group(1) or "", text))


def _written_lines(text: str, *, prompted: bool) -> Iterator[tuple[Kind, str]]:
    """The lines that somebody wrote for this report, with what they are.

    Where a template is `prompted`, lines that begin like its prompts are its own.
    """
    is_titled = in_surroundings = is_marked = False
    for is_code, line in _lines_with_fences(text):
        heading = None if is_code else _heading(line)
        if heading:
            in_surroundings = _SURROUNDINGS.search(heading) is not None
            is_marked = line.lstrip().startswith(_HEADS)
        # "My setup is:" is no heading of a form, and nothing but the next sentence ends its list.
        elif not is_code and not is_marked and _is_sentence(line):
            in_surroundings = False
        if is_code and not in_surroundings:
            yield Kind.CODE, line
        # A title may begin as a prompt does: "Make sure that …".
        elif is_code or _is_of_template(line, prompted=prompted and is_titled):
            continue
        elif not is_titled:
            # The first line that is not part of the form is the title.
            is_titled, in_surroundings = True, False
            yield (Kind.TITLE if len(line) <= _LONGEST_TITLE else Kind.PROSE), _plain_title(line)
        elif not in_surroundings:
            yield (Kind.CODE if _LOG.match(line) else Kind.PROSE), line


def _lines_with_fences(text: str) -> Iterator[tuple[bool, str]]:
    """The lines that are not blank, and whether each stands between fences."""
    in_fence = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_fence = not in_fence
        elif line.strip() and (in_fence or not _RULE.match(line)):
            yield in_fence, line


def _heading(line: str) -> str:
    """The text of a heading, "" for any other line."""
    match = _HEADING.match(line) if len(line) <= _LONGEST_SHAPE else None
    return next(filter(None, match.groups())).strip(" #") if match else ""


def _is_of_template(line: str, *, prompted: bool) -> bool:
    """Whether a line is the template's: a box to tick, a prompt, a version, a heading."""
    if len(line) > _LONGEST_SHAPE:
        return False
    shapes = (_CHECK, _VERSION, _LABEL, *((_PROMPT,) if prompted else ()))
    if any(shape.match(line) for shape in shapes):
        return True
    heading = _heading(line)
    # Headings of forms ask; a heading that the author wrote says something.
    is_prompt = prompted and heading.endswith("?") and line.lstrip().startswith(_HEADS)
    is_generic = all(word.lower() in _TEMPLATE for word in _WORD.findall(heading))
    return bool(heading) and (is_prompt or is_generic)


def _is_sentence(line: str) -> bool:
    return not line[:1].isspace() and len(_WORD.findall(line)) >= _SENTENCE


def _plain_title(line: str) -> str:
    """A title without the marks of a heading."""
    title = _SIGNS.sub("", line)
    tag = _TITLE_TAG.match(title)
    return (title[tag.end() :] if tag else title) or line
