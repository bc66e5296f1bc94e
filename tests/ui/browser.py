"""A real browser for tests: Chromium where one is installed, driven by Selenium.

    python -m tests.ui.browser      what is not tested here, if anything

Every request goes to a proxy that is not there, but for those to this machine: what the page asked
of anybody else fails, and stands in the log of the console.
"""

import base64
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")
_NAMES = ("chromium", "chromium-browser", "google-chrome")
BINARY = next(filter(None, map(shutil.which, _NAMES)), "")
DRIVER = shutil.which("chromedriver") or ""
IS_THERE = bool(BINARY and DRIVER)
WHY_NOT = "NOT TESTED: the page, without a browser (`make browser` installs Chromium)"
PATIENCE_S = 120
SIZES = {"phone": (380, 800), "laptop": (1280, 860), "4k": (3840, 2160)}
PICTURE = (1120, 660)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
    " --disable-dev-shm-usage --hide-scrollbars --proxy-server=http://127.0.0.1:9"
    " --proxy-bypass-list=127.0.0.1"
).split()


class Browser:
    """One window. What it waits for it waits for until it is there, at most a minute."""

    def __init__(self, driver) -> None:
        self.driver = driver
        self.address = ""

    def open(self, page: str) -> None:
        """Goes to an address of the page that was entered, and waits until it is drawn."""
        self.driver.get(self.address + page)
        self.wait("return document.documentElement.dataset.ready !== undefined")

    def enter(self, address: str) -> None:
        """Opens the page by the address that `satchel ui` printed."""
        self.address = address.partition("/#")[0]
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait("return document.documentElement.dataset.ready !== undefined")

    def js(self, script: str, *arguments):
        """The value of a script that says `return`."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments):
        """The first value of a script that is true."""
        return self.until(lambda: self.js(script, *arguments), script)

    def until(self, found: Callable[[], _T], what: str) -> _T:
        deadline = time.monotonic() + PATIENCE_S
        while not (value := found()):
            if time.monotonic() > deadline:
                raise AssertionError(f"never came: {what}\n\n{self.text()[:2000]}")
            time.sleep(0.03)
        return value

    def text(self) -> str:
        """What is written in the page's main part."""
        return self.js("return document.getElementById('main').innerText")

    def sees(self, text: str) -> str:
        """Waits until the page says this; returns all that it says."""
        script = "const all = document.body.innerText; return all.includes(arguments[0]) ? all : ''"
        return self.wait(script, text)

    def click(self, selector: str, text: str = "") -> None:
        """Clicks the first element of a selector whose text holds `text`."""
        self.wait(
            "const found = [...document.querySelectorAll(arguments[0])]"
            ".find((e) => e.innerText.includes(arguments[1]) && !e.disabled);"
            "if (found) { found.scrollIntoView({block: 'center'}); found.click(); }"
            "return Boolean(found)",
            selector,
            text,
        )

    def keys(self, *pressed: str) -> None:
        """Presses keys where the focus is."""
        from selenium.webdriver import ActionChains

        for each in pressed:
            ActionChains(self.driver).send_keys(each).perform()

    def look(self, scheme: str, size: str) -> None:
        """Takes a colour scheme and a size of the window."""
        feature = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
        width, height = SIZES.get(size, PICTURE)
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def picture(self, path: Path) -> None:
        """Writes what is on screen, as WebP: a third of the bytes of a PNG, and as sharp."""
        form = {"format": "webp", "quality": 80}
        found = self.driver.execute_cdp_cmd("Page.captureScreenshot", form)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def problems(self) -> list[str]:
        """What the console says since the last call: errors, refusals, requests that failed."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that were asked for since the last call."""
        return [said["request"]["url"] for said in self._logged("Network.requestWillBeSent")]

    def traced(self) -> list[dict]:
        """Events that were recorded since the last call, as Chromium writes them."""
        return self._logged("Tracing.dataCollected")

    def _logged(self, method: str) -> list[dict]:
        messages = (json.loads(e["message"]) for e in self.driver.get_log("performance"))
        said = (each["message"] for each in messages)
        return [each["params"] for each in said if each["method"] == method]


@contextmanager
def browser(traced: str = "") -> Iterator[Browser]:
    """A browser with an empty profile; `traced` are categories of events that it records."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BINARY
    profile = tempfile.mkdtemp(prefix="satchel-browser-")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if traced:
        options.add_experimental_option("perfLoggingPrefs", {"traceCategories": traced})
    service = webdriver.ChromeService(DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    # Without a desktop no window has the focus, and only one that has it may copy.
    driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    driver.set_page_load_timeout(PATIENCE_S)
    driver.set_script_timeout(4 * PATIENCE_S)  # axe looks at a thousand areas of a map
    try:
        yield Browser(driver)
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__" and not IS_THERE:
    print(WHY_NOT)  # noqa: T201
