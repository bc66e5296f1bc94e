"""The command line as a person meets it: words, pipes, paths, slips, completion, start-up."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.cli.command_line import parser
from satchel.cli.command_table import COMMANDS
from tests.support.satchel import COMMAND, index, satchel

CODE = """
//- app/send.py
class Mail:
    def send(self, message):
        return message


def deliver(mail):
    return mail.send(1)
//- lib/other.py
def deliver_later(mail):
    return mail
"""


@pytest.fixture
def root(project) -> Path:
    root = project(CODE)
    index(root)
    return root


def test_words_need_no_quotes(root: Path):
    plain = satchel("search", "deliver", "a", "mail", cwd=root)
    assert plain.returncode == 0
    assert plain.stdout == satchel("search", "deliver a mail", cwd=root).stdout


def test_what_is_piped_in_is_the_question(root: Path):
    trace = (
        b'\x1b[31mTraceback (most recent call last):\n  File "app/send.py", line 7, in deliver\n'
    )
    reply = satchel("context", cwd=root, stdin=trace + b"TypeError: no\x1b[0m\n")
    assert reply.returncode == 0
    assert b"def deliver(mail):" in reply.stdout
    beside = satchel("context", "why does this fail", "-", cwd=root, stdin=trace)
    assert b"def deliver(mail):" in beside.stdout
    assert satchel("context", cwd=root).returncode == 2  # an empty pipe asks nothing


def test_paths_are_meant_from_where_one_stands_and_may_be_several(root: Path):
    def found(*paths: str, cwd: Path) -> set[str]:
        said = [word for path in paths for word in ("--path", path)]
        reply = satchel("search", "deliver", "--json", *said, cwd=cwd)
        return {row["path"] for row in json.loads(reply.stdout)["results"]}

    assert found("send.py", cwd=root / "app") == {"app/send.py"}
    assert found("../lib", cwd=root / "app") == {"lib/other.py"}
    assert found("app", cwd=root / "lib") == {"app/send.py"}  # not there, but below the root
    assert found("app/", "lib/", cwd=root) == {"app/send.py", "lib/other.py"}
    assert found("*/s*.py", cwd=root) == {"app/send.py"}
    outside = satchel("search", "deliver", "--path", "../..", cwd=root / "app")
    assert outside.returncode == 2


def test_names_and_folders_are_meant_from_where_one_stands_too(root: Path):
    for named in ("../lib/other.py:1", "./../lib/other.py:1"):
        for command in ("symbols", "deps", "impact", "show"):
            below = satchel(command, named, "--json", cwd=root / "app")
            assert (
                below.stdout
                and below.stdout == satchel(command, "lib/other.py:1", "--json", cwd=root).stdout
            ), (command, below.stderr)
    two = satchel("symbols", "./send.py:Mail,../lib/other.py:1", "--json", cwd=root / "app")
    paths = [each["path"] for each in json.loads(two.stdout)["definitions"]]
    assert paths == ["app/send.py", "lib/other.py"]
    for folder, cwd in ((".", "app"), ("../app", "lib"), ("app", "lib"), ("./app/", ".")):
        overview = satchel("overview", folder, cwd=root / cwd)
        assert b": 1 file, " in overview.stdout.splitlines()[0]
    assert satchel("symbols", "../../x.py:1", cwd=root / "app").returncode == 2


def test_symbols_ignores_case_where_nothing_matches_exactly(root: Path):
    reply = satchel("symbols", "mail", cwd=root)
    assert reply.returncode == 0
    assert b"class Mail" in reply.stdout
    assert b"nothing is called mail with these capitals; listed is Mail" in reply.stdout
    # A test of that name, which the scope leaves out, does not stand in the way.
    (root / "tests").mkdir()
    (root / "tests" / "test_mail.py").write_text("def mail():\n    return 1\n", "utf-8")
    reply = satchel("symbols", "mail", cwd=root)
    assert b"class Mail" in reply.stdout
    assert b"def mail()" in satchel("symbols", "mail", "--scope", "test", cwd=root).stdout
    assert b"method Mail.send" in satchel("symbols", "mail.SEND", cwd=root).stdout


def test_what_is_not_there_exits_1_with_what_is_close(root: Path):
    for command in ("symbols", "show"):
        reply = satchel(command, "deliverx", cwd=root)
        assert reply.returncode == 1
        assert b"close to it: deliver" in reply.stderr
        assert b"close to it: Mail" in satchel(command, "Mial", cwd=root).stderr
        assert b"close to it: deliver" in satchel(command, "Delvier", cwd=root).stderr
    # `send` is used, so its uses are listed; what is spelled badly is what it belongs to.
    assert b"close to it: Mail.send" in satchel("symbols", "Mial.send", cwd=root).stderr
    assert b"close to it: app/send.py" in satchel("show", "app/sned.py", cwd=root).stderr
    assert satchel("deps", "deliverx", cwd=root).returncode == 1
    past = satchel("show", "app/send.py:90-95", cwd=root)
    assert (past.returncode, past.stderr.splitlines()[0]) == (
        1,
        b"satchel: app/send.py has 7 lines",
    )
    (root / "none.py").touch()
    assert b"satchel: none.py is empty\n" in satchel("show", "none.py", cwd=root).stderr
    turned = satchel("show", "app/send.py:3-2", cwd=root)
    assert (turned.returncode, turned.stderr.splitlines()[0]) == (
        2,
        b"satchel: line 2 comes before line 3",
    )


def test_show_prints_definitions_and_lines_whole(root: Path):
    shown = satchel("show", "Mail.send", "-n", cwd=root).stdout.decode()
    assert shown == (
        "app/send.py:2-3  Mail.send\n2      def send(self, message):\n3          return message\n"
    )
    lines = satchel("show", "send.py:6-7", cwd=root / "app").stdout.decode()
    assert lines == "send.py:6-7\ndef deliver(mail):\n    return mail.send(1)\n"
    for same in (
        "send.py:6-7",
        "app/send.py#L6-L7",
        "https://example.org/o/r/blob/main/app/send.py#L6-L7",
    ):
        assert satchel("show", same, cwd=root).stdout.decode() == f"app/{lines}"
    ends = [satchel("show", f"app/send.py:{to}", cwd=root).stdout for to in ("-1", "1-")]
    assert [text.splitlines()[0] for text in ends] == [b"app/send.py:1", b"app/send.py:1-7"]
    at = [satchel("deps", f"app/send.py{line}", cwd=root).stdout for line in (":6", "#L6")]
    assert at[0] == at[1] != b""
    whole = satchel("show", "app/send.py", cwd=root).stdout.decode()
    assert whole.startswith("app/send.py:1-7\nclass Mail")
    as_json = json.loads(satchel("show", "deliver", "--json", cwd=root).stdout)
    assert as_json["sources"][0]["text"] == "def deliver(mail):\n    return mail.send(1)"


def test_an_unknown_option_is_a_matter_of_its_command(root: Path):
    # "--budget" and "--quiet" have letters in common, and nothing else.
    reply = satchel("overview", "--budget", "1500", cwd=root)
    assert reply.returncode == 2
    assert b"satchel overview: error: unrecognized arguments: --budget" in reply.stderr
    assert b"did you mean" not in reply.stderr
    assert reply.stderr.endswith(b"hint: satchel overview --help\n")
    reply = satchel("knowledge", "check", "--repiar", cwd=root)
    assert b"did you mean --repair?" in reply.stderr
    assert reply.stderr.endswith(b"hint: satchel knowledge --help\n")


def test_options_that_commands_share_may_stand_before_the_command(root: Path, tmp_path: Path):
    usual = satchel("symbols", "deliver", "--json", "--root", str(root), cwd=tmp_path)
    before = satchel("--json", "--root", str(root), "symbols", "deliver", cwd=tmp_path)
    assert before.returncode == 0
    assert json.loads(before.stdout) == json.loads(usual.stdout)
    assert satchel(f"--root={root}", "symbols", "deliver", cwd=tmp_path).returncode == 0


def test_one_setting_is_shown_by_its_name(root: Path):
    assert satchel("config", "mcp.workers", cwd=root).stdout.startswith(b"mcp.workers = ")
    table = satchel("config", "mcp", "--json", cwd=root).stdout
    assert {row["key"].partition(".")[0] for row in json.loads(table)["settings"]} == {"mcp"}
    reply = satchel("config", "mcp.worker", cwd=root)
    assert reply.returncode == 2
    assert b"no setting is called 'mcp.worker'" in reply.stderr
    assert b"did you mean mcp.workers?" in reply.stderr


def test_a_time_that_has_not_come_is_a_slip(root: Path):
    reply = satchel("changes", "2099-01-01", cwd=root)
    assert reply.returncode == 2
    assert b"'2099-01-01' is in the future" in reply.stderr


@pytest.mark.parametrize(
    ("said", "meant"),
    [(["contxt", "x"], "context"), (["context", "x", "--bugdet", "3"], "--budget"),
     (["validate", "--format", "sarf"], "sarif"), (["sym", "x"], "symbols")],
)  # fmt: skip
def test_a_slip_is_met_with_what_may_have_been_meant(root: Path, said: list[str], meant: str):
    reply = satchel(*said, cwd=root)
    assert reply.returncode == 2
    assert f"hint: did you mean {meant}?".encode() in reply.stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["con"], {"context", "config"}),
        (["symbols", "deliv"], {"deliver", "deliver_later"}),
        (["show", "Mail.se"], {"Mail.send"}),
        (["show", "app/"], {"app/send.py"}),
        (["search", "--mo"], {"--mode"}),
        (["search", "--mode", "f"], {"full"}),
        (["context", "x", "--path", "li"], {"lib/other.py"}),
        (["setup", "claude"], {"claude-code", "claude-desktop"}),
    ],
)
def test_a_shell_is_offered_what_may_follow(root: Path, words: list[str], offered: set[str]):
    found = satchel("__complete", *words, cwd=root).stdout.decode().split()
    assert offered & set(found)
    assert all(word.startswith(words[-1]) for word in found)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_read_its_completion(root: Path, shell: str):
    script = satchel("completion", shell, cwd=root).stdout
    assert b"satchel __complete" in script
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=script, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, b"")


COMPLETED = {
    "bash": (
        "source <(satchel completion bash); COMP_WORDS=({words}); COMP_CWORD=$(({n} - 1));"
        " _satchel; printf '%s\\n' ${{COMPREPLY[@]}}"
    ),
    # As in a new user's zsh nothing has set up completion before.
    "zsh": (
        "source <(satchel completion zsh); compadd() {{ shift; print -l -- $@ }};"
        " words=({words}); CURRENT={n}; _satchel"
    ),
    "fish": "satchel completion fish | source; complete -C '{words}'",
}
"""How a script asks a shell what it would offer."""


@pytest.mark.parametrize(
    ("words", "offered"),
    [("symbols deliver_", "deliver_later"), ("search --sc", "--scope"),
     ("search --scope i", "impl"), ("show lib/", "lib/other.py")],
)  # fmt: skip
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes(root: Path, tmp_path: Path, shell: str, words: str, offered: str):
    done = _completed(shell, f"satchel {words}", root, tmp_path)
    assert (done.stdout, done.stderr) == (f"{offered}\n", "")


def test_fish_offers_files_where_satchel_has_no_word(root: Path, tmp_path: Path):
    assert _completed("fish", "satchel reindex --root ap", root, tmp_path).stdout == "app/\n"


def _completed(shell: str, words: str, root: Path, home: Path) -> subprocess.CompletedProcess[str]:
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    asked = COMPLETED[shell].format(words=words, n=len(words.split()))
    own = {key: str(home) for key in ("ZDOTDIR", "XDG_CONFIG_HOME")}
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [shell, "-c", asked], cwd=root, env={**os.environ, **own, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


PARSERS = {"tree_sitter", "tree_sitter_language_pack", "networkx", "satchel.indexer.carry_out"}
SERVERS = {"mcp", "anyio", "asyncio", "httpx", "starlette", "psycopg", "chromadb"}
SLOW = PARSERS | SERVERS | {"tqdm", "tiktoken", "difflib", "unittest"}
"""What takes longer to load than a look at an index, and is needed by other commands."""
VALUES = {"numpy", "msgspec", "subprocess", "ctypes", "satchel.workspace.project"}


@pytest.mark.parametrize(
    ("arguments", "not_loaded"),
    [
        (["--version"], SLOW | VALUES | {"apsw"}),
        (["--help"], SLOW | VALUES | {"apsw"}),
        (["context", "--help"], SLOW | VALUES - {"msgspec"} | {"apsw"}),
        (["completion", "bash"], SLOW | VALUES - {"msgspec"} | {"apsw"}),
        (["__complete", "con"], SLOW | VALUES | {"apsw", "satchel.cli.commands.ask"}),
        (["__complete", "symbols", "deli"], SLOW | VALUES - {"msgspec"}),
        (["__complete", "show", "app/"], SLOW | VALUES - {"msgspec"}),
        (["__complete", "context", "mail", "--path", "li"], SLOW | VALUES - {"msgspec"}),
        (["symbols", "deliver"], SLOW | {"numpy", "concurrent.futures"}),
        (["show", "deliver"], SLOW | {"numpy", "concurrent.futures"}),
        (["search", "deliver", "mail"], SLOW | {"numpy.ma", "concurrent.futures"}),
        (["reindex"], SLOW | {"numpy", "concurrent.futures"}),
    ],
)
def test_a_command_loads_no_more_than_it_needs(
    root: Path, arguments: list[str], not_loaded: set[str]
):
    # A file that was written just now is read again, and the first question makes vectors: the
    # second run is that of an index which is as it stays.
    for path in root.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    code = (
        "import os, sys\nfrom satchel.cli.command_line import run\n"
        f"try: sys.exit(run({arguments!r}, os.environ))\n"
        f"finally: print(sorted({not_loaded!r} & set(sys.modules)), file=sys.stderr)"
    )
    for _ in range(1 + (arguments[0] in ("symbols", "show", "search", "reindex"))):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=root, stdin=subprocess.DEVNULL,
            capture_output=True, check=False,
        )  # fmt: skip
    said = done.stderr.splitlines()  # after what a question says of its answer
    assert (done.returncode, said[-1]) == (0, b"[]")
    assert done.stdout


def test_output_that_cannot_be_written_is_a_failure_in_words(root: Path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [COMMAND, "show", "deliver"], cwd=root, stdout=full, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b"satchel: the output cannot be written: No space left on device\n"


def test_a_folder_that_is_gone_is_told(root: Path):
    gone = root / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'rmdir "$PWD" && "$0" symbols deliver', COMMAND]
    done = subprocess.run(words, cwd=gone, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"satchel: the folder you are in is gone\n")


@pytest.mark.parametrize(("closed", "code"), [(">&-", 1), ("2>&-", 0), ("<&-", 0)])
def test_streams_that_the_caller_has_closed_break_nothing(root: Path, closed: str, code: int):
    done = subprocess.run(
        ["sh", "-c", f'"$0" symbols deliver {closed}', COMMAND], cwd=root, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
    assert (b"cannot be written: Bad file descriptor" in done.stderr) == bool(code)
    assert satchel("validate", "--level", "quick", cwd=root).returncode == 0


def test_the_table_lists_the_commands_of_the_modules_in_their_order():
    (commands,) = (a for a in parser()._actions if a.dest == "command")
    added = [choice.dest for choice in commands._choices_actions]
    assert added == [name for each in COMMANDS.values() for name in each]
