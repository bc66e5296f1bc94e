"""The page of a small project, served by the command itself, and one browser for all tests."""

import http.client
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import pytest

from tests.support.satchel import warm_command
from tests.ui.browser import IS_THERE, WHY_NOT, Browser, browser
from tests.ui.corpus import SHOP, written

_PATIENCE_S = 120


class Page:
    """A running `satchel ui`, and requests as a script of the page would make them."""

    def __init__(self, root: Path, said: IO[str]) -> None:
        self.root = root
        self.headers: dict[str, str] = {}
        self._said: Queue[str] = Queue()
        Thread(target=self._listen, args=(said,), daemon=True).start()
        # The first address is the first line, and the server listens before it says so.
        self._unused = self._said.get(timeout=_PATIENCE_S)
        self.host = self._unused.removeprefix("http://").partition("/#")[0]

    @property
    def address(self) -> str:
        """An address that opens the page once. Whoever asks for it uses it: then the next comes."""
        # The next one comes when the last was used; a page that did not use it must not be waited
        # for without end.
        self._unused, found = "", self._unused or self._said.get(timeout=_PATIENCE_S)
        return found

    def _listen(self, said: IO[str]) -> None:
        with suppress(ValueError):  # closed, once the server has ended
            for line in said:
                self._said.put(line.strip())

    @property
    def token(self) -> str:
        """The token of such an address."""
        return self.address.partition("#token=")[2]

    def ask(self, method: str, path: str, body: object = None, **headers: str):
        """(status, headers, body) of a request; `headers` replace what a page would send."""
        data = None if body is None else json.dumps(body).encode()
        return self.raw(method, path, data, **{"Content-Type": "application/json", **headers})

    def raw(self, method: str, path: str, data: bytes | None = None, **headers: str):
        connection = http.client.HTTPConnection(self.host, timeout=300)
        said = {
            **self.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        try:
            connection.request(method, path, data, said)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def log_in(self) -> None:
        """Trades a token for a session."""
        session = self.json("POST", "/session", {"token": self.token})["session"]
        self.headers["Authorization"] = f"Bearer {session}"

    def settle(self) -> None:
        """Waits until the index has followed what was saved, so that its generation stays."""
        deadline = time.monotonic() + 300
        while not self.json("GET", "/api/status")["state"]["linked"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def json(self, method: str, path: str, body: object = None):
        status, _, data = self.ask(method, path, body)
        assert status == 200 and not data.startswith(b'{"error"'), data
        return json.loads(data)


def served(root: Path) -> Iterator[Page]:
    """The page of a folder, until the test is done with it."""
    arguments = [warm_command(), "ui", "--no-browser", "--port", "0", "--root", root]
    server = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    )
    try:
        yield Page(root, server.stdout)
    finally:
        server.terminate()
        server.wait(60)
        server.stdout.close()


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, _no_settings_of_the_user) -> Iterator[Page]:
    """The page of a small project with a little of everything."""
    for page in served(written(tmp_path_factory.mktemp("shop"), SHOP)):
        page.log_in()
        # The first question makes the index where the background has not yet.
        page.json("POST", "/api/context", {"question": "order"})
        yield page


@pytest.fixture(scope="session")
def window(_no_settings_of_the_user) -> Iterator[Browser]:
    """The one browser; tests that need it are skipped where none is installed."""
    if not IS_THERE:
        pytest.skip(WHY_NOT)
    with browser() as opened:
        yield opened


@pytest.fixture
def page(window: Browser, shop: Page) -> Browser:
    """The browser inside the page of the small project, with clean logs."""
    window.look("light", "laptop")
    window.enter(shop.address)
    window.problems()
    window.requests()
    return window
