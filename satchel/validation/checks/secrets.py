"""Secrets in what is indexed: whatever the index holds, packs can show.

Rules name the issuer's own prefix and length, after the published formats that gitleaks collects
too; a rule without a prefix would cry wolf. A match counts when it is not a placeholder: letters
of an example, a counted-up alphabet, one character over and over. What lies in tests, examples and
documents is said without failing: keys that nobody is locked out with are made for those.
The text of a secret is never repeated.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.path_roles import place_of
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, Severity

_MIN_BITS = 3.0
"""Shannon entropy a character that the random part must have; random base 16 has up to 4."""
_PLACEHOLDER = re.compile(
    rb"(?i)example|sample|dummy|fake|placeholder|redacted|changeme|your|test|x{4}|0{5}|1234|abcd"
)
_PUBLIC = (b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1",)
"""How keys begin that open nothing: that of the Azure Storage emulator, the same for everybody."""
_HARMLESS = (Topic.TESTS, Topic.EXAMPLES, Topic.DOCUMENTATION)


@dataclass(frozen=True, slots=True)
class Rule:
    """`mark` is in every match, so that a file without it is not searched; group 1 is random."""

    name: str
    mark: bytes
    pattern: re.Pattern[bytes]


def _rule(name: str, mark: bytes, pattern: bytes) -> Rule:
    return Rule(name, mark, re.compile(rb"(?<![A-Za-z0-9_])" + pattern))


_END = rb"(?![A-Za-z0-9_-])"
_PEM = rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|[\s\"'+,;])*"
RULES = (
    _rule("AWS access key", b"AKIA", rb"AKIA([A-Z2-7]{16})" + _END),
    _rule("AWS temporary access key", b"ASIA", rb"ASIA([A-Z2-7]{16})" + _END),
    *(
        _rule("GitHub token", f"gh{kind}_".encode(), rb"gh[a-z]_([A-Za-z0-9]{36})" + _END)
        for kind in "pousr"
    ),
    _rule("GitHub token", b"github_pat_", rb"github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})" + _END),
    _rule("GitLab token", b"glpat-", rb"glpat-([A-Za-z0-9_-]{20})" + _END),
    _rule("Slack token", b"xox", rb"xox[abeprs]-([0-9]{8,}-[A-Za-z0-9-]{20,})"),
    _rule(
        "Slack webhook", b"hooks.slack.com/services/",
        rb"hooks\.slack\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/([A-Za-z0-9]{24})" + _END,
    ),
    _rule("Google API key", b"AIza", rb"AIza([A-Za-z0-9_-]{35})" + _END),
    _rule("Stripe live key", b"k_live_", rb"[sr]k_live_([A-Za-z0-9]{24,})" + _END),
    _rule("OpenAI key", b"T3BlbkFJ", rb"sk-([A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})"),
    _rule("Anthropic key", b"sk-ant-", rb"sk-ant-[a-z0-9]+-([A-Za-z0-9_-]{80,})"),
    _rule("npm token", b"npm_", rb"npm_([A-Za-z0-9]{36})" + _END),
    _rule("PyPI token", b"pypi-AgEIcHlwaS5vcmc", rb"pypi-AgEIcHlwaS5vcmc([A-Za-z0-9_-]{50,})"),
    _rule("SendGrid key", b"SG.", rb"SG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})" + _END),
    _rule("DigitalOcean token", b"dop_v1_", rb"dop_v1_([a-f0-9]{64})" + _END),
    _rule("Hugging Face token", b"hf_", rb"hf_([A-Za-z]{34})" + _END),
    _rule("Shopify token", b"shpat_", rb"shpat_([a-fA-F0-9]{32})" + _END),
    _rule("Databricks token", b"dapi", rb"dapi([a-f0-9]{32})" + _END),
    _rule("Vault token", b"hvs.", rb"hvs\.([A-Za-z0-9_-]{90,})"),
    _rule("age key", b"AGE-SECRET-KEY-1", rb"AGE-SECRET-KEY-1([A-Z0-9]{58})" + _END),
    _rule("Azure storage key", b"AccountKey=", rb"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _rule("Slack app token", b"xapp-", rb"xapp-(1-[A-Z0-9]{9,}-[0-9]{10,}-[a-f0-9]{64})" + _END),
    _rule("Twilio key", b"SK", rb"SK([0-9a-f]{32})" + _END),
    _rule("Telegram bot token", b":AA", rb"[0-9]{8,10}:AA([A-Za-z0-9_-]{33})" + _END),
    _rule("Mailgun key", b"key-", rb"key-([0-9a-f]{32})" + _END),
    _rule("Square token", b"sq0", rb"sq0[a-z]{3}-([A-Za-z0-9_-]{22,43})" + _END),
    _rule("Atlassian token", b"ATATT3", rb"ATATT3([A-Za-z0-9_=-]{180,})"),
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
    _rule("password in an address", b"://", rb"[a-z][a-z0-9+]{1,20}://[^\s:@/'\"<>]{1,60}:"
          rb"([^\s:@/'\"<>{}$()\[\]]{12,80})@[a-z0-9]"),
    Rule("private key", b"PRIVATE KEY", re.compile(_PEM + rb"([A-Za-z0-9+/=]{40,})")),
)  # fmt: skip


def secrets(_evidence: CheckContext, held: StoredFile) -> Iterator[Finding]:
    """What looks like a secret in an indexed file; a note where keys are made up."""
    for line, name in scan(held.source):
        said = f"looks like a secret: {name}"
        facts = held.projection.facts
        harmless = is_harmless(held.path, facts.language, is_test=held.projection.is_test)
        severity = Severity.INFO if harmless else Severity.WARNING
        yield Finding("V050", severity, held.path, line, said)


def scan(data: bytes) -> Iterator[tuple[int, str]]:
    """(line, rule) of everything that looks like a secret, by line, each line and rule once."""
    found: set[tuple[int, str]] = set()
    for rule in RULES:
        if rule.mark not in data:
            continue
        for match in rule.pattern.finditer(data):
            if _is_random(match[1]):
                found.add((data.count(b"\n", 0, match.start()) + 1, rule.name))
    yield from sorted(found)


def _is_random(text: bytes) -> bool:
    if _PLACEHOLDER.search(text) or text.startswith(_PUBLIC):
        return False
    counts = Counter(text).values()
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
    return bits >= _MIN_BITS


def is_harmless(path: str, language: str, *, is_test: bool) -> bool:
    """Whether it lies where keys are made up: in tests, examples and documents."""
    place = place_of(path, language, is_test)
    return place.topic in _HARMLESS or bool(_FIXTURES & set(path.lower().split("/")[:-1]))


_FIXTURES = {
    "test", "tests", "testing", "fixtures", "fixture", "testdata", "mock", "mocks", "spec", "specs",
}  # fmt: skip
"""Folders of what serves tests, beyond what a language's convention calls test code."""
