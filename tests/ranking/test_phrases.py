"""A quotation finds what prints it: words side by side outrank the same words scattered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.search import search
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

# The words of every message are also scattered over a file that is about nothing else.
CODE = '''
//- app/reader.py
def load(path, error):
    raise OSError("Cannot open file %s: %s" % (path, error))

def check(name, kind):
    log(f"No decorator '{name}' has been declared on {kind}.")
    log("content-type is " + name)
    log.events("reader.form.open")
//- app/plugins.js
function depend (name, plugin) {
  throw new Error('The dependency ' + name + ' of plugin ' +
    plugin + ' is not registered')
}
//- app/file_open.py
"""Open a file: whether a file can open, cannot open, and which errors a file gives."""

class FileOpener:
    """Opens a file. An open file is a file that cannot be opened again: open file errors."""

    def open_file(self, file):
        """Open the file; permission denied errors of the file are the caller's."""
        return file.open(), "open", "file", "cannot"
//- app/decorators.py
"""Decorators: what a decorator has, how it has been declared, no more."""

def declare_decorator(decorator, has, been, declared, no):
    """Declare a decorator that has been declared on nothing."""
    return decorator

def register_plugin(plugin, dependency):
    """Register a plugin and each dependency: the registered dependency is of the plugin."""
    return plugin, dependency
//- docs/steps.md
# Steps

What we call the 'register plugin' step comes before the "declare things" step.
//- app/limit.ts
/**
 * Limits the size of a body.
 *
 * ```ts
 * app.post('/hello', limit(50), async (c) => {
 *   const body = await c.req.readForm()
 *   return c.text('hello')
 * })
 * ```
 */
export const limit = (size: number) => size
//- app/form.ts
export class Form {
  readForm() {
    return this.values
  }
}
//- tests/test_reader.py
def test_load():
    assert "Cannot open file x: y" in load("x", "y")
