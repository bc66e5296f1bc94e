"""Settings: one set of defaults, a clear precedence, and no setting that is silently ignored."""

import tomllib
from pathlib import Path

import msgspec
import pytest

from satchel.store.errors import ConfigError
from satchel.workspace.configuration.load import load, origins, read
from satchel.workspace.configuration.settings import Settings
from tests.support.satchel import ROOT, satchel


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_file_is_the_built_in_defaults():
    shipped = tomllib.loads((ROOT / "config.toml").read_text("utf-8"))
    assert shipped == msgspec.json.decode(msgspec.json.encode(Settings()))
    assert load((ROOT / "config.toml",), {}) == Settings()


def test_later_files_and_then_the_environment_win(tmp_path: Path):
    user = write(tmp_path / "user.toml", "[context]\nbudget_tokens = 1000\n[index]\nworkers = 3\n")
    ours = write(tmp_path / "ours.toml", "[context]\nbudget_tokens = 2000\n[search]\nmode = 'full'")
    files = (user, tmp_path / "missing.toml", ours)
    assert load(files, {}).context.budget_tokens == 2000
    settings = load(files, {"SATCHEL_CONTEXT_BUDGET_TOKENS": "3000", "OTHER": "x"})
    assert settings.context.budget_tokens == 3000
    assert (settings.index.workers, settings.search.mode) == (3, "full")
    assert settings.search.max_results == Settings().search.max_results


def test_the_environment_speaks_every_type():
    settings = load(
        (),
        {
            "SATCHEL_INDEX_PARSE_SECONDS": "2",
            "SATCHEL_INDEX_IGNORE": "*.log:build/",
            "SATCHEL_INDEX_WORKERS": "2",
            "SATCHEL_VECTORS_ENGINE": "off",
        },
    )
    assert settings.index.parse_seconds == 2.0
    assert settings.index.ignore == ("*.log", "build/")
    assert settings.index.workers == 2
    assert settings.vectors.engine == "off"


def test_a_misspelled_variable_is_an_error_that_names_those_there_are():
    with pytest.raises(ConfigError, match="unknown variable SATCHEL_VECTORS_ENGIN") as raised:
        load((), {"SATCHEL_VECTORS_ENGIN": "off"})
    assert "SATCHEL_VECTORS_ENGINE" in (raised.value.hint or "")
    assert load((), {"SATCHEL_PAGER": "more", "SATCHELS": "2"}) == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[indexx]\nworkers = 1", r"unknown section \[indexx\]"),
        ("index = 1", r"unknown section \[index\]"),
        ("[index]\nworker = 1", "unknown key index.worker"),
        ("[index]\nworkers = -1", "index.workers is -1"),
        ("[index]\nworkers = 65", "index.workers is 65"),
        ("[index]\nworkers = true", "workers is True, not a whole number"),
        ("[index]\nworkers = '1'", "workers is '1', not a whole number"),
        ("[index]\nmax_file_bytes = 0", "index.max_file_bytes is 0"),
        ("[index]\nparse_seconds = 0.01", "index.parse_seconds is 0.01"),
        ("[index]\nparse_seconds = nan", "index.parse_seconds is nan"),
        ("[index]\nignore = 'x'", "index.ignore is 'x', not a list of texts"),
        ("[index]\nignore = [1]", r"index.ignore is \[1\], not a list of texts"),
        ("[context]\nbudget_tokens = 255", "context.budget_tokens is 255"),
        ("[context]\nbudget_tokens = 32769", "context.budget_tokens is 32769"),
        ("[context]\ntokenizer = 'gpt2'", "context.tokenizer is 'gpt2'"),
        ("[search]\nmode = 'all'", "search.mode is 'all'"),
        ("[search]\nmax_results = 201", "search.max_results is 201"),
        ("[vectors]\nengine = 'pinecone'", "vectors.engine is 'pinecone'"),
        ("[vectors", "cannot be read"),
        ("[roots]\nextra = ['/']", r"unknown section \[roots\]"),
        ("[network]\nendpoint = 'http://x'", r"unknown section \[network\]"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_names_its_file(tmp_path: Path, text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load((write(tmp_path / "config.toml", text),), {})
    assert "config.toml" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SATCHEL_CONTEXT_BUDGET_TOKENS", "many"),
        ("SATCHEL_CONTEXT_BUDGET_TOKENS", "1"),
        ("SATCHEL_INDEX_PARSE_SECONDS", ""),
        ("SATCHEL_SEARCH_MODE", "FULL"),
    ],
)
def test_a_wrong_variable_is_an_error(name: str, value: str):
    with pytest.raises(ConfigError, match="environment: "):
        load((), {name: value})


