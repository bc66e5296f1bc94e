"""Code that a question writes is shown first: by its owner, by a variable, with its overloads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack
from satchel.assembler.weights import DEFAULT
from tests.support.satchel import index

CODE = """
//- src/context.ts
export class Context {
  private _res?: Response

  get res(): Response {
    return this._res as Response
  }

  set res(next: Response | undefined) {
    this._res = next
  }

  html(text: string) {
    const res = (body: string) => body
    return res(text)
  }
}
//- src/request.ts
export class Request {
  parse(kind: string) {
    return kind
  }

  peek() {
    return 1
  }
}
//- src/stream.ts
export class Stream {
  peek() {
    return 2
  }
}
//- src/Page.java
class Page {
    String html() {
        return text;
    }

    String html(Appendable to) {
        return html();
    }

    Page html(String text) {
        return this;
    }
}
"""


@pytest.fixture
def pack(project):
    checkout = index(project(CODE))

    def ask(text: str) -> ContextPack:
        with checkout.snapshot() as snapshot:
            return assemble.context(snapshot, Question(text), 1000)

    return ask


def named(pack: ContextPack) -> set[tuple[str, int]]:
    """Where the excerpts begin that are shown for their name."""
    return {(e.path, e.start_line) for e in pack.excerpts if e.reason == "named by the question"}


@pytest.mark.parametrize("text", ["headers are lost when c.res is replaced", "what sets c.res"])
def test_a_member_after_a_variable_is_shown(pack, text: str):
    made = pack(text)
    assert {path for path, _ in named(made)} == {"src/context.ts"}
    assert "set res(next: Response | undefined)" in made.text


def test_the_beginning_of_a_chain_of_names_is_no_file(pack):
    assert named(pack("c.res.parse() fails")) == {("src/request.ts", 2)}


def test_a_member_that_several_classes_have_is_not_guessed(pack):
    assert not named(pack("x.peek() hangs"))


def test_a_member_of_a_library_type_is_not_that_of_another_type(pack):
    assert not named(pack("Json.parse() fails"))
    assert named(pack("ServerRequest.parse() fails")) == set()
    assert named(pack("Request.parse() fails")) == {("src/request.ts", 2)}


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("rqst.parse() fails", True),
        ("self.parse() fails", True),
        ("zlib.parse fails", False),
        ("std::parse is slow", False),
    ],
)
def test_a_variable_is_called_like_its_class_or_short_for_it(pack, text: str, is_meant: bool):
    assert bool(named(pack(text))) == is_meant


def test_a_property_that_a_subclass_overrides_is_shown_like_a_method(project):
    tree = """
//- src/loop.py
class LoopContext:
    @property
    def first(self):
        return self.index == 0

    @property
    def last(self):
        return self._peek() is None

    def _peek(self):
        return next(self._iterator, None)


class AsyncLoopContext(LoopContext):
    @property
    async def last(self):
        return await self._peek() is None
//- src/filters.py
"""
    tree += "".join(
        f"def do_{name}(iterable):\n    # A generator may be wrong: it yields lazily.\n"
        f"    for item in iterable:\n        yield {name}(item)\n\n\n"
        for name in ("batch", "slice", "round", "unique", "reject", "select", "map", "join")
    )
    with index(project(tree)).snapshot() as snapshot:
        asked = Question("loop.last is wrong when the iterable is a generator that yields lazily")
        made = assemble.context(snapshot, asked, 400)
    assert "return self._peek() is None" in made.text


def test_all_short_overloads_of_a_qualified_name_are_shown(pack):
    made = pack("Page.html() escapes ampersands")
    assert {path for path, _ in named(made)} == {"src/Page.java"}
    for written in ("String html() {", "String html(Appendable to) {", "Page html(String text) {"):
        assert written in made.text


def test_a_name_of_what_hardly_matches_is_not_required(project):
    weights = replace(DEFAULT, naming=replace(DEFAULT.naming, best=1))
    text = "headers are lost when c.res is replaced by a text of html"
    with index(project(CODE)).snapshot() as snapshot:
        near = assemble.context(snapshot, Question(f"{text} after parse()"), 1000)
        far = assemble.context(
            snapshot, Question(f"{text} after parse()"), 1000, assemble.PackOptions(weights=weights)
        )
    assert "src/request.ts" in {path for path, _ in named(near)}
    assert "src/request.ts" not in {path for path, _ in named(far)}


def test_a_name_alone_counts_the_documents_that_hold_it(project):
    tree = """
//- src/total.py
def compute_total(numbers):
    return sum(numbers)
//- docs/billing.md
The compute_total function is used by billing.
"""
    with index(project(tree)).snapshot() as snapshot:
        alone = assemble.context(snapshot, Question("compute_total"), 1000)
        task = assemble.context(snapshot, Question("fix compute_total of nothing"), 1000)
    assert len(alone.excerpts) + alone.receipt.n_omitted == 2
    assert len(task.excerpts) + task.receipt.n_omitted == 1


def test_translations_of_a_message_are_not_shown_beside_what_prints_it(project):
    said = "The job failed after so many attempts"
    entries = "".join(f'msgid "{said} {n}"\nmsgstr "Der Auftrag {n}"\n\n' for n in range(30))
    tree = f"""
//- src/retry.py
def retry(job):
    raise RuntimeError("{said}")
//- po/de.po
{entries}
"""
    with index(project(tree)).snapshot() as snapshot:
        made = assemble.context(
            snapshot, Question("where is the job failed after many attempts"), 1000
        )
        asked = assemble.context(snapshot, Question("translations of the job failed"), 1000)
    assert {e.path for e in made.excerpts} == {"src/retry.py"}
    assert "po/de.po" in {e.path for e in asked.excerpts}
