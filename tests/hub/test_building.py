"""Building: what is shared, what is listed as failed, and what readers see while it goes on."""

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from bench.hub.team import address_of
from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.cli import command_line
from satchel.hub import asking, database, repositories
from satchel.hub.building import wanted
from satchel.hub.building.build import BuildTask, build
from satchel.hub.building.known_files import bring_up_to_date
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot, builds
from satchel.questions.request import About
from satchel.store.errors import HubUnavailable, UsageError
from satchel.workspace.project import Project
from tests.support.git import git

PATIENCE_S = 120
VENDORED = "def jitter(delay):\n    return delay * random()\n" * 3


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes a small folder with a file of its own and one that others have too."""

    def make(name: str, own: str) -> Path:
        root = tmp_path / name
        (root / "vendor").mkdir(parents=True)
        (root / "vendor" / "retry.py").write_text(VENDORED)
        (root / "main.py").write_text(own)
        return root

    return make


def test_what_several_repositories_hold_is_parsed_and_kept_once(tree, built, hub: Hub) -> None:
    first = built(tree("one", "def first():\n    return 1\n"))
    second = built(tree("two", "def second():\n    return 2\n"))
    assert (first.parsed, first.new_contents) == (2, 2)
    assert (second.files, second.parsed, second.new_contents) == (2, 1, 1)
    assert rows(hub, "SELECT count(*) FROM contents")[0][0] == 3
    assert rows(hub, "SELECT count(*) FROM content_vectors")[0][0] == 3
    with database.reading(hub):
        snapshot = PgSnapshot(hub, builds(hub))
        found = [symbol.path for symbol in snapshot.symbols.named("jitter")]
    assert found == [f"{name}/vendor/retry.py" for name in ("one", "two") for _ in range(3)]


def test_a_tree_that_did_not_change_is_not_written_again(tree, built, hub: Hub) -> None:
    root = tree("one", "def first():\n    return 1\n")
    assert built(root).changed
    before = rows(hub, "SELECT build_id FROM repositories")
    assert not built(root).changed
    assert rows(hub, "SELECT build_id FROM repositories") == before


def test_a_reader_keeps_what_it_began_with(tree, built, hub: Hub) -> None:
    root = tree("one", "def before():\n    return 1\n")
    built(root)
    with database.reading(hub):
        snapshot = PgSnapshot(hub, builds(hub))
        (root / "main.py").write_text("def after():\n    return 1\n")
        # Its own connection: this one reads.
        with database.connected(_url(hub)) as other:
            number = rows(other, "SELECT id FROM repositories")[0][0]
            task = BuildTask(_url(hub), number, "one", str(root), str(root.parent / "scratch"))
            assert build(task, os.environ).changed
            with database.reading(other):
                newer = PgSnapshot(other, builds(other))
                assert newer.symbols.named("after")
                assert not newer.symbols.named("before")
                assert newer.generation > snapshot.generation
        assert snapshot.symbols.named("before")
        assert [s.name for s in snapshot.symbols.of_file("main.py")] == ["main", "before"]
        assert snapshot.terms.postings("befor").chunks.size
    assert rows(hub, "SELECT count(*) FROM builds")[0][0] == 1


def test_a_repository_that_fails_is_listed_and_answers_from_before(
    tree, built, hub: Hub, tmp_path: Path
) -> None:
    root = tree("one", "def before():\n    return 1\n")
    built(root)
    root.rename(tmp_path / "moved")
    report = build(_task(hub, "one", root, tmp_path), os.environ)
    assert report.problem == f"{root} is not a folder"
    address = f"file://{tmp_path}/nowhere.git"
    repositories.add(hub, [repositories.Source("two", address)])
    assert build(_task(hub, "two", address, tmp_path), os.environ).problem.startswith("git: ")
    one, two = repositories.repositories(hub)
    assert one.problem == f"{root} is not a folder"
    assert one.built
    assert two.problem
    assert not two.built
    with asking.view(hub, "*", About("before"), None) as view:
        assert view.snapshot.symbols.named("before")


def test_a_git_address_is_fetched_and_left_alone_while_its_commit_is_the_same(
    tree, hub: Hub, tmp_path: Path
) -> None:
    root = tree("one", "def first():\n    return 1\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    source = f"file://{root}"
    repositories.add(hub, repositories.read_sources([source]))
    name = repositories.repositories(hub)[0].name
    assert name.endswith("/one")
    task = _task(hub, name, source, tmp_path)
    assert build(task, os.environ).files == 2
    assert build(task, os.environ).files == 0  # nothing was even read
    (root / "main.py").write_text("def second():\n    return 1\n")
    git(root, "commit", "--quiet", "--all", "--message", "second")
    assert build(task, os.environ).changed
    with asking.view(hub, name, About("second"), None) as view:
        assert view.snapshot.symbols.named("second")
        assert view.snapshot.head == repositories.repositories(hub)[0].head != ""


def test_a_branch_and_a_tag_are_repositories_of_their_own(tree, hub: Hub, tmp_path: Path) -> None:
    root = tree("one", "def first():\n    return 1\n")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    git(root, "tag", "--annotate", "--message", "one", "v1.0")
    git(root, "checkout", "--quiet", "-b", "next/big")
    (root / "main.py").write_text("def second():\n    return 1\n")
    git(root, "commit", "--quiet", "--all", "--message", "second")
    git(root, "checkout", "--quiet", "main")
    sources = [f"file://{root}{ref}" for ref in ("#v1.0", "#next/big", "#gone")]
    listed = repositories.read_sources(sources)
    assert [each.name.rpartition("/one")[2] for each in listed] == ["+v1.0", "+next/big", "+gone"]
    repositories.add(hub, listed)
    for each, name in zip(listed[:2], ("first", "second"), strict=True):
        for is_new in (True, False):
            assert build(_task(hub, each.name, each.source, tmp_path), os.environ).changed == is_new
        with asking.view(hub, each.name, About(name), None) as view:
            assert view.snapshot.symbols.named(name)
    # A folder of which a branch is named, and one without a working tree, are fetched as well.
    bare = tmp_path / "bare one.git"
    git(root, "clone", "--quiet", "--bare", str(root), str(bare))
    folders = repositories.read_sources([f"{root}#next/big", f"two={bare}", f"three={bare}#v1.0"])
    assert [each.name for each in folders] == ["one+next/big", "two", "three"]
    repositories.add(hub, folders)
    for each, name in zip(folders, ("second", "first", "first"), strict=True):
        assert build(_task(hub, each.name, each.source, tmp_path), os.environ).problem == ""
        with asking.view(hub, each.name, About(name), None) as view:
            assert view.snapshot.symbols.named(name)
    gone = build(_task(hub, listed[2].name, listed[2].source, tmp_path), os.environ)
    assert gone.problem == "git: there is no branch or tag gone"
    for wrong in ("#", "#-x", "#a..b", "#a b", "#$(x)"):
        with pytest.raises(UsageError):
            repositories.read_sources([f"file://{root}{wrong}"])
    hub.execute(
        "UPDATE sources SET source = 'https://a.example/b/c.git#v1' WHERE repository_id = 1"
    )
    assert wanted.want(hub, ["git@a.example:b/c.git"]) == [listed[0].name]


@pytest.mark.parametrize("table", ["contents", "postings"])
def test_a_sync_whose_connection_is_killed_is_done_again_and_nothing_half_is_seen(
    table: str, tree, built, hub: Hub, tmp_path: Path
) -> None:
    root = tree("one", "def before():\n    return 1\n")
    built(root)
    (root / "main.py").write_text("def after():\n    return 1\n")
    task = _task(hub, "one", root, tmp_path)
    with ThreadPoolExecutor(1) as pool:
        with database.connected(_url(hub)) as locker, locker.transaction():
            locker.execute(f"LOCK TABLE {table} IN SHARE MODE")
            future = pool.submit(build, task, os.environ)
            pid = _blocked(hub)
            hub.execute("SELECT pg_terminate_backend(%s)", (pid,))
            with database.connected(_url(hub)) as reader, database.reading(reader):
                assert PgSnapshot(reader, builds(reader)).symbols.named("before")
        report = future.result(PATIENCE_S)
    assert report.problem == ""
    assert report.changed
    with database.reading(hub):
        snapshot = PgSnapshot(hub, builds(hub))
        assert snapshot.symbols.named("after")
        assert not snapshot.symbols.named("before")
    assert rows(hub, "SELECT count(*) FROM builds")[0][0] == 1


def test_a_worker_that_is_killed_is_replaced_and_its_repository_built(
    tree, hub: Hub, tmp_path: Path, cluster: ModuleType
) -> None:
    root = tree("one", "def first():\n    return 1\n")
    repositories.add(hub, [repositories.Source("one", str(root))])
    task, reports = _task(hub, "one", root, tmp_path), []
    with (
        cluster.client("", 1, tmp_path) as client,
        ThreadPoolExecutor(1) as pool,
        database.connected(_url(hub)) as locker,
    ):
        [worker] = client.run(os.getpid).values()
        with locker.transaction():
            locker.execute("LOCK TABLE postings IN SHARE MODE")
            future = pool.submit(cluster.build_all, client, [task], os.environ, reports.append)
            _blocked(hub)
            os.kill(worker, signal.SIGKILL)
        assert future.result(PATIENCE_S) == reports
    assert [(report.problem, report.files) for report in reports] == [("", 2)]
    assert rows(hub, "SELECT count(*) FROM builds")[0][0] == 1
    assert rows(hub, "SELECT count(*) FROM contents")[0][0] == 2


def test_two_syncs_at_once_make_one_build(tree, hub: Hub, tmp_path: Path) -> None:
    root = tree("one", "def first():\n    return 1\n")
    repositories.add(hub, [repositories.Source("one", str(root))])
    tasks = [_task(hub, "one", root, tmp_path / name) for name in ("a", "b")]
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda task: build(task, os.environ), tasks))
    assert [report.problem for report in reports] == ["", ""]
    assert sorted(report.changed for report in reports) == [False, True]
    assert rows(hub, "SELECT count(*) FROM builds")[0][0] == 1
    assert rows(hub, "SELECT count(*) FROM contents")[0][0] == 2


def test_a_checkout_takes_what_the_hub_knows_of_its_files(
    tree, built, hub: Hub, tmp_path: Path
) -> None:
    root = tree("one", "def first():\n    return 1\n")
    built(root)
    (root / "new.py").write_text("def only_here():\n    return first()\n")
    here, alone = (
        Project.at(root, {"SATCHEL_STATE_FOLDER": str(tmp_path / name)}) for name in ("a", "b")
    )
    here.prepare()
    assert bring_up_to_date(hub, here).parsed == 1
    alone.prepare()
    alone.refresh(lambda _progress: None)
    alone.build_vectors()
    packs = []
    for project in (here, alone):
        with project.snapshot() as snapshot:
            vectors, _ = project.vector_search(snapshot)
            assert vectors is not None
            packs.append(
                assemble.context(
                    snapshot, Question("first"), 800, assemble.PackOptions(vectors=vectors)
                ).text
            )
    assert packs[0] == packs[1]
    # A row that is not what its digest says is not believed.
    hub.execute("UPDATE contents SET source = (SELECT source FROM contents ORDER BY id LIMIT 1)")
    again = Project.at(root, {"SATCHEL_STATE_FOLDER": str(tmp_path / "c")})
    again.prepare()
    assert bring_up_to_date(hub, again).parsed == 2


def test_what_no_repository_holds_is_collected(tree, built, hub: Hub) -> None:
    root = tree("one", "def before():\n    return 1\n")
    built(root)
    (root / "main.py").write_text("def after():\n    return 1\n")
    built(root)
    assert repositories.collect_garbage(hub, 24) == 0
    assert repositories.collect_garbage(hub, 0) == 1
    assert rows(hub, "SELECT count(*) FROM content_symbols WHERE name = 'before'")[0][0] == 0
    assert repositories.remove(hub, "o*") == ["one"]
    assert repositories.collect_garbage(hub, 0) == 2
    assert rows(hub, "SELECT count(*) FROM files")[0][0] == 0


def test_sources_are_read_from_lists_and_passwords_refused(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    listing = tmp_path / "listing.json"
    listing.write_text(
        '[{"full_name": "acme/api", "clone_url": "https://example.org/acme/api.git"},'
        ' {"full_name": "acme/old", "clone_url": "https://example.org/x", "archived": true}]'
    )
    lines = tmp_path / "lines"
    lines.write_text(f"# ours\n{tmp_path}/here\nmine=git@example.org:acme/web.git\n")
    found = repositories.read_sources([str(listing), str(lines)])
    assert [(each.name, each.source) for each in found] == [
        ("acme/api", "https://example.org/acme/api.git"),
        ("here", f"{tmp_path}/here"),
        ("mine", "git@example.org:acme/web.git"),
    ]
    nowhere = tmp_path / "nowhere.json"
    nowhere.write_text('[{"full_name": "acme/api"}]')
    folder = tmp_path / "folder.json"
    folder.write_text(f'[{{"full_name": "acme/api", "clone_url": "{tmp_path}"}}]')
    for wrong in (
        "https://me:secret@example.org/a/b.git", "ext::sh -c true", "nowhere", "", "name=",
        f"{tmp_path}/here#main", str(nowhere), str(folder),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            repositories.read_sources([wrong])


def test_errors_say_what_to_do(server: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no hub"), database.connected(server):
        pass
    nobody = f"postgresql://postgres:@/postgres?host={tmp_path}"
    for address in (nobody, address_of(server, "missing")):
        with pytest.raises(HubUnavailable) as raised, database.connected(address):
            pass
        assert "names the right host, database, user and password" in raised.value.hint
    for address in ("", "example.org", "http://example.org/hub"):
        with pytest.raises(UsageError, match="address"), database.connected(address):
            pass


@pytest.mark.usefixtures("team")
def test_bytes_of_a_command_line_that_are_no_text_are_refused(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ["symbols", "\udcff", "--hub", url],
        ["hub", "grant", url, "ann", "\udcff"],
        ["hub", "config", url, "oidc.audience", "\udcff"],
    ):
        assert command_line.run(words, os.environ) == 2
        assert "is no text" in capsys.readouterr().err


def _url(hub: Hub) -> str:
    info = hub.info
    return f"postgresql://postgres:@/{info.dbname}?host={info.host}"


def _task(hub: Hub, name: str, source: Path | str, scratch: Path) -> BuildTask:
    number = rows(hub, "SELECT id FROM repositories WHERE name = %s", (name,))[0][0]
    return BuildTask(_url(hub), number, name, str(source), str(scratch / "scratch"))


def _blocked(hub: Hub) -> int:
    """The process that waits for a lock on a table."""
    sql = (
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND wait_event = 'relation' AND datname = current_database()"
    )
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = rows(hub, sql)
        if found:
            return int(found[0][0])
        threading.Event().wait(0.05)
    raise TimeoutError
