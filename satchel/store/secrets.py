"""Secrets (passwords, tokens, keys), found by patterns and removed from texts. Pure.

The one list of patterns, for the index, for validation and for what is known. Rules name the
issuer's own prefix and length, after the published formats that gitleaks collects too. A rule
without a prefix would find much code that is no secret, so those stand apart: `LOOSE` and `AFTER`
are for prose that somebody writes down, where a word too many is no harm. A match of a rule counts
when it is not a placeholder: letters of an example, a counted-up alphabet, one character over and
over.

Whatever the bytes are, each pattern takes time linear in them: repetitions are bounded, or cannot
begin inside of themselves.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from msgspec import Struct

PRIVATE_KEY = "private key"
_MIN_BITS = 3.0
"""Shannon entropy a character that the random part must have; random base 16 has up to 4."""
_START = rb"(?<![A-Za-z0-9_])"
_MANY_BYTES = 1_000
"""From so many bytes on it is quicker to find out first which rules are possible."""
_PLACEHOLDER = re.compile(
    rb"(?i)example|sample|dummy|fake|placeholder|redacted|changeme|your|test|x{4}|0{5}|1234|abcd"
)
_PUBLIC = (b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",)
"""How public keys of this form begin: that of the Azure Storage emulator, the same everywhere."""


class Rule(Struct, frozen=True):
    """`mark` is in every match, so that a file without it is not searched; group 1 is random.

    `core`, where there is one, is in every match too: most begin with the mark, which is found
    quicker than a pattern that looks behind or begins with any letter.
    """

    name: str
    mark: bytes
    pattern: bytes
    core: bytes = b""


def _rule(name: str, mark: bytes, pattern: bytes) -> Rule:
    return Rule(name, mark, _START + pattern, pattern)


# What goes on as a word is longer than the format of its issuer, and is something else.
_END = rb"(?![A-Za-z0-9_-])"
_GAP = rb"(?:\\[nr]|[\s\"'+,;]){0,200}"
# Headers of an encrypted key, or of PGP's, stand between.
_PEM = (
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    + _GAP
    + rb"(?:[A-Za-z][A-Za-z-]{1,30}: [^\n\\]{1,120}"
    + _GAP
    + rb"){0,4}"
)
_WITH_PASSWORD = rb"://[^\s:@/'\"<>]{1,60}:([^\s:@/'\"<>{}$()\[\]]{12,80})@[a-z0-9]"
RULES: tuple[Rule, ...] = (
    _rule("AWS access key", b"AKIA", rb"AKIA([A-Z2-7]{16})" + _END),
    _rule("AWS temporary access key", b"ASIA", rb"ASIA([A-Z2-7]{16})" + _END),
    *(
        _rule("GitHub token", f"gh{kind}_".encode(), rb"gh[a-z]_([A-Za-z0-9]{36})" + _END)
        for kind in "pousr"
    ),
    _rule("GitHub token", b"github_pat_", rb"github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})" + _END),
    _rule("GitLab token", b"glpat-", rb"glpat-([A-Za-z0-9_-]{20})" + _END),
    _rule("Slack token", b"xox", rb"xox[abeprs]-([0-9]{8,20}-[A-Za-z0-9-]{20,200})"),
    _rule(
        "Slack webhook", b"hooks.slack.com/services/",
        rb"hooks\.slack\.com/services/T[A-Z0-9]{8,20}/B[A-Z0-9]{8,20}/([A-Za-z0-9]{24})" + _END,
    ),
    _rule("Google API key", b"AIza", rb"AIza([A-Za-z0-9_-]{35})" + _END),
    _rule("Stripe live key", b"k_live_", rb"[sr]k_live_([A-Za-z0-9]{24,300})" + _END),
    _rule("OpenAI key", b"T3BlbkFJ",
          rb"(?<!-)sk-([A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,200})"),
    _rule("Anthropic key", b"sk-ant-", rb"(?<!-)sk-ant-[a-z0-9]{1,20}-([A-Za-z0-9_-]{80,200})"),
    _rule("npm token", b"npm_", rb"npm_([A-Za-z0-9]{36})" + _END),
    _rule("PyPI token", b"pypi-AgEIcHlwaS5vcmc", rb"pypi-AgEIcHlwaS5vcmc([A-Za-z0-9_-]{50,300})"),
    _rule("SendGrid key", b"SG.", rb"SG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})" + _END),
    _rule("DigitalOcean token", b"dop_v1_", rb"dop_v1_([a-f0-9]{64})" + _END),
    _rule("Hugging Face token", b"hf_", rb"hf_([A-Za-z]{34})" + _END),
    _rule("Shopify token", b"shpat_", rb"shpat_([a-fA-F0-9]{32})" + _END),
    _rule("Databricks token", b"dapi", rb"dapi([a-f0-9]{32})" + _END),
    _rule("Vault token", b"hvs.", rb"hvs\.([A-Za-z0-9_-]{90,300})"),
    _rule("age key", b"AGE-SECRET-KEY-1", rb"AGE-SECRET-KEY-1([A-Z0-9]{58})" + _END),
    _rule("Azure storage key", b"AccountKey=", rb"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _rule("Slack app token", b"xapp-",
          rb"xapp-(1-[A-Z0-9]{9,20}-[0-9]{10,20}-[a-f0-9]{64})" + _END),
    _rule("Twilio key", b"SK", rb"SK([0-9a-f]{32})" + _END),
    _rule("Telegram bot token", b":AA", rb"[0-9]{8,10}:AA([A-Za-z0-9_-]{33})" + _END),
    _rule("Mailgun key", b"key-", rb"key-([0-9a-f]{32})" + _END),
    _rule("Square token", b"sq0", rb"sq0[a-z]{3}-([A-Za-z0-9_-]{22,43})" + _END),
    _rule("Atlassian token", b"ATATT3", rb"ATATT3([A-Za-z0-9_=-]{180,300})"),
    _rule("Grafana token", b"glsa_", rb"glsa_([A-Za-z0-9]{32}_[a-f0-9]{8})" + _END),
    _rule("New Relic key", b"NRAK-", rb"NRAK-([A-Z0-9]{27})" + _END),
    _rule("Postman key", b"PMAK-", rb"PMAK-([a-f0-9]{24}-[a-f0-9]{34})" + _END),
    _rule("Linear key", b"lin_api_", rb"lin_api_([A-Za-z0-9]{40})" + _END),
    _rule("PlanetScale token", b"pscale_tkn_", rb"pscale_tkn_([A-Za-z0-9_.-]{32,64})" + _END),
    _rule("Pulumi token", b"pul-", rb"pul-([a-f0-9]{40})" + _END),
    _rule("Doppler token", b"dp.pt.", rb"dp\.pt\.([A-Za-z0-9]{40,44})" + _END),
    _rule("Terraform token", b".atlasv1.", rb"[A-Za-z0-9]{14}\.atlasv1\.([A-Za-z0-9_=-]{60,70})"),
    *(
        _rule("AWS secret key", mark, mark + rb"[\s\"':=]{1,6}([A-Za-z0-9/+]{40})" + _END)
        for mark in (b"aws_secret_access_key", b"AWS_SECRET_ACCESS_KEY")
    ),
    Rule("password in an address", b"://",
         _START + rb"[a-z][a-z0-9+]{1,20}" + _WITH_PASSWORD, _WITH_PASSWORD),
    Rule("private key", b"PRIVATE KEY", _PEM + rb"([A-Za-z0-9+/=]{40,4000})"),
)  # fmt: skip

# An issuer's key id alone says little; what opens the door has no format, and stands beside it. A
# name that goes on with one of these words says where a secret is, or which.
_BESIDE = Rule(
    "secret beside another", b"",
    rb"(?i)(?:secret|passw(?:or)?d|passphrase|pwd|token|credential|key)"
    rb"(?![a-z0-9_]{0,30}(?:name|file|path|url|arn|id|dir|type|label)[\"'`\])\s:=])"
    rb"[a-z0-9_]{0,30}[\"'`\])]{0,3}[ \t]{0,20}(?:=>|:=|[=:,])[ \t]{0,20}[\"'`]?"
    rb"((?=[a-z/+_=!#%^&*~-]{0,200}[0-9])(?=[0-9/+_=!#%^&*~-]{0,200}[a-z])"
    rb"(?!/)[a-z0-9/+_=!#%^&*~-]{16,200})(?![a-z0-9(.\[])",
)  # fmt: skip
_NEAR = 1_000
"""Bytes; what stands beside a secret is in the same paragraph, and no further from it."""

_NAMES = frozenset(rule.name for rule in (*RULES, _BESIDE))
_WITHHELD = re.compile("‹secret: ([A-Za-z0-9 ]{1,40})›".encode())
_TOKEN = re.compile(rb"[A-Za-z0-9_-]*")
_BODY = re.compile(rb"(?:[A-Za-z0-9+/=\s\"'+,;]|\\[nr]){0,16000}")
_BASE64 = re.compile(rb"\\[a-z]|[A-Za-z0-9+/=]+")
_MAX_KEY = 16_000
"""Bytes; a key of 16,384 bits has 12,500 in base 64."""

LOOSE = (
    re.compile(
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)",
        re.S,
    ),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b"),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}"),
    re.compile(r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\b[sr]k[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    re.compile(r"\bpypi-[A-Za-z0-9_-]{40,}|\bnpm_[A-Za-z0-9]{30,}\b|\bhf_[A-Za-z0-9]{30,}\b"),
    re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
)
"""The whole match goes."""
AFTER = (
    re.compile(r"(?i)(\bbearer\s{1,10})[A-Za-z0-9._~+/=-]{16,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|access[_-]?key|auth[_-]?token|token|secret|passw(?:or)?d|pwd)"
        r"[\"']?\s{0,10}[:=]\s{0,10}[\"']?)(?!\[REDACTED\]|‹secret)[^\s\"',;]{8,}"
    ),
    re.compile(r"((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,30}://[^\s:/@]{0,100}:)[^\s:/@]{1,200}(?=@)"),
)
"""What the group holds stays: it says what was taken out."""


def scan(data: bytes) -> Iterator[tuple[int, str]]:
    """(line, rule) of everything that looks like a secret, by line, each line and rule once."""
    found = {
        (data.count(b"\n", 0, match.start()) + 1, rule.name) for rule, match in _find_secrets(data)
    }
    yield from sorted(found)


def redacted(data: bytes) -> bytes:
    """The bytes with `‹secret: kind›` where a secret's random part stands; lines stay lines.

    What holds no secret is returned as it is, to the byte. Doing it again changes nothing.
    """
    # Sorted by place, because rules are asked one after the other and two may match the same text.
    spans = sorted((*_span(data, rule, match), rule.name) for rule, match in _find_secrets(data))
    if not spans:
        return data
    parts: list[bytes] = []
    end = 0
    for start, stop, name in spans:
        if start < end:  # two rules mean the same characters
            start, name = end, ""
        if stop <= end:
            continue
        parts += [data[end:start], _instead(data[start:stop], name)]
        end = stop
    return b"".join([*parts, data[end:]])


def withheld(data: bytes) -> Iterator[tuple[int, str]]:
    """(line, rule) of every mark that `without` left, by line, each line and rule once."""
    found = {
        (data.count(b"\n", 0, match.start()) + 1, match[1].decode())
        for match in _WITHHELD.finditer(data)
        # A text may quote such a mark with any words in it.
        if match[1].decode() in _NAMES
    }
    yield from sorted(found)


def _find_secrets(data: bytes) -> list[tuple[Rule, re.Match[bytes]]]:
    """What has a format of its own, then what is assigned beside it to a name that says secret."""
    found = list(_find_formats(data))
    taken = sorted(_span(data, rule, match) for rule, match in found)
    for start, end in _paragraphs(data, taken):
        for match in re.compile(_BESIDE.pattern).finditer(data, start, end):
            at = bisect_left(taken, (match.end(1),))
            is_new = at == 0 or taken[at - 1][1] <= match.start(1)
            if is_new and _is_random(match[1]):
                found.append((_BESIDE, match))
    return found


def _paragraphs(data: bytes, taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is near to some places, in order; no byte is in two of them."""
    near: list[tuple[int, int]] = []
    for start, end in taken:
        first = data.rfind(b"\n\n", max(start - _NEAR, 0), start)
        last = data.find(b"\n\n", end, end + _NEAR)
        begin = max(start - _NEAR, 0) if first < 0 else first
        stop = end + _NEAR if last < 0 else last
        if near and begin <= near[-1][1]:
            begin, stop = near[-1][0], max(near[-1][1], stop)
            near.pop()
        near.append((begin, stop))
    return near


