"""Installed code of dependencies: found, indexed once, shared, and asked behind one's own."""

import json
import os
import resource
import shutil
import time
from pathlib import Path

import pytest

from satchel.workspace.dependencies import installed, joined_project, source, versions
from satchel.workspace.dependencies.installed import Package
from satchel.workspace.project import Project
from tests.support.satchel import satchel, state_folders
from tests.support.stdio_server import StdioServer

OWN = "import stamper\n\n\ndef post(letter):\n    return stamper.stamp(letter)\n"
STAMP = '"""Stamps."""\n\n\ndef stamp(letter):\n    return "moistened glue", letter\n'
SITE = ".venv/lib/python3.12/site-packages"


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def with_venv(root: Path, stamp: str = STAMP) -> Path:
    return written(
        root,
        {
            "post.py": OWN,
            ".venv/pyvenv.cfg": "home = /usr\n",
            f"{SITE}/stamper/__init__.py": stamp,
            f"{SITE}/py_stamper-1.4.dist-info/RECORD": "stamper/__init__.py,sha256=x,1\n",
            f"{SITE}/unused/__init__.py": "def unused():\n    return 1\n",
            f"{SITE}/single.py": "def alone():\n    return 'single file'\n",
            f"{SITE}/other.py": "def also_alone():\n    return 'another file'\n",
        },
    )


def rows(root: Path, *words: str) -> list[dict[str, object]]:
    done = satchel("deps-source", "--json", *words, cwd=root)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)["dependencies"]
    return found


def found(root: Path, *words: str) -> str:
    done = satchel(*words, "--with-dependencies", cwd=root)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()


