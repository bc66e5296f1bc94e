"""What an excerpt stands in is said once, and an outline names what was asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Detail
from satchel.assembler.places import asked_lines
from satchel.assembler.query import read_query
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens
from tests.support.satchel import index

Project = Callable[[str], Path]


def method(name: str, word: str, n_lines: int = 12) -> str:
    body = "".join(f"        self.{name}_{n} = ledger[{n}]\n" for n in range(n_lines))
    return f"    def {name}(self, ledger):\n        '''{word}.'''\n{body}\n"


BANK = f"""
//- bank.py
class Account(Base):
    '''Money of one person.'''

{method("open_vault", "Nothing")}{method("settle_invoice", "Settle an invoice")}
{method("close_vault", "Nothing")}{method("dispute_invoice", "Dispute an invoice")}
class Shelf:
    '''Where things stand.'''

{method("count_things", "Nothing")}{method("archive_invoice", "Archive an invoice")}
"""


def ask(root: Path, query: str, budget: int) -> ContextPack:
    with index(root).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question(query), budget)
    assert tokens.count(pack.text) == pack.receipt.used <= budget
    return pack


@pytest.mark.parametrize("budget", [400, 500, 600, 800])
def test_a_method_is_headed_by_its_class_lines_and_score(project: Project, budget: int):
    pack = ask(project(BANK), "settle, dispute and archive an invoice", budget)
    shown = [e for e in pack.excerpts if e.detail != Detail.SIGNATURE]
    assert shown
    for excerpt in shown:
        assert excerpt.symbol in (
            "Account.settle_invoice", "Account.dispute_invoice", "Shelf.archive_invoice",
            "Account.close_vault", "Shelf",
        )  # fmt: skip
        lines = f"{excerpt.start_line}-{excerpt.end_line}"
        score = f"{excerpt.score:.2f}".removeprefix("0")
        others = f" and {excerpt.n_others} more" if excerpt.n_others else ""
        assert f" {lines} {excerpt.symbol}{others} {score}" in pack.text
        if "def close_vault" in excerpt.text and "def settle_invoice" in excerpt.text:
            assert excerpt.n_others


def test_a_method_in_an_outline_says_whose_it_is(project: Project):
    names = "Account.settle_invoice Account.dispute_invoice Shelf.archive_invoice"
    pack = ask(project(BANK), f"{names} Account.open_vault Account.close_vault", 360)
    named = [e for e in pack.excerpts if e.detail == Detail.SIGNATURE and "def " in e.text]
    assert named
    for excerpt in named:
        owner = excerpt.symbol.split(".")[0]
        assert owner in ("Account", "Shelf")
        assert f"{excerpt.path}:{excerpt.start_line} {owner}: {excerpt.text}" in pack.text


def test_a_later_part_of_a_long_function_shows_its_signature(project: Project):
    lines = "".join(
        f"    total = total + rates[{n}] * orders[{n}]  # row {n}\n" for n in range(400)
    )
    root = project(f"//- long.py\ndef add_up(rates, orders):\n    total = 0\n{lines}"
                   "    refund_of_parcel(total)\n    return total\n")  # fmt: skip
    pack = ask(root, "refund_of_parcel", 400)
    late = [e for e in pack.excerpts if "refund_of_parcel(total)" in e.text]
    assert late
    (excerpt,) = pack.excerpts
    assert (excerpt.symbol, excerpt.start_line, excerpt.detail) == ("add_up", 1, Detail.PART)
    assert pack.text.count("def add_up(rates, orders)") == 1
    assert all(f"… {first}-{last}\n" in pack.text for first, last in excerpt.omitted)


def test_a_function_that_is_cut_at_its_end_says_so(project: Project):
    lines = "".join(f"    total = total + rates[{n}] * orders[{n}]\n" for n in range(300))
    root = project(f"//- long.py\ndef add_up(rates, orders):\n    refund_of_parcel()\n{lines}"
                   "    return total\n")  # fmt: skip
    (excerpt,) = ask(root, "refund_of_parcel", 500).excerpts
    assert (excerpt.detail, excerpt.omitted[-1][1]) == (Detail.PART, 303)
    assert excerpt.omitted[-1][0] == excerpt.end_line + 1
    assert excerpt.text.endswith(f"\n… {excerpt.end_line + 1}-303")


def test_a_part_of_a_long_function_leaves_room_for_what_fits(project: Project):
    long = "".join(f"    refund_parcel(rates[{n}], orders[{n}])\n" for n in range(200))
    short = "".join(f"    note(orders[{n}])\n" for n in range(30))
    root = project(f"//- long.py\ndef refund_parcel_all(rates, orders):\n{long}"
                   f"//- short.py\ndef refund_parcel_late(orders):\n{short}")  # fmt: skip
    details = {e.path: e.detail for e in ask(root, "refund parcel", 1000).excerpts}
    assert details == {"long.py": Detail.PART, "short.py": Detail.FULL}


def test_constants_are_named_by_the_line_that_was_asked_for(project: Project):
    constants = "".join(f"OPTION_{n} = {n}\n" for n in range(60))
    filler = "".join(f"//- m{n}.py\ndef retry_times_{n}():\n    return {n}\n" for n in range(3))
    root = project(f"//- settings.py\n{constants}RETRY_TIMES = 3\n{constants}{filler}")
    pack = ask(root, "retry times", 500)
    settings = [e for e in pack.excerpts if e.path == "settings.py"]
    assert settings
    assert any("RETRY_TIMES = 3" in e.text for e in settings)


@pytest.mark.parametrize("budget", range(300, 700, 40))
def test_an_excerpt_ends_where_something_ends(project: Project, budget: int):
    pack = ask(project(BANK), "vault", budget)
    for excerpt in pack.excerpts:
        if excerpt.detail == Detail.PART:
            last = excerpt.text.rstrip().rsplit("\n", 1)[-1]
            assert not last.startswith("class ") and not last.strip().startswith("def ")


def test_lines_asked_for_by_number_come_first(project: Project):
    parts = "".join(f"def part_{n}():\n    return {n}\n\n\n" for n in range(100))
    routed = "app/[user]/(main)/$id.ts"
    root = project(
        f"//- app/long.py\n{parts}//- app/other.py\ndef other():\n    return 0\n"
        f"//- {routed}\nexport function page() {{\n  return 1\n}}\n"
    )

    def places(query: str) -> list[tuple[str, int, int, str]]:
        with index(root).snapshot() as snapshot:
            asked = read_query.read(Question(query), DEFAULT)
            found = asked_lines.ranges(snapshot, asked.places.ranges)
        return [
            (each.path, each.first_line, each.last_line, each.reason)
            for each in found
            if each.is_exact
        ]

    why = "asked for by its lines"
    assert places("app/long.py:18-21") == [("app/long.py", 18, 21, why)]
    assert places("in `long.py:18-21`, other.py:1-2") == [
        ("app/long.py", 18, 21, why), ("app/other.py", 1, 2, why)
    ]  # fmt: skip
    of_forge = "https://example.org/o/r/-/blob/main/app/long.py"
    for same in ("app/long.py#L18-L21", "long.py#L18C5-L21C2", f"see {of_forge}#L18-21"):
        assert places(same) == [("app/long.py", 18, 21, why)]
    for text in (f"({routed}:1-2)", f"[why]({routed}#L1-L2)", "what is [user]/(main)/$id.ts:1-2"):
        assert places(text) == [(routed, 1, 2, why)]
    assert places("[see](app/long.py:18-21)") == [("app/long.py", 18, 21, why)]
    assert places("`long.py:396-`") == [("app/long.py", 396, 398, why)]
    assert places("app/long.py:-2") == [("app/long.py", 1, 2, why)]
    assert places("app/long.py:398-900") == [("app/long.py", 398, 398, why)]
    assert places("nobody.py:1-9 part") == places("app/long.py:500-600") == []
    cut = ask(root, "app/long.py:1-400", 256).excerpts[0]
    assert cut.start_line == 1 < cut.end_line
    assert cut.reason == f"{why}, {cut.end_line + 1}-398 did not fit"

    for text in ("app/long.py:18", "long.py, line 18", "what is at line 18 of app/long.py?",
                 "long.py#L18", f"{of_forge}#L18"):  # fmt: skip
        with index(root).snapshot() as snapshot:
            asked = read_query.read(Question(text), DEFAULT)
            [place] = asked_lines.around(snapshot, asked.places.lines)
        assert (place.path, place.first_line, place.last_line) == ("app/long.py", 17, 18)
        assert ask(root, text, 300).excerpts[0].path == "app/long.py"

    with index(root).snapshot() as snapshot:
        between = read_query.read(Question("app/long.py:19"), DEFAULT)  # two functions
        [place] = asked_lines.around(snapshot, between.places.lines)
    assert (place.first_line, place.last_line, place.is_exact) == (11, 27, True)

    pack = ask(root, "long.py:18-21 and what other() does", 300)
    assert pack.excerpts[0].path == "app/long.py"
    assert "    return 4\n\n\ndef part_5():" in pack.excerpts[0].text
    long = ask(root, "app/long.py:1-400", 256)
    assert " did not fit" in long.excerpts[0].reason and "def part_0():" in long.text


def test_lines_asked_for_bring_their_function_and_what_it_calls_and_nothing_else(project: Project):
    body = "".join(f"    total += weigh({n})\n" for n in range(20))
    root = project(
        f"""
