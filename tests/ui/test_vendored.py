"""What is vendored is what npm gave, with its licence, and small."""

import hashlib
import json

from tests.support.vendor import LANGUAGES, PACKAGES, VENDOR

RECORD = json.loads((VENDOR / "PACKAGES.json").read_text("utf-8"))
MAX_BYTES = 1_500_000


def test_every_file_is_the_one_that_was_fetched():
    known = {name: digest for package in RECORD for name, digest in package["files"].items()}
    found = {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name != "PACKAGES.json"
    }
    assert found == known


def test_versions_are_those_that_the_script_pins_and_licences_lie_beside():
    assert [(p["name"], p["version"], p["integrity"]) for p in RECORD] == [
        (p["name"], p["version"], p["integrity"]) for p in PACKAGES
    ]
    for package in RECORD:
        assert any(name.endswith("LICENSE") for name in package["files"])


def test_they_are_small():
    assert sum(path.stat().st_size for path in VENDOR.rglob("*.*")) < MAX_BYTES


def test_every_language_with_a_grammar_here_is_highlighted():
    from satchel.indexer.languages.code import CODE

    worker = (VENDOR.parent / "highlight-worker.js").read_text("utf-8")
    names = {language.name for language in CODE}
    others = {name for name in names if f"{name}: " in worker or f'"{name}"' in worker}
    assert names <= {*LANGUAGES, *others}
