"""The readable bytes of components: every offset stays, and hostile markup costs linear time."""

import pytest

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.languages import detect
from satchel.indexer.languages.embedded import components

LANGUAGES = {
    "vue": components.of_vue,
    "svelte": components.of_svelte,
    "astro": components.of_astro,
}
HOSTILE = (
    b"<script>", b"<script setup>const a = 1", b"</script>", b"<style>", b"<!--", b"-->", b"<a ",
    b"<A", b'<a b="', b"<a b='{", b"<a b={", b"{", b"{{", b"}}", b"}", b"{#if ", b"{...", b"---\n",
    b"<a :b=\"'", b'<A @c="d"', b"\r\n", b"\xff\xfe", b"<a =\n\"x", b'<a v-for="a\nin\nb"', b"`${",
)  # fmt: skip


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_byte_moves_and_no_line_end_is_lost(name: str):
    for first in HOSTILE:
        for second in HOSTILE:
            data = first + b" x\n" + second + b"y\r\n" + first + second
            made = LANGUAGES[name](data)
            assert len(made) == len(data)
            ends = [at for at, byte in enumerate(data) if byte in b"\r\n"]
            assert [at for at, byte in enumerate(made) if byte in b"\r\n"] == ends


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("piece", HOSTILE)
def test_no_piece_is_looked_at_again_for_each_that_follows(name: str, piece: bytes):
    # A step back for each of them would take hours; pytest's deadline ends the test before.
    data = piece * (300_000 // len(piece))
    assert len(LANGUAGES[name](data)) == len(data)


def test_what_a_template_uses_has_the_line_where_it_stands():
    text = "<template>\n<Card\n  @open='show'\n/>{{ title(\n1) }}</template>\n"
    facts = analyze(text.encode(), detect.by_name("vue"))
    assert [(use.name, use.line) for use in facts.references] == [
        ("Card", 2), ("show", 3), ("title", 4),
    ]  # fmt: skip


def test_a_script_of_another_type_is_no_code():
    text = '<script type="text/x-template">f()</script><script type="module">g()</script>'
    facts = analyze(text.encode(), detect.by_name("vue"))
    assert [use.name for use in facts.references] == ["g"]


def test_what_follows_a_script_is_no_part_of_its_last_statement():
    facts = analyze(b"<script>\nconst a = 1\n</script>\n<A/>\n", detect.by_name("svelte"))
    assert [(each.name, each.span.end_line) for each in facts.symbols] == [("a", 2)]