//- app/scale.py
def weigh(number):
    return number * 2


def load():
    total = 0
{body}    return total


def unload():
    total = 1
    return total


def deliver():
    return load()
"""
    )
    pack = ask(root, "app/scale.py:12-13", 1000)
    named = [e.symbol for e in pack.excerpts]
    assert named[0] == "load"
    assert "total += weigh(0)" in pack.text and "    return total" in pack.text
    assert {"weigh", "deliver"} <= set(named)
    assert "def unload" not in pack.text
    with_words = ask(root, "app/scale.py:12-13 unload", 1000)
    assert "def unload" in with_words.text


def test_only_the_best_functions_keep_their_long_comments(project: Project):
    def function(n: int) -> str:
        said = "".join(
            f"    Rule {line} of shelf {n} is told to whoever asks.\n" for line in range(9)
        )
        body = "".join(f"    shelf_{n}[{line}] = invoice + {n}\n" for line in range(6))
        return f'def settle_{n}(invoice):\n    """Settle it.\n\n{said}    """\n{body}'

    root = project("".join(f"//- shelf_{n}.py\n{function(n)}" for n in range(12)))
    pack = ask(root, "fix: settle the invoice of a shelf", 1400)
    shown = [e for e in pack.excerpts if e.detail != Detail.SIGNATURE]
    by_worth = sorted(shown, key=lambda e: -e.worth)
    kept = [e for e in shown if "Rule 8 of shelf" in e.text]
    assert len(shown) > len(kept) == 3
    assert {e.path for e in kept} == {e.path for e in by_worth[:3]}
    assert all(e.omitted for e in shown if e not in kept)


MAILERS = "".join(
    f"//- {name}.py\nclass {name.title()}:\n    def deliver(self, letter):\n"
    f"        return self.{name}.push(letter)\n\n\ndef stamp_{name}(letter):\n{body}"
    for name, body in ((n, "    letter.stamp += 1\n" * 30) for n in ("smtp", "queue", "fake"))
)


def test_several_short_functions_of_a_name_that_is_called_come_first_and_whole(project: Project):
    pack = ask(project(MAILERS), "stamp letters before deliver() is called", 600)
    first = {e.path: e.reason for e in reversed(pack.excerpts)}
    assert first == dict.fromkeys(("smtp.py", "queue.py", "fake.py"), "named by the question")
    for name in ("smtp", "queue", "fake"):
        assert f"return self.{name}.push(letter)" in pack.text


LEDGERS = """
//- Ledger.java
class Ledger {
    private final Shelf shelf;

