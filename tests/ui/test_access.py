"""Nobody but the page's own reader gets anything out of it, and nothing in it can run."""

import re

import pytest

from satchel.ui.app import PAGES, STATIC
from satchel.ui.serve import _listener
from tests.support.satchel import satchel
from tests.ui.conftest import Page

SCRIPTS = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]


def test_it_says_where_it_is_with_the_token_in_the_fragment(shop: Page):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{43}", shop.address)


def test_it_listens_on_this_machine_alone():
    with _listener(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_an_error_with_a_hint(shop: Page):
    port = shop.host.rpartition(":")[2]
    done = satchel("ui", "--no-browser", "--port", port, cwd=shop.root)
    assert done.returncode == 2
    assert b"cannot be used" in done.stderr and b"hint: give another port" in done.stderr


def test_the_shell_holds_nothing_of_the_code_base_and_needs_no_session(shop: Page):
    for name in ("", *PAGES):
        status, headers, body = shop.raw("GET", f"/{name}", Cookie="")
        assert status == 200
        assert b"shop" not in body
        assert "script-src 'self';" in headers["Content-Security-Policy"]


def test_the_cookie_is_for_this_page_alone(shop: Page):
    _, headers, _ = shop.ask("POST", "/session", {"token": shop.token})
    said = headers["Set-Cookie"].lower()
    assert "httponly" in said and "samesite=strict" in said and "domain" not in said
    assert shop.token not in headers["Set-Cookie"]


REFUSED = {
    "no session": ("GET", "/api/status", None, {"Cookie": ""}, 401),
    "a session that is none": ("GET", "/api/status", None, {"Cookie": "satchel-1=a"}, 401),
    "another name for this machine": ("GET", "/ask", None, {"Host": "evil.example"}, 403),
    "a name that was made to resolve here": ("GET", "/api/status", None, {"Host": "a:80"}, 403),
    "a page of another site": (
        "POST", "/api/context", {}, {"Origin": "https://evil.example"}, 403),
    "a page without an origin": ("POST", "/api/context", {}, {"Origin": "null"}, 403),
    "a request that another site makes": (
        "GET", "/api/status", None, {"Sec-Fetch-Site": "cross-site"}, 403),
    "a change without its token": ("POST", "/api/context", {}, {"X-Satchel-Token": ""}, 403),
    "a wrong token": ("POST", "/session", {"token": "a"}, {}, 401),
    "a token that is no text": ("POST", "/session", {"token": 1}, {}, 401),
    "a token that is too much": ("POST", "/session", {"token": "a" * (1 << 20)}, {}, 413),
    "the last pack without a session": ("GET", "/last", None, {"Cookie": ""}, 401),
    "a file beside the static ones": ("GET", "/static/../app.py", None, {}, 404),
    "a request that makes no sense": ("POST", "/api/context", {"budget": "much"}, {}, 400),
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"), REFUSED.values(), ids=REFUSED.keys()
)
def test_it_refuses(shop: Page, method, path, body, headers, status):
    found, said, _ = shop.ask(method, path, body, **headers)
    assert found == status
    assert "script-src 'self';" in said["Content-Security-Policy"]


def test_who_may_ask_gets_an_answer(shop: Page):
    shop.settle()
    found = shop.json("POST", "/api/context", {"question": "pay an order", "budget": 1000})
    assert "def pay(self, method):" in found["pack"]["text"]
    assert "".join(part["text"] for part in found["segments"]) == found["pack"]["text"]
    again = shop.json("GET", f"/api/pack/{found['pack']['receipt']['id']}")
    assert again["pack"]["text"] == found["pack"]["text"]


def test_without_scripts_the_last_pack_can_be_read_as_text(shop: Page):
    shop.json("POST", "/api/context", {"question": "an order <b>", "budget": 1000})
    kind = "application/x-www-form-urlencoded"
    said = f"token={shop.token}".encode()
    status, headers, _ = shop.raw("POST", "/session", said, Content_Type=kind)
    assert (status, headers["Location"]) == (303, "/last")
    status, _, body = shop.raw("GET", "/last")
    assert status == 200
    assert b"class Order:" in body and b"<script" not in body


def test_no_script_of_ours_makes_markup_from_text_and_no_page_holds_a_script():
    risky = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
        r"|createContextualFragment|srcdoc|setHTML"
    )
    for path in SCRIPTS:
        assert not risky.search(path.read_text("utf-8")), path
    shell = (STATIC / "index.html").read_text("utf-8")
    assert not re.findall(r"<script(?![^>]*src=)[^>]*>|<style|\son\w+=|\sstyle=", shell)


def test_no_file_of_ours_names_an_address_elsewhere():
    known = {"http://www.w3.org/2000/svg"}  # the name of a vocabulary, not an address
    for path in (*SCRIPTS, *STATIC.glob("*.*")):
        assert set(re.findall(r"https?://[\w./]+", path.read_text("utf-8"))) <= known, path
