"""Edges from one repository to another, by the packages that manifests publish and need."""

from pathlib import Path

import pytest

from satchel.hub import access, across, asking
from satchel.hub.building.manifests import named_packages
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.questions.request import About

TREES = {
    "lib": {
        "pyproject.toml": '[project]\nname = "Acme_Retry"\n'
        'dependencies = ["httpx>=1", "acme.retry"]\n',
        "acme_retry/__init__.py": "def with_jitter(n):\n    return n\n\n\n"
        "def unused():\n    pass\n",
    },
    "api": {
        "requirements.txt": "# ours\nacme-retry==1.0 ; python_version > '3'\n-r other.txt\n",
        "app.py": "from acme_retry import with_jitter\n\ndef call():\n    return with_jitter(3)\n",
        "other.py": "def far(x):\n    return x.with_jitter()\n",
    },
    "web": {"package.json": '{"name": "web", "dependencies": {"left-pad": "1"}}',
            "app.js": "with_jitter(1);\n"},
    "own": {"requirements.txt": "acme-retry\n",
            "mine.py": "def with_jitter():\n    pass\n\n\ndef g():\n    return with_jitter()\n"},
}  # fmt: skip


@pytest.fixture
def team(tmp_path: Path, built, hub: Hub) -> Hub:
    for name, files in TREES.items():
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
        assert built(tmp_path / name).problem == ""
    return hub


def test_uses_are_found_where_the_package_is_needed(team: Hub) -> None:
    with asking.view(team, "lib", About(names=("with_jitter",))) as view:
        found = across.uses(team, view.snapshot, "with_jitter", 10)
    assert found.asked == ("api", "own")
    assert [(use.path, use.line, use.user, use.confidence) for use in found.uses] == [
        ("api/app.py", 4, "call", across.IMPORTED),
        ("api/other.py", 2, "far", across.NEEDED),
    ]
    assert {(use.ecosystem, use.package) for use in found.uses} == {("python", "acme-retry")}
    with asking.view(team, "lib", About(names=("unused",))) as view:
        assert across.uses(team, view.snapshot, "unused", 10).uses == ()


def test_repositories_that_were_not_asked_are_counted(
    team: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(across, "_MOST_REPOSITORIES", 1)
    with asking.view(team, "lib", About(names=("with_jitter",))) as view:
        found = across.uses(team, view.snapshot, "with_jitter", 10)
    assert (found.asked, found.n_needing) == (("api",), 2)
    assert next(across.lines(found)).endswith(": api, and 1 more, which were not asked")


def test_a_reader_sees_users_in_what_was_granted_only(team: Hub) -> None:
    access.grant(team, "ann", "lib")
    with asking.view(
        team, "lib", About(names=("with_jitter",)), None, access.role_of("ann")
    ) as view:
        found = across.uses(team, view.snapshot, "with_jitter", 10)
    assert (found.uses, found.asked) == ((), ())


MANIFESTS = {
    "a/package.json": '{"name": "@acme/a", "peerDependencies": {"react": "*"}}',
    "b/Cargo.toml": '[package]\nname = "b"\n[dependencies]\nser = {package = "serde"}\nlog = "1"\n',
    "c/go.mod": "module example.org/c\nrequire (\n\texample.org/x v1.2.3\n)\nrequire a.b/y v0.1\n",
    "d/pom.xml": "<project><artifactId>d</artifactId><dependencies><dependency>"
    "<groupId>g</groupId><artifactId>guava</artifactId></dependency></dependencies></project>",
    "e/E.csproj": '<Project><PackageReference Include="Dapper" Version="2" /></Project>',
    "f/pyproject.toml": '[project]\nname = "f"\n[dependency-groups]\ndev = ["pytest", {x = "y"}]\n'
    '[tool.poetry.dependencies]\npython = "^3"\nrich = "*"\n',
    "g/package.json": '{"name": 7, "dependencies": ["x"]}',
    "h/Cargo.toml": "not = [toml",
    "i/package.json": "[" * 100_000,
    "j/package.json": r'{"name": "\ud800", "dependencies": {"a\ud800": "1", "a\u0000": "1"}}',
}


def test_every_kind_of_manifest_is_read_and_broken_ones_say_nothing(
    tmp_path: Path, built, hub: Hub
) -> None:
    for path, text in MANIFESTS.items():
        (tmp_path / "all" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / path).write_text(text)
    assert built(tmp_path / "all").problem == ""
    found = {
        (ecosystem, name, needed)
        for ecosystem, name, needed in rows(hub, "SELECT ecosystem, name, is_needed FROM packages")
    }
    assert found == {
        ("npm", "@acme/a", False), ("npm", "react", True), ("cargo", "b", False),
        ("cargo", "serde", True), ("cargo", "log", True), ("go", "example.org/c", False),
        ("go", "example.org/x", True), ("go", "a.b/y", True), ("maven", "d", False),
        ("maven", "guava", True), ("dotnet", "E", False), ("dotnet", "Dapper", True),
        ("python", "f", False), ("python", "pytest", True), ("python", "rich", True),
    }  # fmt: skip
    assert len(named_packages(PgSnapshot(hub, builds(hub)))) == len(found)