    Ledger(Shelf shelf) {
        this.shelf = shelf;
    }

    Entry post(Entry entry) {
        return shelf.keep(entry);
    }
}
"""


def test_the_name_of_a_class_does_not_ask_for_its_constructor(project: Project):
    pack = ask(project(LEDGERS), "post an entry to a `Ledger`", 600)
    assert "Entry post(Entry entry)" in pack.text
    assert all(e.reason != "named by the question" for e in pack.excerpts)


# All other lines of `parse` have more of the words, and words that are rarer elsewhere.
PALETTE = "".join(f"//- shade_{n}.py\nshade_{n} = '{'blue' if n < 4 else n}'\n" for n in range(30))
BRANCHES = (
    "//- parse.py\ndef parse(check, text):\n"
    + "".join(f"    rule_{n}.accepts(text) or WrongText.raise_for({n})\n" for n in range(150))
    + "    tally = 0\n" * 9
    + "    if check == 'blue':\n        return sky()\n"
    + "    tally = 0\n" * 9
)


def test_a_part_of_a_long_function_is_about_the_branch_that_was_asked_for(project: Project):
    asked = "parse raises WrongText for blue though the rule accepts the text"
    pack = ask(project(PALETTE + BRANCHES), asked, 600)
    assert "    if check == 'blue':\n        return sky()\n" in pack.text


def test_a_part_shows_the_lines_that_hold_the_words_and_not_their_letters(project: Project):
    # "no" and "sets" are letters of what stands in each of the other branches.
    others = "".join(
        f"    if flag == '--note-{n}':\n        offsets[{n}] = notes[{n}] or now({n})\n"
        f"        known({n})\n"
        for n in range(150)
    )
    root = project(
        f"//- flags.py\ndef parse_flags(flag, offsets, notes):\n{others[: len(others) // 2]}"
        "    if flag == '--history-size':\n        return keep()\n        # after\n"
        f"{others[len(others) // 2 :]}"
    )
    pack = ask(root, "parse_flags: no sets of --history-size are kept", 600)
    assert "    if flag == '--history-size':\n        return keep()\n" in pack.text


def test_the_best_match_is_shown_in_part_before_matches_that_fit(project: Project):
    long = "".join(f"    refund_parcel(rates[{n}], orders[{n}])\n" for n in range(600))
    fits = "".join(
        f"//- fits{k}.py\ndef late_{k}(orders):\n    refund({k})\n"
        + "".join(f"    note(orders[{n}], {k})\n" for n in range(60))
        for k in range(6)
    )
    root = project(f"//- long.py\ndef refund_parcel(rates, orders):\n{long}{fits}")
    shown = [e.path for e in ask(root, "fix the refund of a parcel", 2000).excerpts]
    assert "long.py" in shown


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("explain app/mail.py", {"app/mail.py"}),
        ("what does mail.py do?", {"app/mail.py"}),
        ("tests/test_mail.py", {"tests/test_mail.py"}),
        ("how does app/mail.py reach the printer", {"app/mail.py", "app/printer.py"}),
    ],
)
def test_a_question_about_one_file_is_answered_from_it(project: Project, text: str, paths):
    root = project("""