def test_undecodable_files_are_an_error(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        load((path,), {})


def test_every_setting_says_where_it_came_from(tmp_path: Path):
    user = write(tmp_path / "user.toml", "[context]\nbudget_tokens = 1000\n[index]\nworkers = 3\n")
    ours = write(tmp_path / "ours.toml", "[context]\nbudget_tokens = 2000\n")
    found = origins(read((user, ours), {"SATCHEL_SEARCH_MODE": "full"}))
    said = {each.key: (each.value, each.origin) for each in found}
    assert said["context.budget_tokens"] == (2000, str(ours))
    assert said["index.workers"] == (3, str(user))
    assert said["search.mode"] == ("full", "environment")
    assert said["search.max_results"] == (10, "default")
    assert len(found) == sum(len(table) for table in msgspec.to_builtins(Settings()).values())


def test_lists_of_folders_are_written_as_path_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.pathsep", ";")  # as on Windows
    found = load((), {"SATCHEL_WORKSPACE_ROOTS": r"C:\code;D:\more", "SATCHEL_INDEX_IGNORE": "a:b"})
    assert found.workspace.roots == (r"C:\code", r"D:\more")
    assert found.index.ignore == ("a", "b")


def repository(tmp_path: Path, text: str) -> tuple[Path, Path]:
    """No file of the user's, and one of a repository."""
    (tmp_path / ".satchel").mkdir()
    return tmp_path / "none.toml", write(tmp_path / ".satchel/config.toml", text)


def test_what_a_repository_says_wrong_is_left_out_and_the_rest_is_in_force(tmp_path: Path):
    said = (
        "[index]\nignore = ['build/']\nnew_in_a_later_version = 1\nworkers = 3\n"
        "[search]\nmode = 'all'\nmax_results = 3\n[later]\nkey = 1\n[empty]\n"
        "[[upstream]]\nname = 'x'\ncommand = 'touch'\n"
    )
    found = read(repository(tmp_path, said), {"SATCHEL_CONTEXT_BUDGET_TOKENS": "999"})
    assert (found.settings.index.ignore, found.settings.index.workers) == (("build/",), 0)
    assert (found.settings.search.max_results, found.settings.search.mode) == (3, "locate")
    assert found.settings.context.budget_tokens == 999
    problems = [each.problem.partition("config.toml")[2] for each in found.left_out]
    assert problems == [
        " names upstream servers",
        ": unknown key index.new_in_a_later_version",
        ": index.workers may not be set by a repository",
        ": search.mode is 'all'",
        ": unknown section [later]",
        ": unknown section [empty]",
    ]
    assert all(each.hint for each in found.left_out)
    assert {"index.workers", "search.mode"}.isdisjoint(found.origins)


@pytest.mark.parametrize("text", ["[index", "<<<<<<< HEAD\n", "a = " + "[" * 100_000])
def test_a_repositorys_file_that_cannot_be_read_leaves_the_users_settings(tmp_path: Path, text):
    files = repository(tmp_path, text)
    found = read(files, {"SATCHEL_SEARCH_MODE": "full"})
    assert found.settings.search.mode == "full"
    (only,) = found.left_out
    assert str(files[1]) in only.problem and "cannot be read" in only.problem


def test_a_repository_that_says_nothing_right_is_not_read_to_its_end(tmp_path: Path):
    said = "[index]\n" + "".join(f"x{number} = 1\n" for number in range(10_000))
    found = read(repository(tmp_path, said), {"SATCHEL_SEARCH_MODE": "full"})
    assert len(found.left_out) == 20 and found.settings.search.mode == "full"


def test_commands_go_on_and_those_that_judge_by_the_file_refuse(project):
    root = project("//- a.py\ndef wake():\n    return 1\n")
    _, path = repository(root, "[validation]\nmin_parsde = 1.0\n[search]\nmax_results = 3\n")
    for words in (("reindex",), ("status",), ("state",), ("symbols", "wake"), ("overview",)):
        done = satchel(*words, cwd=root)
        assert done.returncode == 0, done.stderr
        assert (b"min_parsde" in done.stderr) == (words != ("state",))
    shown = satchel("config", "--origin", cwd=root)
    assert shown.returncode == 2 and b"unknown key validation.min_parsde" in shown.stderr
    assert f"search.max_results = 3  # {path}".encode() in shown.stdout
    for words in (("validate",), ("graph", "rules")):
        refused = satchel(*words, cwd=root)
        assert refused.returncode == 2 and b"unknown key" in refused.stderr
        assert not refused.stdout
