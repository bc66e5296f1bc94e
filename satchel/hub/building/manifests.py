"""Which packages a repository publishes and which it needs, by its manifests.

Names are those of the ecosystem's registry, Python's normalised as PEP 503 says; versions do not
count, since a hub holds one version of each repository. Manifests of tests say nothing.
"""

import re

from msgspec import Struct

from satchel.assembler.lookup import manifests
from satchel.assembler.survey.packages import packages
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_MOST = 5_000
"""Names that one repository needs; what lists more is data."""


class Named(Struct, frozen=True, order=True):
    """A package that a manifest publishes, or needs from elsewhere."""

    ecosystem: str
    name: str
    is_needed: bool
    manifest: RepoPath


def named_packages(snapshot: Snapshot) -> list[Named]:
    """Every package that is published or needed, in order, each manifest's once."""
    found = {
        Named(each.kind, normal(each.kind, each.name), False, each.manifest)
        for each in packages(snapshot)
    }
    for file, manifest, text in manifests.manifests(snapshot, snapshot.files.all()):
        found |= {
            Named(manifest.kind, normal(manifest.kind, name), True, file.path)
            for name in manifests.names(manifest.needs, text)
        }
    # JSON can name half a character, which PostgreSQL does not take, and no registry either.
    found = {each for each in found if each.name.isprintable()}
    # What a repository publishes itself it does not need from others.
    own = {(each.ecosystem, each.name) for each in found if not each.is_needed}
    kept = (each for each in found if not each.is_needed or (each.ecosystem, each.name) not in own)
    # Sorted before it is cut, since a set has no order of its own.
    return sorted(kept)[:_MOST]


def normal(ecosystem: str, name: str) -> str:
    """A name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "python" else name