//- app/mail.py
from app.printer import print_mail


def explain(mail):
    return print_mail(mail)
//- app/printer.py
def print_mail(mail):
    return "explain the printer"
//- tests/test_mail.py
def test_explain():
    assert explain("mail") == "explain the printer"
""")
    assert {excerpt.path for excerpt in ask(root, text, 600).excerpts} == paths


CALLS = "".join(
    f"  function other_{n}(a) {{\n    return a + {n}\n  }}\n  note(app, {n}, other_{n})\n"
    for n in range(150)
)
GETTERS = "".join(
    f"    host_{n}: {{\n      get () {{\n        return loopback[{n}]\n      }}\n    }},\n"
    for n in range(12)
)


def test_a_part_of_a_function_never_shows_less_in_a_larger_pack(project: Project):
    half = len(CALLS) // 2
    root = project(
        f"//- app.js\nfunction build (app) {{\n{CALLS[:half]}  const api = {{\n{GETTERS}  }}\n"
        f"{CALLS[half:]}  return loopback\n}}\n"
    )
    smaller = 0
    for budget in range(900, 3_000, 100):
        shown = ask(root, "build loopback host get", budget).excerpts
        omitted = {n for e in shown for a, b in e.omitted for n in range(a, b + 1)}
        larger = len({n for e in shown for n in range(e.start_line, e.end_line + 1)} - omitted)
        assert smaller <= larger, budget
        smaller = larger
