"""What a CI is given: each file parses, and every command in it is one that we have."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from satchel.cli.command_line import parser
from tests.support.git import commit_all, needs_git
from tests.support.satchel import COMMAND, ROOT, STORE, copy_of_our_source
from tests.support.satchel import started as satchel

ACTION = ROOT / "action.yml"
GITLAB = ROOT / "ci/gitlab.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
_VARIABLE = re.compile(r'"?\$\{?\w+(?:\[@\]\})?\}?"?')


def _scripts() -> Iterator[str]:
    for step in yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]:
        yield step.get("run", "")
    yield from yaml.safe_load(GITLAB.read_text("utf-8"))[".satchel"]["script"]
    for hook in yaml.safe_load(HOOKS.read_text("utf-8")):
        yield hook["entry"]


def _commands() -> list[list[str]]:
    """Every `satchel …` of every script, with plain words for variables."""
    found = []
    for script in _scripts():
        for line in re.split(r"\n|;", script):
            said = line.strip()
            if said.startswith(("options+=(", "options=(")):
                said = "satchel validate " + said.partition("(")[2].removesuffix(")")
            if said.startswith("if [") and "options+=(" in line:
                continue
            if said.startswith("satchel "):
                said = re.split(r"\s[>|]", said)[0].replace('"${options[@]}"', "")
                said = said.replace('"$LEVEL"', "quick").replace('"$SATCHEL_LEVEL"', "quick")
                found.append(shlex.split(_VARIABLE.sub("word", said))[1:])
    return found


def test_every_command_is_one_that_we_have():
    commands = _commands()
    assert {words[0] for words in commands} == {"reindex", "validate", "impact", "publish"}
    for words in commands:
        parser().parse_args(words)


def test_the_action_is_a_composite_that_takes_no_input_as_code():
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"], "an expression in a script can be injected into"


def test_our_own_ci_validates_our_own_index():
    """Beside the types, on the checkout itself: a fresh index, row for row, and our questions."""
    said = (ROOT / "Makefile").read_text("utf-8").partition("\ntest:")[2].partition("\n\n")[0]
    steps = "$(BIN)/satchel reindex --quiet && $(BIN)/satchel validate --level deep; } & index=$$!"
    assert steps in said and "wait $$index || here=1" in said and "exit $$here" in said
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8")
    lines = (ROOT / ".satchel/golden.jsonl").read_text("utf-8").splitlines()
    assert len(lines) >= 5
    for line in lines:
        for path in json.loads(line)["files"]:
            assert (ROOT / path).is_file(), path


def test_hooks_have_what_pre_commit_asks_for():
    for hook in yaml.safe_load(HOOKS.read_text("utf-8")):
        assert {"id", "name", "entry", "language"} <= hook.keys()
        assert hook["pass_filenames"] is False


@needs_git
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_action_s_scripts_run_on_our_own_source(tmp_path: Path):
    """This project's own CI validates this project, by the very steps that others are given."""
    root = copy_of_our_source(tmp_path / "satchel", STORE)
    base = commit_all(root)
    path = root / "satchel/store/codec.py"
    path.write_text(path.read_text("utf-8") + "\n\nLATER = 1\n", encoding="utf-8")
    commit_all(root, "a change")
    environment = {
        "PATH": f"{COMMAND.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "LEVEL": "standard",
        "BASELINE": "", "SARIF": "out.sarif", "BASE": base, "FOLDER": str(tmp_path / "share"),
        "RUNNER_TEMP": str(tmp_path), "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }  # fmt: skip
    for step in yaml.safe_load(ACTION.read_text("utf-8"))["runs"]["steps"]:
        if step.get("name", "Install") == "Install":
            continue
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=root, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (step["name"], done.stdout, done.stderr)
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert "### satchel validate" in summary and "### What this change touches" in summary
    assert (root / "out.sarif").is_file() and (tmp_path / "share/latest.json").is_file()


def test_a_failing_validation_fails_the_step_after_the_summary(tmp_path: Path, project):
    root = project("//- a.py\ndef a():\n    pass\n")
    assert satchel("reindex", "--quiet", cwd=root).returncode == 0
    (root / "a.py").write_text("def b():\n    pass\n", encoding="utf-8")
    done = satchel("validate", "--also", f"markdown={tmp_path / 'x.md'}", cwd=root)
    assert done.returncode == 3
    assert "V010" in (tmp_path / "x.md").read_text("utf-8")
    assert satchel("validate", "--also", "poetry=x", cwd=root).returncode == 2
