"""Reports where indexed files contain secrets; the index holds none of their values.

A secret that a rule of `store.secrets` knows is replaced by a mark before a file is indexed. Each
mark is a finding: whoever has the history has a key that was committed. In tests, examples and
documents it is only a note, since the keys there are usually made up.
"""

from collections.abc import Iterator

from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.path_roles import role_of
from satchel.store.secrets import withheld
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, Severity

_HARMLESS = (Topic.TESTS, Topic.EXAMPLES, Topic.DOCUMENTATION)


def secrets(_context: CheckContext, file: StoredFile) -> Iterator[Finding]:
    """What looks like a secret in an indexed file; a note where keys are made up."""
    for line, name in withheld(file.source):
        message = f"looks like a secret: {name}"
        facts = file.projection.facts
        harmless = is_harmless(file.path, facts.language, is_test=file.projection.is_test)
        severity = Severity.INFO if harmless else Severity.WARNING
        yield Finding(severity, file.path, line, message)


def is_harmless(path: str, language: str, *, is_test: bool) -> bool:
    """Whether it lies where keys are made up: in tests, examples and documents."""
    role = role_of(path, language, is_test)
    return role.topic in _HARMLESS or bool(_FIXTURES & set(path.lower().split("/")[:-1]))


_FIXTURES = {
    "test", "tests", "testing", "fixtures", "fixture", "testdata", "mock", "mocks", "spec", "specs",
}  # fmt: skip
"""Folders of what serves tests, beyond what a language's convention calls test code."""
