"""Nobody but the page's own reader gets anything out of it, and nothing in it can run."""

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from satchel.ui.app import PAGES, STATIC
from satchel.ui.serve import _listener
from tests.support.satchel import satchel
from tests.ui.browser import Browser
from tests.ui.conftest import Page

SCRIPTS = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]


def test_an_address_has_its_token_in_the_fragment_and_opens_the_page_once(shop: Page):
    address = shop.address
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{43}", address)
    shown = {"token": address.partition("=")[2]}
    answers = [shop.ask("POST", "/session", shown) for _ in range(3)]
    assert [status for status, _, _ in answers] == [200, 401, 401]


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
        status, headers, body = shop.raw("GET", f"/{name}", Authorization="")
        assert status == 200
        assert b"shop" not in body
        assert "script-src 'self';" in headers["Content-Security-Policy"]


def test_another_name_for_this_machine_leads_to_the_one_that_is_asked(shop: Page):
    host = shop.host.replace("127.0.0.1", "localhost")
    status, headers, _ = shop.raw("GET", "/ask?q=a%20b", Host=host)
    assert (status, headers["Location"]) == (307, f"http://{shop.host}/ask?q=a%20b")


REFUSED = {
    "no session": ("GET", "/api/status", None, {"Authorization": ""}, 401),
    "a session that is none": ("GET", "/api/status", None, {"Authorization": "Bearer a"}, 401),
    "a session in a cookie": (
        "GET", "/api/status", None, {"Authorization": "", "Cookie": "satchel-session=a"}, 401),
    "events without a session": ("GET", "/api/events", None, {"Authorization": ""}, 401),
    "a change without a session": (
        "POST", "/api/knowledge", {"summary": "a"}, {"Authorization": ""}, 401),
    "another name for this machine": ("GET", "/ask", None, {"Host": "evil.example"}, 403),
    "a name that was made to resolve here": ("GET", "/api/status", None, {"Host": "a:80"}, 403),
    "a page of another site": (
        "POST", "/api/context", {}, {"Origin": "https://evil.example"}, 403),
    "a page without an origin": ("POST", "/api/context", {}, {"Origin": "null"}, 403),
    "a request that another site makes": (
        "GET", "/api/status", None, {"Sec-Fetch-Site": "cross-site"}, 403),
    "a wrong token": ("POST", "/session", {"token": "a"}, {}, 401),
    "a token that is no text": ("POST", "/session", {"token": 1}, {}, 401),
    "a token that is too much": ("POST", "/session", {"token": "a" * (1 << 20)}, {}, 413),
    "the last pack without a token": ("POST", "/last", None, {}, 401),
    "a file beside the static ones": ("GET", "/static/../app.py", None, {}, 404),
    "a request that makes no sense": ("POST", "/api/context", {"put_in": 1}, {}, 400),
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


def test_without_scripts_the_last_pack_can_be_read_as_text(shop: Page, window: Browser):
    shop.json("POST", "/api/context", {"question": "an order <b>", "budget": 1000})
    token = shop.token
    disabled = "Emulation.setScriptExecutionDisabled"
    window.driver.execute_cdp_cmd(disabled, {"value": True})
    try:
        window.driver.get(f"http://{shop.host}/")
        window.driver.find_element("name", "token").send_keys(token)
        window.driver.find_element("css selector", "form button").click()
        assert "class Order:" in window.driver.find_element("tag name", "pre").text
        assert not window.driver.find_elements("tag name", "script")
    finally:
        window.driver.execute_cdp_cmd(disabled, {"value": False})


class _Neighbour(BaseHTTPRequestHandler):
    """Another program of this machine: keeps what browsers tell it, and links to the page."""

    def do_GET(self) -> None:
        self.server.heard.append(str(self.headers))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "satchel-session=planted")
        self.end_headers()
        self.wfile.write(b"<a href='" + self.server.leads_to + b"'>on</a>")

    def log_message(self, *_said: object) -> None:
        """Says nothing."""


def test_no_other_port_of_this_machine_gets_what_opens_the_page(page: Browser, shop: Page):
    session = page.js("return localStorage.getItem('satchel-session')")
    # A browser opens connections on which it says nothing; others are answered beside them.
    with ThreadingHTTPServer(("127.0.0.1", 0), _Neighbour) as neighbour:
        neighbour.heard, neighbour.leads_to = [], f"{page.address}/health".encode()
        Thread(target=neighbour.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{neighbour.server_port}/"
        page.js("location.href = arguments[0]", there)
        page.until(lambda: page.driver.current_url == there, "the neighbour")
        assert page.js("return localStorage.getItem('satchel-session')") is None
        ask = "return fetch(arguments[0]).then((r) => r.text(), () => 'refused')"
        assert page.js(ask, f"{page.address}/api/session") == "refused"
        page.driver.find_element("tag name", "a").click()
        page.sees("Checks of the index")
        neighbour.shutdown()
    assert len(neighbour.heard) >= 1
    assert session and not [said for said in neighbour.heard if session in said]
    assert not [said for said in neighbour.heard if "Authorization" in said]
    assert [each["value"] for each in page.driver.get_cookies()] == ["planted"]
    page.driver.delete_all_cookies()


def test_a_page_in_a_new_tab_is_open_too(page: Browser):
    page.driver.switch_to.new_window("tab")
    page.open("/ask?q=order")
    page.sees("Where the tokens went")
    page.driver.close()
    page.driver.switch_to.window(page.driver.window_handles[0])


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