'''


@pytest.fixture
def snapshot(project) -> Iterator[Snapshot]:
    with index(project(CODE)).snapshot() as snapshot:
        yield snapshot


def best(snapshot: Snapshot, text: str, scope: Scope = Scope.IMPL) -> str:
    """The path of the first result, and whether it is there for being quoted."""
    first = search(snapshot, Question(text, scope), 5).results[0]
    quoted = any(evidence.signal == "quoted" for evidence in first.why)
    return f"{first.chunk.path}{' quoted' if quoted else ''}"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Cannot open file /tmp/x.py: permission denied", "app/reader.py quoted"),
        ('I get "Cannot open file" when I run it, why?', "app/reader.py quoted"),
        (
            "2024-05-01 12:00:03 ERROR app: Cannot open file a.txt: permission denied",
            "app/reader.py quoted",
        ),
        ("No decorator 'cached' has been declared on Request.", "app/reader.py quoted"),
        ("The dependency x of plugin y is not registered", "app/plugins.js quoted"),
        ('where is "content-type is" set', "app/reader.py quoted"),
        # Words that only happen to stand together are no quotation.
        ("how does one open a file that cannot be opened", "app/file_open.py"),
        ("declare a decorator", "app/decorators.py"),
        ("Fix `open_file` of a file that is open", "app/file_open.py"),
        ("FileOpener", "app/file_open.py"),
        # Nor are those of an example in a comment.
        ("c.req.readForm() loses array values", "app/form.ts"),
        # A literal that is a name in code is no message, unless it is in quotes.
        ("reader.form.open loses a value", "app/form.ts"),
        ('where does "reader.form.open" come from', "app/reader.py quoted"),
        # Quotation marks in a document print nothing, but may be quoted.
        ("register plugin", "app/decorators.py"),
        ('what is the "register plugin" step', "docs/steps.md quoted"),
    ],
)
def test_what_prints_a_message_comes_first(snapshot: Snapshot, text: str, path: str):
    assert best(snapshot, text) == path


def test_a_placeholder_was_filled_with_a_few_words_and_not_with_a_sentence(snapshot: Snapshot):
    def quoted(n_words: int) -> float:
        filling = " ".join(["something"] * n_words)
        asked = Question(f"The dependency {filling} of plugin mail is not registered")
        return search(snapshot, asked, 1).results[0].shares["quoted"]

    assert quoted(1) == quoted(7) > quoted(12)


def test_a_list_of_changes_comes_below_what_prints_the_message(project):
    changes = """//- CHANGES.txt
Cannot open file: "Cannot open file a.txt: permission denied" is told of a file that cannot open.
"""
    with index(project(f"{CODE}{changes}")).snapshot() as snapshot:
        assert best(snapshot, "Cannot open file a.txt: permission denied") == "app/reader.py quoted"


def test_catalogues_of_translations_come_below_what_prints_the_message(project):
    steps = "".join(f"    prepare_{number}(options, cache)\n" for number in range(30))
    tree = f"""
//- app/transfer.py
def transfer(remote, options, cache):
    \"\"\"Bring what is new.\"\"\"
{steps}    if not connect(remote):
        raise Failed(_("the remote {{remote}} did not answer within {{timeout}} seconds"))
"""
    said = "the remote {remote} did not answer within {timeout} seconds"
    for path in ("web/i18n/de.js", "web/i18n/fr.ts", "app/lang/pt_BR/net.php", "locale/app.es.rb"):
        tree += f'//- {path}\nlet timeout = "{said}"\n'
    with index(project(tree)).snapshot() as snapshot:
        asked = "the remote origin did not answer within 30 seconds"
        assert best(snapshot, asked) == "app/transfer.py quoted"


@pytest.mark.parametrize(
    ("path", "topic"),
    [
        ("web/i18n/de.js", Topic.TRANSLATIONS),
        ("src/lang/zh-hans/auth.php", Topic.TRANSLATIONS),
        ("translations/messages.pt_BR.php", Topic.TRANSLATIONS),
        ("po/sv.po", Topic.TRANSLATIONS),
        ("Shop/Strings.resx", Topic.TRANSLATIONS),
        ("web/i18n/index.js", None),
        ("app/locale/load.ts", None),
        ("app/de/steps.ts", None),
    ],
)
def test_a_catalogue_is_told_by_its_format_or_by_its_folder_and_language(
    path: str, topic: Topic | None
):
    assert role_of(path, "typescript", is_test=False).topic == topic


def test_what_a_report_pastes_does_not_outrank_what_it_is_about(tmp_path: Path):
    things = [f"{word}_{number}" for word in ("branches", "locals") for number in range(12)]
    for thing in things:
        text = f'MESSAGES = {{"code": "Too many {thing} in the body of %s"}}\n'
        (tmp_path / f"limit_{thing}.py").write_text(text, "utf-8")
    for number in range(40):
        text = f'def run_{number}(path):\n    """Reports a path of a recursive run."""\n'
        (tmp_path / f"other_{number}.py").write_text(text, "utf-8")
    text = "def is_ignored(path, ignored_paths):\n    return path in ignored_paths\n"
    (tmp_path / "expand.py").write_text(text, "utf-8")
    lines = "\n".join(f"Too many {thing} in the body of shop.order" for thing in things)
    pasted = (
        "The ignored_paths are not used by a recursive run\n\nEach path that is to be ignored is"
        f" reported all the same, though ignored paths lists it:\n\n```\n{lines}\n```\n"
    )
    with index(tmp_path).snapshot() as snapshot:
        first = search(snapshot, Question(pasted), 5).results[0]
    assert first.chunk.path == "expand.py"


def test_a_scope_holds_for_quotations_too(snapshot: Snapshot):
    text = '"Cannot open file x: y"'
    assert best(snapshot, text, Scope.TEST) == "tests/test_reader.py quoted"
    found = search(snapshot, Question(text), 200).results
    assert {item.chunk.path for item in found}.isdisjoint({"tests/test_reader.py"})


def test_the_share_of_a_quotation_is_part_of_the_score(snapshot: Snapshot):
    reply = search(snapshot, Question("Cannot open file a: b"), 5)
    for item in reply.results:
        assert item.score == pytest.approx(sum(evidence.share for evidence in item.why))
        assert 0.0 < item.score <= 1.0


@pytest.mark.parametrize(
    "text", ['"' * 500, "a b " * 2_400, ": " * 900, "' ' ' '", '"\n"', "`` ``"]
)
def test_odd_questions_are_answered(snapshot: Snapshot, text: str):
    reply = search(snapshot, Question(text), 5)
    assert len(reply.results) <= 5