def test_what_is_imported_is_asked_along_and_only_on_request(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    assert b"site-packages" not in satchel("context", "moistened glue", cwd=root).stdout
    text = found(root, "context", "moistened glue")
    assert f"{SITE}/stamper/__init__.py" in text and "moistened glue" in text
    assert f"{SITE}/stamper/__init__.py:4" in found(root, "symbols", "stamp")
    assert "moistened" in found(root, "show", f"{SITE}/stamper/__init__.py:4-5")
    assert "unused" not in found(root, "symbols", "unus*")
    # What is indexed of the code base itself is what it was.
    status = json.loads(satchel("status", "--json", cwd=root).stdout)
    assert status["files"] == 1


def test_an_agent_asks_for_them_by_a_parameter(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop", STAMP.replace("moistened", "agent's"))
    file = f"{SITE}/stamper/__init__.py"
    with StdioServer(root) as agent:

        def said(tool: str, **arguments: object) -> str:
            reply = agent.ask("tools/call", {"name": tool, "arguments": arguments})
            assert not reply.get("isError"), reply
            return str(reply["content"][0]["text"])

        assert file not in said("context", query="agent's glue")
        text = said("context", query="agent's glue", with_dependencies=True)
        assert file in text and "agent's glue" in text
        assert file in said("symbols", name="stamp", with_dependencies=True)
        assert file in said("search", query="agent's glue", mode="exact", with_dependencies=True)
        assert file not in said("search", query="agent's glue", mode="exact")


def test_an_index_is_made_once_for_all_projects_and_listed(tmp_path: Path) -> None:
    # Tests share a home folder, and other bytes are another package.
    stamp = STAMP.replace("moistened", "shared")
    one, two = with_venv(tmp_path / "one", stamp), with_venv(tmp_path / "two", stamp)
    (first,) = rows(one)
    assert (first["name"], first["version"], first["new"]) == ("stamper", "1.4", True)
    (second,) = rows(two)
    assert (second["state"], second["new"]) == (first["state"], False)
    states = json.loads(satchel("state", "--json", cwd=two).stdout)["states"]
    (shared,) = (each for each in states if each["name"] == f"dependency/{first['state']}")
    assert (shared["root"], shared["gone"]) == ("stamper 1.4 (python)", False)
    # They are no checkouts, and are counted apart.
    n_others = sum(not str(each["name"]).startswith("dependency/") for each in states)
    listed = satchel("state", cwd=two).stdout.decode()
    assert f"\n{n_others} in " in listed and " of installed packages" in listed
    # It can be deleted by name, and is made again when it is asked for.
    assert satchel("state", "delete", shared["name"], "--yes", cwd=two).returncode == 0
    assert "shared glue" in found(one, "search", "--exact", "shared glue")


def test_other_packages_are_added_by_name(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    assert [each["name"] for each in rows(root, "--list")] == ["stamper"]
    names = [each["name"] for each in rows(root, "single", "oth*")]
    assert names == ["other", "single", "stamper"]
    # Modules of one file share a folder, and each is found in its own index.
    for word, file in (("single file", "single.py"), ("another file", "other.py")):
        assert f"{SITE}/{file}\n" in found(root, "search", "--exact", word)
        assert word in found(root, "show", f"{SITE}/{file}:1-2")
    assert satchel("deps-source", "nothing", cwd=root).returncode == 2


def test_ones_own_code_comes_first(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    body = "    return [coin for coin in purse if coin.is_gilded]\n"
    written(root, {
        "purse.py": f"def gilded_coins(purse):\n{body}",
        f"{SITE}/stamper/purse.py": f"def gilded_coins(purse):\n{body}",
    })  # fmt: skip
    lines = [line for line in found(root, "search", "gilded coins").splitlines() if ".py" in line]
    assert "site-packages" not in lines[0]
    assert any("site-packages" in line for line in lines[1:])


def test_an_upgrade_is_noticed_and_other_bytes_are_another_index(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    (before,) = rows(root)
    shutil.rmtree(root / SITE / "stamper")
    written(root, {f"{SITE}/stamper/__init__.py": STAMP.replace("moistened", "gilded")})
    assert "gilded glue" in found(root, "search", "--exact", "gilded glue")
    (after,) = rows(root)
    # The environment of a checkout may say any version: names and versions alone share nothing.
    assert after["version"] == before["version"] and after["state"] != before["state"]


def test_a_repositorys_settings_do_not_decide_what_is_shared(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    own = '[index]\nignore = ["stamper*", "__init__.py"]\nmax_file_bytes = 5\n'
    written(root, {".satchel/config.toml": own})
    assert not satchel("deps-source", "stamper", cwd=root).returncode
    other = with_venv(tmp_path / "other")
    assert "moistened glue" in found(other, "search", "--exact", "moistened glue")


def test_a_link_out_of_the_tree_is_no_place(tmp_path: Path) -> None:
    away = with_venv(tmp_path / "away")
    for number, (link, target) in enumerate((
        (".venv", away / ".venv"),
        (SITE, away / SITE),
        (f"{SITE}/stamper", away / SITE / "stamper"),
        ("node_modules", away / SITE),
        ("node_modules/stamper", away / SITE / "stamper"),
    )):  # fmt: skip
        root = written(tmp_path / f"shop{number}", {"post.py": OWN})
        (root / link).parent.mkdir(parents=True, exist_ok=True)
        if link.startswith(SITE):
            (root / ".venv/pyvenv.cfg").write_text("home = /usr\n", encoding="utf-8")
        (root / link).symlink_to(target)
        assert installed.packages(root, {"HOME": str(tmp_path)}, []).packages == ()


def test_a_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    (tmp_path / "secret.py").write_text("SECRET = 1\n", encoding="utf-8")
    (root / SITE / "stamper" / "more.py").symlink_to(tmp_path / "secret.py")
    place = root / SITE / "stamper"
    read = source.read(Package("python", "stamper", "", place, f"{SITE}/stamper/"), 1_000_000)
    assert [path for path, _ in read.files] == ["__init__.py"]


@pytest.mark.parametrize(
    "required", ["../../secret v1.0.0", "/etc v1.0.0", "good/../../../secret v1.0.0", ". v1"]
)
def test_a_manifest_names_nothing_outside_of_the_cache(tmp_path: Path, required: str) -> None:
    cache = tmp_path / "go" / "pkg" / "mod"
    written(cache, {"good/a.go": "package a\n"})
    written(tmp_path / "secret@v1.0.0", {"a.go": "package a\n"})
    written(tmp_path / "go" / "secret@v1.0.0", {"a.go": "package a\n"})
    root = written(tmp_path / "shop", {
        "go.mod": f"module x\n\nrequire {required}\n",
        "Cargo.lock": '[[package]]\nname = "../../.."\nversion = "1"\nsource = "registry+x"\n',
    })  # fmt: skip
    written(tmp_path / ".cargo/registry/src/one/good-1", {"lib.rs": "fn a() {}\n"})
    assert installed.packages(root, {"HOME": str(tmp_path)}, ["go.mod"]).packages == ()


def test_packages_of_other_managers_are_found_where_they_put_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    root = written(tmp_path / "shop", {
        "go.mod": "module x\n\nrequire (\n\tgithub.com/Spf13/cobra v1.8.0\n)\n",
        "Cargo.lock": '[[package]]\nname = "serde-json"\nversion = "1.0.2"\n',
        "node_modules/lodash/package.json": '{"version": "4.17.21"}',
        "node_modules/@types/node/package.json": '{"version": "22.0.0"}',
        "apps/web/package.json": "{}",
        "apps/web/node_modules/left-pad/package.json": "[" * 100_000,
        "packages/ours/index.js": "module.exports = 1\n",
    })  # fmt: skip
    (root / "node_modules" / "ours").symlink_to(root / "packages" / "ours")
    written(home / "go/pkg/mod/github.com/!spf13/cobra@v1.8.0", {"cobra.go": "package cobra\n"})
    written(home / ".cargo/registry/src/index-1/serde-json-1.0.2", {"lib.rs": "fn a() {}\n"})
    manifests = ["go.mod", "apps/web/package.json"]
    found = installed.packages(root, {"HOME": str(home)}, manifests).packages
    told = {each.name: each for each in versions.with_versions(found)[0]}
    assert {name: each.version for name, each in told.items()} == {
        "github.com/Spf13/cobra": "v1.8.0", "serde_json": "1.0.2", "lodash": "4.17.21",
        "@types/node": "22.0.0", "left-pad": "",
    }  # fmt: skip
    assert told["left-pad"].shown == "apps/web/node_modules/left-pad/"
    assert Path(told["serde_json"].shown).is_absolute()
    modules = [
        ("go", "github.com/Spf13/cobra/doc"), ("typescript", "@types/node/fs"),
        ("javascript", "lodash/get"), ("rust", "serde_json::Value"), ("python", "lodash"),
    ]  # fmt: skip
    used = {each.name for each in installed.imported(found, modules)}
    assert used == {"github.com/Spf13/cobra", "@types/node", "lodash", "serde_json"}


def test_code_outside_of_the_root_is_shown_by_a_path_that_opens(tmp_path: Path) -> None:
    home = tmp_path / "home"
    module = home / "go/pkg/mod/github.com/x/stamps@v1.0.0"
    written(module, {"stamps.go": 'package stamps\n\nfunc Lick() string { return "glue" }\n'})
    main = 'package main\n\nimport "github.com/x/stamps"\n\nfunc main() { stamps.Lick() }\n'
    required = "module x\n\nrequire github.com/x/stamps v1.0.0\n"
    root = written(tmp_path / "shop", {"go.mod": required, "main.go": main})
    environment = {"HOME": str(home)}
    words = ("search", "--exact", "glue", "--with-dependencies")
    done = satchel(*words, cwd=root, environment=environment)
    assert f"{module}/stamps.go\n" in done.stdout.decode(), done.stderr
    shown = satchel(
        "show", f"{module}/stamps.go:3-3", "--with-dependencies", cwd=root, environment=environment
    )
    assert b"func Lick" in shown.stdout
    pack = satchel(
        "context", "Lick a stamp", "--with-dependencies", cwd=root, environment=environment
    )
    assert b"func Lick" in pack.stdout


def test_a_workspace_has_no_dependencies(tmp_path: Path) -> None:
    written(tmp_path / "one" / ".git", {"HEAD": "ref: refs/heads/main\n"})
    written(tmp_path / "one", {"post.py": OWN})
    done = satchel("search", "post", "--workspace", tmp_path, "--with-dependencies", cwd=tmp_path)
    assert done.returncode == 2 and b"one code base" in done.stderr


def test_a_question_refuses_when_patience_ends_and_what_is_done_stays(tmp_path: Path) -> None:
    root = with_venv(tmp_path / "shop")
    written(root, {"more.py": "import single, other\n"})
    patience = {"SATCHEL_INDEX_PATIENCE_SECONDS": "30"}
    assert satchel("status", cwd=root).returncode == 0 or satchel("reindex", cwd=root)
    none = {"SATCHEL_INDEX_PATIENCE_SECONDS": "0"}
    asked = ("search", "glue", "--with-dependencies")
    done = satchel(*asked, cwd=root, environment=none)
    assert done.returncode == 5 and b"1 of 3 dependencies are indexed so far" in done.stderr
    assert satchel(*asked, cwd=root, environment=patience).returncode == 0
    assert state_folders(root).index.is_dir()


def test_an_environment_that_is_shipped_to_exhaust_is_cut_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists and manifests of every manager, each as long as is read, in numbers."""
    root = written(tmp_path / "shop", {
        "a.py": "import pack_1, elsewhere\n",
        ".venv/pyvenv.cfg": "home = /\n",
        "go.mod": "module x\n" + "\n" * 1_000_000,
        "0/go.mod": "".join(f"require a.b/m{n} v1\n" for n in range(20_000)),
        "Cargo.lock": '[[package]]\nname = "a"\nversion = "1"\n' * 100_000,
        "record": "elsewhere/x.py,,\n" + "x" * (versions.MAX_RECORD_BYTES - 17),
        "longer": "x" * (versions.MAX_RECORD_BYTES + 9),
    })  # fmt: skip
    site = root / SITE
    for number in range(60):
        info = site / f"d{number:03}-{number}.dist-info"
        info.mkdir(parents=True)
        (info / "RECORD").hardlink_to(root / ("record" if number % 2 else "longer"))
        (site / f"pack_{number}").mkdir()
        (root / f"node_modules/m{number}").mkdir(parents=True)
        (root / f"node_modules/m{number}/package.json").hardlink_to(root / "longer")
    (site / "elsewhere").mkdir()
    (site / "d000-0.dist-info/RECORD").unlink()
    os.mkfifo(site / "d000-0.dist-info/RECORD")
    (site / "d002-2.dist-info/RECORD").unlink()
    (site / "d002-2.dist-info/RECORD").symlink_to("/dev/zero")
    monkeypatch.setattr(installed, "MAX_LISTED", 100)
    manifests = ["go.mod", *(f"{n}/go.mod" for n in range(100))]
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = installed.packages(root, {"HOME": str(tmp_path)}, manifests)
    told, is_all = versions.with_versions(found.packages)
    # A second on an idle machine; squares of what is here are hours.
    assert time.process_time() - began < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
    assert {each.name: each.version for each in told}["elsewhere"] == "1"
    assert not is_all
    assert "of 121 entries in site-packages 100 are looked at" in found.notices
    assert "of 101 folders with manifests 50 are looked at" in found.notices
    assert "of 20,000 modules in 0/go.mod 2,000 are looked for" in found.notices
    assert "of 100,000 crates in Cargo.lock 100 are looked for" in found.notices


def test_no_more_is_indexed_at_once_than_a_disk_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What other tests indexed of packages of the same names would be there already.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = with_venv(tmp_path / "shop")
    assert satchel("reindex", cwd=root).returncode == 0
    monkeypatch.setattr(joined_project, "MAX_NEW_BYTES", 100)
    project = Project.at(root, os.environ)
    chosen = joined_project.find(project, os.environ, ["single", "other"]).packages
    joined_project.forget(project, chosen)
    done = joined_project.index(project, os.environ, chosen, lambda *_: None, lambda *_: None)
    assert [bool(each.key) for each in done] == [True, True, False]
    assert "100 bytes of code" in done[2].problem
