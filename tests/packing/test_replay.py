"""A pack can be explained, and made again from its id while the index is what it was."""

import json
import re
from pathlib import Path

import pytest

import satchel as satchel_api
from tests.support.satchel import satchel

FILES = """
//- shop/stock.py
def reserve(thing):
    return thing
//- shop/orders.py
from shop.stock import reserve


def checkout(order):
    return reserve(order)
"""


def pack_of(root: Path, *options: str) -> tuple[bytes, str]:
    reply = satchel("context", "reserve a thing", "--quiet", *options, cwd=root)
    assert reply.returncode == 0, reply.stderr
    return reply.stdout, re.findall(rb"pack (\d{9})\n", reply.stdout)[-1].decode()


def test_a_pack_is_made_again_byte_for_byte(project):
    root = project(FILES)
    satchel("reindex", "--quiet", cwd=root)
    text, name = pack_of(root)
    pack_of(root, "--budget", "300")
    again = satchel("context", "--replay", name, cwd=root)
    assert again.stdout == text
    as_json = json.loads(satchel("context", "--replay", name, "--json", cwd=root).stdout)
    assert as_json["text"].encode() == text
    assert as_json["receipt"]["id"] == name


def test_a_pack_of_another_generation_is_not_pretended(project):
    root = project(FILES)
    _, name = pack_of(root)
    (root / "shop/stock.py").write_text("def reserve():\n    return 1\n", "utf-8")
    satchel("reindex", "--quiet", cwd=root)
    reply = satchel("context", "--replay", name, cwd=root)
    assert reply.returncode == 2
    assert b"was made from generation 2 of the index, which is gone: it is at 4" in reply.stderr
    assert reply.stdout == b""


@pytest.mark.parametrize("name", ["123456789", "../../etc/passwd", "", "٣"])
def test_an_unknown_id_is_an_error_with_a_hint(project, name: str):
    root = project(FILES)
    pack_of(root)
    reply = satchel("context", f"--replay={name}", cwd=root)
    assert reply.returncode == 2
    assert b"hint: " in reply.stderr


def test_an_explanation_is_beside_the_pack_not_in_it(project):
    root = project(FILES)
    text, _ = pack_of(root)
    reply = satchel("context", "reserve a thing", "--explain", "--quiet", cwd=root)
    assert reply.stdout == text
    said = reply.stderr.decode()
    assert re.search(r"\d+ of 4096 tokens: matches \d+ % · neighbours \d+ %", said)
    assert re.search(r"[█-▏] +\d+  shop/stock.py:1-2 reserve, full\n +score 0\.\d\d = ", said)


def test_a_pack_of_the_api_is_made_again_as_well(project):
    root = project(FILES)
    with satchel_api.open(root) as code:
        pack = code.context("reserve a thing", budget=2_000)
    again = satchel("context", "--replay", pack.receipt.id, cwd=root)
    assert again.stdout.decode() == pack.text
