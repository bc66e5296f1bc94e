"""Versions of installed packages, by what lies beside them: each file is read once for all of them.

An environment in a checkout is anybody's, so what is read has a bound in all; a package whose
version that leaves unknown is asked along like any other.
"""

import errno
import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from satchel.indexer.scan.open_below import content
from satchel.workspace.dependencies.installed import NPM, PYTHON, Package, names_in

MAX_RECORD_BYTES = 4 << 20
"""Bytes of a list of installed files that are read; the longest of real packages has half of it."""
MAX_PACKAGE_JSON_BYTES = 1 << 20
MAX_BYTES = 64 << 20
"""Bytes of all files that are read for versions: twice what 2,000 real packages have."""
_MAX_VERSION = 100


class _ReadLimit(Struct):
    """How many bytes may still be read."""

    left: int = MAX_BYTES

    def read(self, path: Path, below: Path, most: int) -> str:
        """A text, or OSError; what is too long counts as well, since it was read until there."""
        most = min(most, self.left)
        try:
            data = content(path, most, below=below)
        except OSError as error:
            self.left -= most if error.errno == errno.EFBIG else 0
            raise
        self.left -= len(data)
        return data.decode()


def with_versions(packages: Sequence[Package]) -> tuple[list[Package], bool]:
    """The packages with their versions, "" where none is told; and whether all was read for it."""
    limit = _ReadLimit()
    python: dict[Path, list[Package]] = {}
    for each in packages:
        if each.kind == PYTHON:
            python.setdefault(each.place.parent, []).append(each)
    python_versions = {
        (site, name): version
        for site, found in sorted(python.items())
        for name, version in _python(site, found, limit).items()
    }
    done = []
    # In the order that was given, so that the files read before the limit are always the same.
    for each in packages:
        version = each.version
        if each.kind == PYTHON:
            version = python_versions.get((each.place.parent, each.place.name), "")
        elif each.kind == NPM:
            version = _npm(each, limit)
        done.append(replace(each, version=version))
    return done, limit.left > 0


def _python(site: Path, packages: Sequence[Package], limit: _ReadLimit) -> dict[str, str]:
    """Versions of the modules of one environment, by the names of their places."""
    infos = [name for name in names_in(site) if name.endswith(".dist-info")]
    by_name: dict[str, str] = {}
    # Most are called like their modules, and their names alone tell the version.
    for info in infos:
        name, _, version = info.removesuffix(".dist-info").partition("-")
        by_name.setdefault(_normal_name(name), version)
    found = {
        each.place.name: by_name[_normal_name(each.name)]
        for each in packages
        if _normal_name(each.name) in by_name
    }
    # Distributions need not be called like their modules (PyYAML has `yaml`).
    others = {each.place.name for each in packages} - set(found)
    for info in infos:
        if others <= found.keys():
            break
        with suppress(OSError, UnicodeDecodeError):
            record = limit.read(site / info / "RECORD", site, MAX_RECORD_BYTES)
            for name in _modules(record, others):
                found.setdefault(name, info.removesuffix(".dist-info").partition("-")[2])
    return found


def _modules(record: str, wanted: Iterable[str]) -> list[str]:
    """Those of the wanted that a list of installed files begins with."""
    first = {re.split("[/,]", line, maxsplit=1)[0] for line in record.splitlines()}
    return sorted(first.intersection(wanted))


def _npm(package: Package, limit: _ReadLimit) -> str:
    with suppress(OSError, ValueError, AttributeError, RecursionError):
        place = package.place
        said = json.loads(limit.read(place / "package.json", place, MAX_PACKAGE_JSON_BYTES))
        version = said.get("version")
        if isinstance(version, str) and len(version) < _MAX_VERSION:
            return version
    return ""


def _normal_name(name: str) -> str:
    """A name of a distribution, or of its module, so that both compare equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
