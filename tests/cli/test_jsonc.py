"""JSON edited in place: what is put in comes out again, and nothing else moves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.cli.clients.jsonc import get_member, remove_member, set_member
from satchel.store.errors import ConfigError

KEYS = ("mcpServers", "satchel")
ENTRY = {"command": "/usr/bin/satchel", "args": ["serve", "--root", "${workspaceFolder}"]}
FILES = {
    "plain": '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n',
    "no newline at the end": '{"mcpServers": {"other": {"command": "x"}}}',
    "one line": '{ "mcpServers": { "other": 1 }, "editor.fontSize": 12 }\n',
    "comments": (
        '// settings\n{\n    /* servers */\n    "mcpServers": {\n'
        '        "other": { "url": "http://x//y" }, // theirs\n        // "old": {},\n    },\n'
        '    "a": [1, 2,], // and "so on"\n}\n'
    ),
    "a comment after the last": '{\n  "mcpServers": {\n    "other": 1 // one\n  }\n}\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": 1,\n\t},\n\t"b": true,\n}\n',
    "windows": '\ufeff{\r\n  "mcpServers": {\r\n    "other": 1\r\n  }\r\n}\r\n',
    "text that looks like code": (
        '{\n  "a": "// no comment, \\" }",\n  "mcpServers": {\n    "x": "{,}"\n  }\n}\n'
    ),
    "several": '{\n  "mcpServers": {\n    "a": 1,\n    "b": 2,\n    "c": {"satchel": 3}\n  }\n}\n',
}
WITHOUT = {
    "no such section": '{\n  "editor": {"a": 1},\n  // end\n}\n',
    "an empty section": '{\n  "mcpServers": {}\n}\n',
    "an empty section with a comment": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "an empty object": "{}\n",
    "nothing": "",
    "a comment": "// nothing yet\n",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_what_is_put_in_comes_out_again_byte_for_byte(text: str):
    with_it = set_member(text, KEYS, ENTRY)
    assert get_member(with_it, KEYS) == ENTRY
    assert get_member(with_it, ("mcpServers", "other")) == get_member(text, ("mcpServers", "other"))
    assert set_member(with_it, KEYS, ENTRY) == with_it
    assert remove_member(with_it, KEYS) == text


@pytest.mark.parametrize("text", WITHOUT.values(), ids=WITHOUT)
def test_sections_are_made_where_they_are_missing(text: str):
    with_it = set_member(text, KEYS, ENTRY)
    assert get_member(with_it, KEYS) == ENTRY
    assert set_member(with_it, KEYS, ENTRY) == with_it
    without = remove_member(with_it, KEYS)
    assert get_member(without, KEYS) is None
    kept = [line for line in text.splitlines() if "//" in line or "editor" in line]
    assert [line for line in without.splitlines() if line in kept] == kept


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_an_older_entry_is_replaced_where_it_stands(text: str):
    older = set_member(text, KEYS, {"command": "old"})
    newer = set_member(older, KEYS, ENTRY)
    assert get_member(newer, KEYS) == ENTRY
    assert remove_member(newer, KEYS) == text


def test_the_order_and_the_comments_stay():
    found = set_member(FILES["comments"], KEYS, ENTRY)
    assert found.startswith(FILES["comments"].split("// theirs")[0])
    assert '// "old": {},' in found and "/* servers */" in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "line 1 is no JSON: an object"),
        ('{"a": }', "a value"),
        ('{"a": 1 "b": 2}', "a comma or }"),
        ('{\n"a" 1}', "line 2 is no JSON: a name and a colon"),
        ('{"a": 1} x', "the end"),
        ('{"a": 1', "a comma or }"),
        ('{"mcpServers": [1]}', "mcpServers is not an object"),
        ('{"a": ' + "[" * 100_000, "less nesting"),
    ],
)
def test_what_is_no_json_is_left_alone(text: str, said: str):
    for change in (lambda: set_member(text, KEYS, 1), lambda: remove_member(text, KEYS)):
        with pytest.raises(ConfigError, match=said.replace("{", r"\{").replace("}", r"\}")):
            change()


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), _VALUES, max_size=4),
    st.dictionaries(
        st.text().filter(lambda name: name != "satchel"), _VALUES, min_size=1, max_size=3
    ),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_any_json_comes_back(outer: dict, servers: dict, indent: int | str | None):
    document = {**outer, "mcpServers": servers}
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    with_it = set_member(text, KEYS, ENTRY)
    assert json.loads(with_it) == {**document, "mcpServers": {**servers, "satchel": ENTRY}}
    assert remove_member(with_it, KEYS) == text
