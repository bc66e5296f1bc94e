"""The TypeScript of single-file components (Vue, Svelte, Astro); every byte keeps its offset.

What stands in `<script>` stays as it is. Of the markup these stay, each as a statement of its own:
names of components (`<Card>` is `;Card;`), expressions in attributes and braces (`{{ f(x) }}` is
`;(f(x))`), and what listens to events (`@click="save"` is `;save;`), whose bare name is a call in
`queries/component.scm`. All else is blank.

Each step goes on behind the last one, so that hostile files take no longer than others.
"""

import re

from satchel.indexer.languages.rewriting import preprocess

_BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))
"""A table for `bytes.translate`: all but line ends becomes a space."""
_MAX_EXPRESSION = 4000
"""Bytes; what runs longer between braces is taken for text."""

_MARKUP = re.compile(rb"<!--|</?([A-Za-z][\w.:-]*)|\{")
# One attribute, or the end of a tag; else one byte that is neither.
_ATTRIBUTE = re.compile(
    rb"\s*+(?:(?P<end>/?>|\Z)|(?P<name>[^\s=>\"'{}]++)(?:\s*+(?P<is>=)\s*+(?P<mark>[\"'{]?))?"
    rb"|(?P<spread>\{)|.)",
    re.DOTALL,
)
_BRACE = re.compile(rb"[{}]")
_COMPONENT = re.compile(rb"[A-Z][\w$]*(?:\.[A-Z][\w$]*)*")
_NAME = re.compile(rb"\s*[A-Za-z_$][\w$]*(?:\.[\w$]+)*\s*")
_OTHER_SCRIPT = re.compile(
    rb"\stype\s*+=\s*+[\"']?+(?!module\b|text/(?:java|type)script|ts\b)", re.IGNORECASE
)
_RAW_ENDS = {
    b"script": re.compile(rb"</script\b", re.IGNORECASE),
    b"style": re.compile(rb"</style\b", re.IGNORECASE),
}
_FRONT_MATTER = re.compile(rb"\s*+---[ \t]*+\r?\n(.*?)^---[ \t]*+\r?$", re.DOTALL | re.MULTILINE)
_LOOP = re.compile(rb"\s(in|of)\s")
"""What stands before the list in `v-for="(item, index) in list"`."""
_BLOCK = re.compile(
    rb"\s*+(?:([#@:])\s*+(?:else\s+if|if|each|key|await|html|render|const)\b|(\.)\.\.)"
)
_OTHER_BLOCK = re.compile(rb"\s*+[#@:/]")
_BLOCK_TAIL = re.compile(rb"\s(?:as|then|catch)\s")


def of_vue(data: bytes) -> bytes:
    """The script of a Vue component, and what its template uses."""
    return _Component(data, is_vue=True).script()


def of_svelte(data: bytes) -> bytes:
    """The script of a Svelte component, and what its markup uses."""
    return _Component(data, is_vue=False).script()


def of_astro(data: bytes) -> bytes:
    """The front matter and the scripts of an Astro component, and what its markup uses."""
    component = _Component(data, is_vue=False)
    front = _FRONT_MATTER.match(data)
    if front:
        component.keep(*front.span(1))
    return component.script(front.end() if front else 0)