def _find_formats(data: bytes) -> Iterator[tuple[Rule, re.Match[bytes]]]:
    for rule in _possible(data) if len(data) > _MANY_BYTES else RULES:
        # `re` keeps what it has compiled, and most patterns are never needed.
        if rule.mark in data and (not rule.core or re.search(rule.core, data)):
            yield from ((rule, m) for m in re.finditer(rule.pattern, data) if _is_random(m[1]))


def _possible(data: bytes) -> list[Rule]:
    """The rules of whose marks every two neighbouring bytes stand somewhere in `data`."""
    # Looking for each mark reads the text as often as there are rules; this reads it once.
    import numpy as np  # knowledge asks about texts of some lines, and does without it

    there = np.zeros(1 << 16, dtype=np.bool_)
    for start in (0, 1):
        there[np.frombuffer(data, "<u2", (len(data) - start) // 2, start)] = True
    pairs, firsts = _pairs_of_marks()
    are_there = np.logical_and.reduceat(there[pairs], firsts)
    return [RULES[number] for number in np.flatnonzero(are_there)]


@cache
def _pairs_of_marks() -> tuple[list[int], list[int]]:
    """Every two neighbouring bytes of each rule's mark, and where those of each rule begin."""
    pairs: list[int] = []
    firsts: list[int] = []
    for rule in RULES:
        firsts.append(len(pairs))
        pairs += [one | two << 8 for one, two in pairwise(rule.mark)]
    return pairs, firsts


def _span(data: bytes, rule: Rule, match: re.Match[bytes]) -> tuple[int, int]:
    """What is taken out: the random part, to the end of its characters; a key to its last line."""
    start, end = match.span(1)
    if rule.name != PRIVATE_KEY:
        # A pattern ends at the length of its format; what goes on behind it is of the same value.
        tail = _TOKEN.match(data, end)
        return start, tail.end() if tail else end
    closing = data.find(b"-----END", end, end + _MAX_KEY)
    # The last line may be missing, as in a text that was cut off.
    if closing < 0:
        body = _BODY.match(data, end)
        return start, body.end() if body else end
    return start, closing


def _instead(taken: bytes, name: str) -> bytes:
    """A mark, then what is no secret of a key's body: ends of lines, quotes, escapes."""
    mark = f"‹secret: {name}›".encode() if name else b""
    if name != PRIVATE_KEY:
        return mark
    return mark + _BASE64.sub(lambda match: match[0] if match[0][:1] == b"\\" else b"", taken)


def _is_random(text: bytes) -> bool:
    if _PLACEHOLDER.search(text) or text.startswith(_PUBLIC):
        return False
    # Entropy is taken over the characters of this text alone (Shannon 1948).
    counts = Counter(text).values()
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
    return bits >= _MIN_BITS
