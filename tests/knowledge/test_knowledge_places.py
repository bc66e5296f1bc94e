"""What is known of a place: symbols lie in their files, paths are read as people write them."""

from pathlib import Path

import pytest

from satchel.store.errors import UsageError
from satchel.workspace.index_paths import scope_inside
from tests.support.agent import asked, in_memory, refused
from tests.support.knowing import team
from tests.support.satchel import index, knowledge_folder

CODE = """
//- shop/orders.py
class Cart:
    def pay(self):
        return self
//- shop/menu.py
def paint():
    return 1
"""


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def test_what_is_known_of_a_symbol_is_known_of_its_file_and_folder_and_the_other_way(root: Path):
    with index(root).snapshot() as snapshot, team(knowledge_folder(root)) as ann:
        ann = ann.over(snapshot)
        ann.keep("warning", "pay may block", scope="symbol:Cart.pay")
        ann.keep("fact", "painting is quick", scope="symbol:shop/menu.py#paint")
        ann.keep("fact", "nobody defines this", scope="symbol:nobody")
        ann.keep("decision", "orders are kept", scope="shop/orders.py")
        assert ann.summaries(scope="shop/orders.py") == ["orders are kept", "pay may block"]
        assert set(ann.summaries(scope="shop")) == {
            "orders are kept", "pay may block", "painting is quick",
        }  # fmt: skip
        assert set(ann.summaries(scope="shop/menu.py")) == {"painting is quick"}
        assert ann.summaries(scope="symbol:Cart.pay") == ["pay may block", "orders are kept"]
        from satchel.knowledge.requests import Overview

        state = {s: ann.ask(Overview, scope=s).value for s in ("shop", "shop/menu.py")}
        assert [state[s].active_warnings for s in state] == [1, 0]


def test_an_agent_may_name_places_by_their_absolute_paths(root: Path, tmp_path: Path):
    file = str(root / "shop" / "orders.py")

    async def session(client):
        await asked(client, "remember", kind="warning", summary="pay may block", scope=file,
                    links=[{"rel": "affects", "to": f"{root}/shop/menu.py"}])  # fmt: skip
        for scope in ("shop/orders.py", file, f"{root}/shop", "shop/menu.py"):
            assert "pay may block" in await asked(client, "recall", scope=scope)
        said = await asked(client, "set_context", query="pay", scope=str(root / "shop"))
        assert "1 warning for shop;" in said and "note:" not in said
        nowhere = await asked(client, "set_context", query="pay", scope="shops")
        assert "note: nothing in the index is at shops; the focus is set" in nowhere
        task = await asked(client, "twining_assemble", task="x", scope=file)
        assert '"affected_files"' not in task and "pay may block" in task
        for tool, more in (
            ("remember", {"kind": "fact", "summary": "x"}), ("recall", {}),
            ("set_context", {"query": "x"}), ("twining_summarize", {}),
        ):  # fmt: skip
            error = await refused(client, tool, {**more, "scope": "/etc/hosts"})
            assert (
                "lies outside the project" in error and "name it from the project's root" in error
            )

    in_memory(root, session)


def test_a_scope_is_read_with_and_without_links_followed(tmp_path: Path):
    root = (tmp_path / "real").resolve()
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    for said, meant in (
        (str(root), ""), (f"{tmp_path}/link/a/b.py", "a/b.py"), (f"{root}/a/../b.py", "b.py"),
        (f"symbol:{root}/a.py#C.d", "symbol:a.py#C.d"), (" a/b", "a/b"), ("/", "/"), ("", ""),
        ("project", "project"), ("symbol:a.b", "symbol:a.b"),
    ):  # fmt: skip
        assert scope_inside(root, said) == meant
    for said in (f"{root}er/a", "/a\0b", "/\ud800", f"{root}/../x", "/" + "a" * 9_000):
        with pytest.raises(UsageError, match="lies outside"):
            scope_inside(root, said)


def test_whoever_writes_hears_of_code_that_is_not_there_secrets_and_odd_relations(root: Path):
    with index(root).snapshot() as snapshot, team(knowledge_folder(root)) as ann:
        ann = ann.over(snapshot)
        odd = ann.keep(
            "fact", "key AKIA" + "Q3EGRWZ7HLNTXM5P", scope="symbol:nobody",
            links=[{"rel": "zz", "to": "no/such.rs"}],
        )  # fmt: skip
        secret, relation, path, symbol = odd.notices
        assert "[REDACTED] stands in its place" in secret and "zz is no usual relation" in relation
        assert path.startswith("nothing in the index is at no/such.rs")
        assert symbol.startswith("nothing in the index defines nobody")
        for scope in ("shop", "shop/orders.py", "symbol:Cart", "symbol:pay", "project"):
            assert ann.keep("fact", f"about {scope}", scope=scope).notices == ()
        moved = ann.keep("note", "moves")
        ann.revise("edit", moved.id, fields={"scope": "shop/menu.py"})
        assert "moves" in ann.summaries(scope="shop/menu.py")
        from satchel.knowledge.operations.overview import items_about_missing_code

        assert [item.id for item, _ in items_about_missing_code(ann.context)] == [odd.id]
