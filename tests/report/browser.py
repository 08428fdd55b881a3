"""A real browser to test the report with and to picture it: Chromium without a window, driven by Selenium.

It opens files of this machine only, and keeps what a page said on its console and what it asked the network
for. What a report should look like is said by the tests.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

DESKTOP, PHONE = (1280, 900), (390, 844)
"""Width and height of windows, in pixels."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "headless=new",
    "no-sandbox",  # which root, as in a container, has to do without
    "disable-gpu",
    "disable-dev-shm-usage",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "hide-scrollbars",  # as on a phone
)


class Browser:
    """One tab, opened anew for every page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        """Take a driver that keeps the console's log and the network's."""
        self.driver = driver
        self.width = DESKTOP[0]

    def open(
        self,
        page: Path,
        fragment: str = "",
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        scripts: bool = True,
    ) -> None:
        """Open a file, as somebody does who was given `page#fragment`.

        Args:
            size: of the window, in pixels; one narrower than `DESKTOP` has a phone's touch screen.
            dark: whether the reader likes dark pages better.
            scripts: whether the page's own scripts run.
        """
        self.driver.get("about:blank")  # or a fragment alone would open nothing
        self._forget()
        self.width, height = size
        touch = self.width < DESKTOP[0]
        metrics = {"width": self.width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # nothing to be clicked is on its way
        self.command("Emulation.setDeviceMetricsOverride", **metrics)
        self.command("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.command("Emulation.setEmulatedMedia", media="", features=[scheme, still])
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.driver.get(page.absolute().as_uri() + fragment)

    def command(self, name: str, **arguments: Any) -> Any:
        """Give the browser a command of its DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, expression: str, *arguments: Any) -> Any:
        """Return the value of a JavaScript expression; `arguments[0]` is the first argument."""
        return self.driver.execute_script(f"return {expression}", *arguments)

    def wait(self, expression: str) -> None:
        """Wait until a JavaScript expression is true; one that stays false is an error."""
        WebDriverWait(self.driver, 20).until(lambda _: self.run(expression), expression)

    def find(self, selector: str) -> WebElement:
        """Return the first element of a CSS selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> Sequence[WebElement]:
        """Return all elements of a CSS selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def swipe(self, element: WebElement, right: int) -> None:
        """Draw a finger over an element, from its middle, so many pixels to the right."""
        finger = ActionBuilder(self.driver, PointerInput("touch", "finger"), duration=0)
        finger.pointer_action.move_to(element).pointer_down().move_by(right, 0).pointer_up()
        finger.perform()

    def complaints(self) -> list[str]:
        """Return what has come on the console since the page was opened."""
        return [line["message"] for line in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that have been asked for since the page was opened, the page's own too."""
        lines = [json.loads(line["message"])["message"] for line in self.driver.get_log("performance")]
        sent = [line["params"] for line in lines if line["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def overhang(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        # Not than `innerWidth`: a phone zooms out until a page that is too wide fits.
        return int(self.run("document.scrollingElement.scrollWidth")) - self.width

    def printed(self) -> bytes:
        """Return the page as PDF."""
        return base64.b64decode(self.command("Page.printToPDF", printBackground=True)["data"])

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """Write what is seen, or the `whole` page, as PNG."""
        shot = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _forget(self) -> None:
        self.complaints()
        self.requests()


def missing() -> str:
    """Return what keeps a browser from being started, or nothing."""
    if _program() is None:
        return f"none of {', '.join(_NAMES)} is installed"
    return "" if shutil.which("chromedriver") else "chromedriver is not installed"


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser that knows nothing of earlier ones, and end it."""
    options = webdriver.ChromeOptions()
    options.binary_location = _program() or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*_FLAGS, f"user-data-dir={profile}"):
            options.add_argument(f"--{flag}")
        driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
        try:
            yield Browser(driver)
        finally:
            driver.quit()


def _program() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)