class _Component:
    """A component while it is being read: its bytes, and what is readable of them so far."""

    def __init__(self, data: bytes, *, is_vue: bool) -> None:
        self._data = data
        self._is_vue = is_vue
        self._made = bytearray(data.translate(_BLANK))
        self._next_end = 0
        """Where the next `}}` of Vue is, behind the place that was asked for last."""
        self._unclosed_until = 0
        """Before this place no brace is looked at: one was opened that is not closed near it."""

    def script(self, position: int = 0) -> bytes:
        """The whole file; from a position on it is read as markup."""
        data = self._data
        while (found := _MARKUP.search(data, position)) is not None:
            if found[0] == b"<!--":
                end = data.find(b"-->", found.end())
                position = end if end >= 0 else len(data)
            elif found[1]:
                position = self._tag(found)
            elif self._is_vue:
                position = self._mustaches(found.start())
            else:
                position = self._braces(found.start())
        return preprocess.typescript(bytes(self._made))

    def keep(self, start: int, end: int) -> None:
        """Let some bytes stand as they are."""
        self._made[start:end] = self._data[start:end]

    def _tag(self, tag: re.Match[bytes]) -> int:
        """Read a tag, with what is no markup behind it; where to go on."""
        data, name = self._data, tag[1].lower()
        is_opening = tag[0][1:2] != b"/"
        if is_opening and _COMPONENT.fullmatch(tag[1]):
            self._made[tag.start()] = ord(";")
            self.keep(*tag.span(1))
        position, end = self._attributes(tag.end())
        if end:
            self._made[position - 1] = ord(";")
        if not (is_opening and end == b">" and name in _RAW_ENDS):
            return position
        close = _RAW_ENDS[name].search(data, position)
        behind = close.start() if close else len(data)
        if name == b"script" and not _OTHER_SCRIPT.search(data, tag.end(), position):
            self.keep(position, behind)
            if close:
                self._end_script(position, behind)
        return behind

    def _end_script(self, start: int, end: int) -> None:
        """Keep what follows a script from continuing its last statement."""
        # A semicolon would become part of a statement on the line above; an empty block does not.
        line = self._data.rfind(b"\n", start, end)
        is_alone = line >= 0 and not self._data[line:end].strip()
        self._made[end : end + 2] = b"{}" if is_alone else b"; "

    def _attributes(self, position: int) -> tuple[int, bytes]:
        """Read the attributes of a tag; where it ends, and with what."""
        while True:
            found = _ATTRIBUTE.match(self._data, position)
            assert found is not None  # of all there is, the end of the file matches at least
            position = found.end()
            if found["end"] is not None:
                return position, found["end"]
            if found["mark"]:
                position = self._value(found)
            elif found["spread"]:
                position = max(position, self._closing_brace(position) + 1)

    def _value(self, attribute: re.Match[bytes]) -> int:
        """Read the value of an attribute in quotes or braces; where it ends."""
        name, start, equals = attribute["name"], attribute.end(), attribute.start("is")
        if attribute["mark"] == b"{":
            end = self._closing_brace(start)
            if end < 0:
                return start
            is_name = name.startswith(b"on") and _NAME.fullmatch(self._data, start, end)
            self._make_statement(equals, start - 1, start, end, is_handler=bool(is_name))
            return end + 1
        end = self._data.find(attribute["mark"], start)
        if end < 0:
            return len(self._data)
        if self._is_vue and name.startswith((b"@", b":", b".", b"v-")):
            self._directive(name, equals, start, end)
        return end + 1

    def _directive(self, name: bytes, equals: int, start: int, end: int) -> None:
        """Read the value of a directive of Vue; those of slots are parameters."""
        if name.startswith(b"v-for"):
            loop = _LOOP.search(self._data, start, end)
            if loop:
                self._make_statement(
                    loop.start(1), loop.start(1) + 1, loop.end(1), end, is_handler=False
                )
        elif not name.startswith(b"v-slot"):
            is_handler = name.startswith((b"@", b"v-on:"))
            self._make_statement(equals, start - 1, start, end, is_handler=is_handler)

    def _make_statement(
        self, mark: int, bracket: int, start: int, end: int, *, is_handler: bool
    ) -> None:
        """Let an expression stand as a statement, with `mark` and `bracket` before it and `end`
        behind it: bytes that are no part of it.

        A handler may be several statements, or the bare name of what is called.
        """
        self.keep(start, end)
        self._made[mark] = ord(";")
        self._made[bracket] = ord(" " if is_handler else "(")
        self._made[end] = ord(";" if is_handler else ")")

    def _mustaches(self, start: int) -> int:
        """Read `{{ … }}` of Vue; where to go on."""
        data, inner = self._data, start + 2
        if data[start + 1 : inner] != b"{":
            return start + 1
        if self._next_end < inner:
            found = data.find(b"}}", inner)
            self._next_end = found if found >= 0 else len(data)
        end = self._next_end
        if end == len(data) or end - inner > _MAX_EXPRESSION:
            return inner
        self._make_statement(start, start + 1, inner, end, is_handler=False)
        return end + 2

    def _braces(self, start: int) -> int:
        """Read `{ … }` of Svelte and Astro, where blocks such as `{#if …}` have an expression too;
        where to go on."""
        data, inner = self._data, start + 1
        end = self._closing_brace(inner)
        if end < 0:
            return inner
        block = _BLOCK.match(data, inner, end)
        if block:
            sign = max(block.start(1), block.start(2))
            tail = _BLOCK_TAIL.search(data, block.end(), end)
            behind = tail.start() if tail else end
            self._make_statement(start, sign, block.end(), behind, is_handler=False)
        elif b"<" in data[inner:end]:
            return inner  # markup in an expression
        elif not _OTHER_BLOCK.match(data, inner, end):
            # There is no room for a bracket and a semicolon: a sign begins an expression too.
            self.keep(inner, end)
            self._made[start] = ord("+")
        return end + 1

    def _closing_brace(self, inner: int) -> int:
        """Where the brace that was opened before `inner` is closed; -1 where that is not near."""
        limit = inner + _MAX_EXPRESSION
        if inner < self._unclosed_until:
            return -1
        depth = 1
        for brace in _BRACE.finditer(self._data, inner, limit):
            depth += 1 if brace[0] == b"{" else -1
            if depth == 0:
                return brace.start()
        self._unclosed_until = limit
        return -1
