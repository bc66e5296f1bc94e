"""The sdist makes a wheel that holds what a user needs and nothing else, and answers on its own."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from email.message import Message
from email.parser import Parser
from functools import partial
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

from satchel.indexer.languages.detect import LANGUAGES
from satchel.store.vectors import shipped_table
from tests.support.architecture import product_files
from tests.support.satchel import ROOT

MAX_BYTES = 18_000_000
TEXTS = {".md", ".py", ".toml", ".yml", ".yaml", ".json", ".sh", ".js", ".html", ".txt", ""}
_NAME = r"""["'` ]satchel(?!(?:\[[a-z,]+\])? @ )(?:\[|[=~<>!]=|["'`)\s]|$)"""
BY_NAME = re.compile(
    r"(?:\bpip3? (?:install|wheel|download)|\bpipx (?:run|install)|\buvx"
    rf"|\buv (?:tool (?:run|install)|pip install|add))\b[^`]*{_NAME}"
    r"""|["'`]satchel\[[a-z,]+\]["'`]"""
)
"""A line that installs the package by its name alone, or names one of its extras by it."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from an sdist that was built from the checkout, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    [packed] = SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    source = packed.removesuffix(".tar.gz")
    [built] = WheelBuilder(source).build(directory=str(folder), versions=["standard"])
    return Path(built)


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def _dist_info(unpacked: Path) -> Path:
    [folder] = unpacked.glob("satchel-*.dist-info")
    return folder


def _metadata(unpacked: Path) -> Message:
    return Parser().parsestr((_dist_info(unpacked) / "METADATA").read_text("utf-8"))


def test_it_holds_the_packages_and_nothing_else(names: list[str]):
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"satchel"}
    kinds = {Path(name).suffix for name in names if ".dist-info/" not in name}
    page = {".html", ".css", ".js", ".svg", ".json"}
    assert kinds - {".so", ".pyd"} == {".py", ".scm", ".z", ".bin", ".typed", ".0", "", *page}
    of_page = [name for name in names if Path(name).suffix in page]
    elsewhere = [name for name in of_page if not name.startswith("satchel/ui/static/")]
    assert elsewhere == [
        "satchel/assembler/query/kinds_of_question.json",
        "satchel/assembler/ranking/learned.json",
    ]
    assert [n for n in names if ".dist-info/" not in n and not Path(n).suffix] == [
        "satchel/indexer/languages/licences/NOTICE",
        "satchel/store/vectors/table/NOTICE",
        "satchel/store/vocab/NOTICE",
        "satchel/ui/static/vendor/highlight/LICENSE",
    ]


def test_it_holds_every_module_once_and_says_that_it_is_typed(names: list[str]):
    modules = [path.relative_to(ROOT).as_posix() for path in product_files(ROOT)]
    wanted = {f"satchel/{name.removeprefix('satchel/')}" for name in modules}
    assert {name for name in names if name.endswith(".py")} == wanted
    assert len(names) == len(set(names))
    assert "satchel/py.typed" in names


def test_it_holds_every_query_vocabulary_and_table(names: list[str]):
    queries = {q for language in LANGUAGES if language.query for q in language.query.split("+")}
    assert {f"satchel/indexer/languages/queries/{query}.scm" for query in queries} <= set(names)
    assert {"satchel/store/vocab/cl100k_base.z", "satchel/store/vocab/o200k_base.z"} <= set(names)
    assert f"satchel/store/vectors/table/{shipped_table.FILE}" in names


def test_it_holds_the_grammars_that_are_used_and_no_pack_of_all(unpacked: Path, wheel: Path):
    used = sorted({language.grammar for language in LANGUAGES if language.grammar})
    # A module that is None is one that cannot be imported.
    program = (
        "import sys; sys.modules['tree_sitter_language_pack'] = None\n"
        "from satchel.indexer.extract import parse; print(parse.__file__)\n"
        f"for name in {used!r}: parse.parse(b'a', name)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout.startswith(str(unpacked))
    folder = unpacked / "satchel" / "indexer" / "languages" / "grammars"
    assert len(list(folder.iterdir())) == len(set(used) - {"csharp"})
    required = _metadata(unpacked).get_all("Requires-Dist", [])
    base = [line for line in required if "extra ==" not in line]
    assert not any(line.startswith("tree-sitter-language-pack") for line in base)
    assert "-cp311-abi3-" in wheel.name


def test_what_is_imported_is_there_on_every_system(unpacked: Path):
    # One that only Windows and macOS got was imported on Linux too, where a program overran.
    required = _metadata(unpacked).get_all("Requires-Dist", [])
    assert [line for line in required if "platform" in line] == []


def test_it_is_small_and_carries_the_licence(wheel: Path, unpacked: Path):
    assert wheel.stat().st_size < MAX_BYTES
    licence = (_dist_info(unpacked) / "licenses" / "LICENSE").read_text("utf-8")
    assert licence == (ROOT / "LICENSE").read_text("utf-8")


def test_what_others_wrote_has_its_licence_beside_it(unpacked: Path):
    package = unpacked / "satchel"
    permission = (ROOT / "LICENSE").read_text("utf-8").partition("Permission is hereby")[2]
    languages = package / "indexer" / "languages"
    notice = (languages / "licences" / "NOTICE").read_text("utf-8")
    assert permission in notice and permission in (package / "store/vocab/NOTICE").read_text(
        "utf-8"
    )
    licensed = re.findall(r"^(\w+): Copyright", notice, re.MULTILINE)
    shipped = sorted(path.name.partition(".")[0] for path in (languages / "grammars").iterdir())
    assert licensed == shipped
    assert "Apache License" in (languages / "licences" / "Apache-2.0").read_text("utf-8")
    [page] = json.loads((package / "ui/static/vendor/PACKAGES.json").read_text("utf-8"))
    highlight = (package / "ui/static/vendor/highlight/LICENSE").read_text("utf-8")
    assert page["licence"] == "BSD-3-Clause" and highlight.startswith("BSD 3-Clause License")


def test_its_metadata_says_what_it_is(unpacked: Path):
    metadata = _metadata(unpacked)
    assert metadata["Name"] == "satchel"
    # A number that grows and the commit, as git says both of the checkout that the sdist is of.
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode().strip()  # fmt: skip
    assert re.fullmatch(rf"\d+\.\d+\.0(\.dev\d+\+g{commit})?", metadata["Version"])
    assert metadata["License-Expression"] == "MIT AND Apache-2.0 AND BSD-3-Clause AND CC0-1.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"chroma", "dev"} <= set(metadata.get_all("Provides-Extra", []))
    entry_points = (_dist_info(unpacked) / "entry_points.txt").read_text("utf-8")
    assert entry_points.split() == ["[console_scripts]", "satchel", "=", "satchel.cli.main:main"]


def test_it_is_the_same_wheel_from_the_checkout_and_from_the_sdist(
    names: list[str], tmp_path: Path
):
    [built] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        assert archive.namelist() == names


def test_no_wheel_is_built_where_no_grammar_is_found(tmp_path: Path):
    # As git for Windows checks out a link where it may make none: a file with the link's text.
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    package = tmp_path / "satchel"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "indexer").write_text("../indexer", "utf-8")
    with pytest.raises(RuntimeError, match="names no grammar"):
        list(WheelBuilder(str(tmp_path)).build(directory=str(tmp_path), versions=["standard"]))


def test_in_a_fresh_environment_it_answers_a_first_question(
    wheel: Path, tmp_path: Path, project: Callable[[str], Path]
):
    fresh = tmp_path / "fresh"
    venv.create(fresh)
    paths = sysconfig.get_paths(vars={"base": str(fresh), "platbase": str(fresh)})
    python, packages = Path(paths["scripts"], "python"), Path(paths["purelib"])
    # What Satchel needs is taken from here: the line adds a folder, not what the folder would add.
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    install = ["-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([sys.executable, *install, "--quiet", str(wheel)], check=True)
    root = project(
        "//- a.py\ndef wake(dog):\n    return dog\n"
        "//- satchel/cli/main.py\nraise SystemExit('shadowed')"
    )
    run = partial(subprocess.run, cwd=root, capture_output=True, encoding="utf-8", check=True)
    ask = [python.with_name("satchel"), "context", "wake the dog", "--root", root]
    assert "def wake(dog):" in run(ask).stdout
    assert re.search(r"^satchel .*\(index format \d+\.\d+\)$", run([ask[0], "--version"]).stdout)
    told = (
        "from satchel.store import version; print(version.__file__, version.install_command('x'))"
    )
    said = run([python, "-P", "-c", told]).stdout
    assert said.startswith(str(packages))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert said.endswith(f"pip install 'satchel[x] @ {wheel.as_uri()}#sha256={digest}'\n")


def test_no_text_installs_satchel_by_a_name_that_is_not_ours():
    """Whoever takes the name in an index runs code wherever a text says to install it by that."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    texts = [ROOT / name for name in found.stdout.split("\0") if Path(name).suffix in TEXTS]
    assert len(texts) > 500
    by_name = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in texts
        if path.is_file() and path.name != "pyproject.toml"  # an extra may hold others of ours
        for line in path.read_text("utf-8", errors="replace").splitlines()
        if BY_NAME.search(line)
    ]
    assert by_name == []


@pytest.mark.parametrize(
    "line",
    ["pip install NAME", "pip install -q 'NAME[team]'", "uvx NAME serve", 'x "NAME[a]"',
     "uv tool install NAME", "pipx run NAME status", 'pip install "NAME==1.2" x'],
)  # fmt: skip
def test_an_installation_by_name_is_seen(line: str):
    assert BY_NAME.search(line.replace("NAME", "satchel"))
