"""What is known, from the command line: kept, changed, found, exported, put away."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from satchel.knowledge.storage import database
from satchel.knowledge.storage.integrity import check_integrity
from tests.support.git import commit_all
from tests.support.satchel import knowledge_folder, satchel

CODE = """
//- src/auth/token.py
def issue(user):
    return user
//- src/web.py
from src.auth.token import issue
"""


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def run(root: Path, *arguments: str, code: int = 0, stdin: bytes = b"", actor: str = "ann") -> str:
    done = satchel(
        *arguments, cwd=root, stdin=stdin, environment={"SATCHEL_KNOWLEDGE_ACTOR": actor}
    )
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout if not code else done.stderr).decode()


def result(root: Path, *arguments: str, **said) -> dict:
    return json.loads(run(root, *arguments, "--json", **said))


def kept(root: Path, *arguments: str, **said) -> str:
    return result(root, "remember", *arguments, **said)["result"]["items"][0]["id"]


def test_what_is_kept_outlives_the_index_and_notices_when_its_code_changes(root: Path):
    satchel("reindex", "--quiet", cwd=root)
    first = kept(root, "decision", "Tokens are opaque", "--rationale", "no parsing",
                 "--scope", "src/auth/token.py", "--privacy", "team")  # fmt: skip
    kept(root, "warning", "issue() trusts its caller", "--scope", "symbol:issue")
    satchel("reindex", "--full", "--quiet", cwd=root)
    assert "no anchored code has changed" in run(root, "knowledge", "drift")
    (root / "src/auth/token.py").rename(root / "src/auth/tokens.py")
    assert "no anchored code has changed" in run(root, "knowledge", "drift")
    assert "Tokens are opaque" in run(root, "recall", "opaque tokens")
    (root / "src/auth/tokens.py").write_text("def issue(user):\n    return 0\n", "utf-8")
    drifted = result(root, "knowledge", "drift")["items"]
    assert drifted[0]["id"] == first
    assert drifted[0]["changes"] == ["src/auth/tokens.py changed"]
    assert drifted[1]["changes"] == ["issue changed"]
    assert "drifted: src/auth/tokens.py changed" in run(root, "recall", "opaque tokens")
    assert "verification unverified → verified" in run(root, "revise", "verify", first)
    assert f"{first} is as it was" in run(root, "revise", "verify", first)
    assert len(result(root, "knowledge", "drift")["items"]) == 1
    (root / "src/auth/tokens.py").unlink()
    assert "src/auth/tokens.py is gone" in run(root, "knowledge", "drift")


def test_places_are_meant_from_where_somebody_stands(root: Path):
    satchel("reindex", "--quiet", cwd=root)
    here = root / "src/auth"
    for number, scope in enumerate(("token.py", "../auth/token.py", "src/auth/token.py")):
        told = ("remember", "note", f"Opaque {number}", "--scope", scope)
        [item] = result(here, *told, "--link", "affects=token.py")["result"]["items"]
        row = result(here, "recall", "--id", item["id"])["result"]["items"][0]
        assert row["scope"] == "src/auth/token.py"
        assert "src/auth/token.py" in str(row["links"])
        run(here, "revise", "edit", item["id"], "--set", "scope=symbol:token.py#issue")
        assert "symbol:src/auth/token.py#issue" in run(root, "recall", "--id", item["id"])
    assert "Opaque 2" in run(here, "recall", "opaque", "--scope", "../auth")
    run(here, "remember", "note", "Of all of it", "--scope", "project")


def test_an_export_is_the_same_bytes_again_and_comes_back_whole(root: Path, tmp_path: Path):
    first = kept(root, "decision", "Use ports", "--rationale", "tests", "--privacy", "team")
    kept(root, "need", "Write docs for Bob <bob@example.com>", "--privacy", "public",
         "--link", f"depends_on={first}", "--tag", "docs")  # fmt: skip
    kept(root, "note", "mine alone")
    text = run(root, "knowledge", "export")
    run(root, "recall", "ports")
    assert run(root, "knowledge", "export") == text
    assert text.count("\n") == 2 and "mine alone" not in text and "bob@example" not in text
    file = tmp_path / "known.jsonl"
    assert result(root, "knowledge", "export", str(file))["items"] == 2
    assert file.read_text("utf-8") == text
    other = tmp_path / "other"
    other.mkdir()
    assert len(result(other, "knowledge", "import", str(file), actor="bob")["added"]) == 2
    assert len(result(other, "knowledge", "import", str(file), actor="bob")["unchanged"]) == 2
    assert run(other, "knowledge", "export", actor="bob") == text
    run(other, "revise", "archive", first[:10], actor="bob")
    changed = run(other, "knowledge", "export", actor="bob")
    differing = [x for x, y in zip(text.split("\n"), changed.split("\n"), strict=True) if x != y]
    assert len(differing) == 1
    file.write_text(changed, "utf-8")
    assert result(root, "knowledge", "import", str(file))["updated"] == [first]
    assert "Use ports" not in run(root, "recall", "ports")


def test_an_export_says_what_stays_behind_and_takes_it_along_when_told(root: Path):
    first = kept(root, "fact", "Ann lives at /home/ann", "--detail", "ann@example.com")
    done = satchel("knowledge", "export", cwd=root, environment={"SATCHEL_KNOWLEDGE_ACTOR": "ann"})
    assert done.stdout == b"" and b"1 private item kept here; `--private`" in done.stderr
    file = root / "mine.jsonl"
    assert result(root, "knowledge", "export", str(file))["private"] == 1
    whole = run(root, "knowledge", "export", "--private")
    assert "/home/ann" in whole and "ann@example.com" in whole
    assert run(root, "knowledge", "export", "--private", actor="bob") == ""
    file.write_text(whole, "utf-8")
    for kept_there in knowledge_folder(root).glob("knowledge.db*"):
        kept_there.unlink()
    assert result(root, "knowledge", "import", "mine.jsonl")["added"] == [first]
    assert "Ann lives" in run(root, "recall", "ann")
    assert "Ann" not in run(root, "recall", actor="bob")


def test_a_batch_comes_from_a_pipe_and_a_broken_line_is_named(root: Path):
    lines = b'{"kind":"fact","summary":"one"}\n\n{"kind":"risk","summary":"two"}\n'
    items = json.loads(run(root, "remember", "--batch", "-", "--json", stdin=lines))["result"]
    assert [row["action"] for row in items["items"]] == ["added", "added"]
    assert "line 2" in run(root, "remember", "--batch", "-", stdin=b'{"kind":"fact"}\n{', code=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("remember", "decision", "No reason"), "rationale is missing"),
        (("remember", "gossip", "x"), "kind is 'gossip'"),
        (("remember", "fact", "x" * 201), "summary"),
        (("remember",), "there is nothing to remember"),
        (("remember", "fact", "x", "--link", "nowhere"), "names no target"),
        (("revise", "resolve", "00000000"), "no item 00000000"),
        (("revise", "explode", "00000000"), "action"),
        (("recall", "--budget", "255"), "budget_tokens"),
        (("recall", "--limit", "51"), "limit"),
        (("recall", "--preset", "best"), "preset is 'best'"),
        (("recall", "--since", "tomorrow"), "since is 'tomorrow'"),
        (("recall", "--status", "gone"), "status is 'gone'"),
        (("knowledge", "import"), "no file"),
        (("knowledge", "import", "missing.json"), "missing.json"),
        (("knowledge", "prune", "--days", "0"), "days is 0"),
    ],
)
def test_a_refusal_names_the_field_and_what_to_do(root: Path, arguments, said):
    error = run(root, *arguments, code=2)
    assert said in error and "hint: " in error


def test_stats_tell_how_much_and_how_fast_and_never_what(root: Path):
    kept(root, "fact", "The password policy of Zanzibar")
    run(root, "recall", "zanzibar", "--session", "s1")
    run(root, "recall", "x", "--limit", "99", code=2)
    stats = result(root, "knowledge", "stats")["stats"]
    assert stats["items"] == {"fact": 1}
    operations = {row["op"]: row["n"] for row in stats["operations"]}
    assert operations == {"remember": 1, "recall": 1}
    assert stats["focus"]["sessions"] == 1
    assert "zanzibar" not in json.dumps(stats).lower()


def test_what_is_idle_is_put_away_and_comes_back(root: Path, tmp_path: Path):
    import apsw

    old = kept(root, "note", "An old note")
    standing = kept(root, "convention", "Name things plainly")
    assert run(root, "knowledge", "prune").endswith("0 items archived\n")
    db = apsw.Connection(str(knowledge_folder(root) / "knowledge.db"))
    db.execute("UPDATE item SET created_at = created_at - 91 * 86400000")
    db.close()
    assert "would be archived" in run(root, "knowledge", "prune", "--dry-run")
    assert result(root, "knowledge", "prune")["archived"] == [old]
    assert "An old note" not in run(root, "recall")
    run(root, "revise", "restore", old)
    assert {row["id"] for row in result(root, "recall")["result"]["items"]} == {old, standing}


_GHOST = "INSERT INTO item_text (rowid, summary, rest) VALUES (99, 'ghost', '')"
_LOST = "INSERT INTO link SELECT id, 'fixes', 'item:GONE', 1, '', '' FROM item"
DAMAGE = {
    "UPDATE item SET digest = 'x'": "digest of other words",
    "DELETE FROM tag": "found by other tags than it has",
    "INSERT INTO tag SELECT 'false', seq FROM item": "found by other tags than it has",
    "DELETE FROM item_text": "found by other words than it has",
    _GHOST: "terms of items that are gone",
    "DELETE FROM vector": "vector of another text",
    "UPDATE vector SET vector = zeroblob(256)": "vector of another text",
    _LOST: "fixes leads to an item that is gone",
}


def test_what_is_derived_of_items_is_checked_and_mended(root: Path):
    run(root, "remember", "fact", "Tokens are opaque", "--tag", "auth", "--privacy", "team")
    assert run(root, "knowledge", "check").strip() == "everything is as the items say"
    with closing(database.connect(knowledge_folder(root))) as db:
        for statement, said in DAMAGE.items():
            db.execute(statement)
            assert said in {f.what for f in check_integrity(db, repair=False) if not f.repaired}, (
                statement
            )
            assert said in {f.what for f in check_integrity(db, repair=True) if f.repaired}
            assert check_integrity(db, repair=False) == []
        db.execute("UPDATE item SET digest = 'x'")
    assert b"1 problem" in satchel("knowledge", "check", cwd=root).stdout
    assert "(repaired)" in run(root, "knowledge", "check", "--repair")
    assert result(root, "knowledge", "check")["flaws"] == []
    assert "Tokens are opaque" in run(root, "recall", "opaque", "--tag", "auth")
    with closing(database.connect(knowledge_folder(root))) as db:
        db.execute("UPDATE item SET body = 'no JSON'")
    found = satchel("knowledge", "check", "--repair", cwd=root)
    assert found.returncode == 1 and b"cannot be read" in found.stdout


def test_surveys_say_what_is_known_as_text_and_as_json(root: Path):
    assert result(root, "overview")["known"] is None
    run(root, "remember", "warning", "Signing is slow", "--scope", "src/auth")
    assert "1 warning" in run(root, "overview")
    known = result(root, "overview", "src")["known"]
    assert known["active_warnings"] == 1
    assert [(row["name"], row["verdict"]) for row in known["checks"]] == [
        ("coverage", "skip"), ("warnings", "warn"), ("assembly", "skip"), ("drift", "pass")
    ]  # fmt: skip
    commit_all(root)
    assert "new entries" in run(root, "changes", "1h")
    told = result(root, "changes", "1h")["known"]["changed"]["new_entries"]
    assert [row["summary"] for row in told] == ["Signing is slow"]


def test_an_empty_store_says_so_and_a_label_how_it_is_understood(project):
    root = project("//- a.py\ndef f(): pass\n")
    assert satchel("recall", "cache", cwd=root).stdout.startswith(b"Nothing is stored yet")
    label = satchel("remember", "todo", "Write it down", cwd=root)
    assert b"note: todo is kept as a need, under that label" in label.stdout + label.stderr
    unknown = satchel("remember", "spell", "Abracadabra", cwd=root).stderr.decode()
    assert "or a label for one: agent_rule, " in unknown and "workaround" in unknown
    assert b"No memories found" in satchel("recall", "volcano", cwd=root).stdout


def test_another_decision_about_the_same_symbol_is_named(project):
    root = project("//- a.py\ndef f(): pass\n")
    where = ("--rationale", "so", "--scope", "symbol:f")
    satchel("remember", "decision", "f caches", *where, cwd=root)
    reply = satchel("remember", "decision", "f never caches", *where, cwd=root)
    assert (
        b"decides about the same symbol: f caches; if the new one replaces it"
        in reply.stdout + reply.stderr
    )


def test_decisions_nearby_that_read_alike_or_say_the_opposite_are_named(project):
    root = project("//- source/core/a.py\ndef f(): pass\n")

    def decide(summary: str, scope: str = "source/core") -> str:
        words = ("--rationale", f"so {len(summary)}", "--scope", scope)
        done = satchel("remember", "decision", summary, *words, cwd=root)
        assert done.returncode == 0
        return (done.stdout + done.stderr).decode()

    first = "Retries use exponential backoff with jitter, not fixed delays"
    assert "reads much alike" not in decide(first)
    again = decide("Retries use exponential backoff with jitter and not fixed delays")
    assert f"reads much alike: {first}; if the new one replaces it, supersede it" in again
    opposite = decide("Retry delays are fixed at 1s")
    assert opposite.count("reads much alike") == 2
    assert "reads much alike" not in decide("Retry delays are fixed at 1s", "docs")
    assert "reads much alike" not in decide("Errors of a request name its address")


def test_what_is_known_since_a_commit_says_when_that_was(project):
    root = project("//- a.py\ndef f(): pass\n")
    commit_all(root)
    satchel("remember", "fact", "The sea is salt", cwd=root)
    printed = satchel("changes", "HEAD", cwd=root).stdout.decode()
    assert ", when HEAD was committed:\nnew entries: " in printed


def test_what_is_not_done_is_told_by_the_exit_code_as_well(root: Path):
    lines = b'{"kind":"fact","summary":"one"}\n{"kind":"decision","summary":"two"}\n'
    done = satchel("remember", "--batch", "-", cwd=root, stdin=lines)
    assert done.returncode == 1 and b"1 of 2 items not kept" in done.stderr
    assert b"kept, active" in done.stdout and b"not kept: rationale is missing" in done.stdout
    fact = done.stdout.split()[0].decode()
    done = satchel("revise", "promote", fact, "0" * 26, cwd=root)
    assert done.returncode == 1 and b"2 items not changed" in done.stderr


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "x" * 5_000, "missing"])
def test_an_odd_file_to_import_is_refused_in_words(root: Path, name: str):
    os.mkfifo(root / "pipe")
    done = satchel("knowledge", "import", name, cwd=root)
    assert done.returncode == 2 and b"Traceback" not in done.stderr


def test_a_file_of_which_nothing_is_kept_is_named(root: Path):
    # Twining keeps its decisions in a file of their own; the blackboard has copies.
    (root / "blackboard.json").write_text('[{"entry_type": "decision", "summary": "a"}]', "utf-8")
    done = satchel("knowledge", "import", "blackboard.json", cwd=root)
    assert done.stdout.startswith(b"1 file: 0 added")
    assert b"note: nothing in blackboard.json is an item" in done.stderr
