"""A real browser without a screen and without a network, to open pages as readers do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSER, DRIVER = "chromium", "chromedriver"
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # which root does not have
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # a page that asks the network for something gets an error
    "--window-size=1400,1000",
)
PATIENCE = 120  # seconds: far beyond what a page takes, even on a machine that is busy with other tests


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start a browser; skip the test if this machine has none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not shutil.which(BROWSER) or not shutil.which(DRIVER):
        pytest.skip(f"no browser here: {BROWSER} and {DRIVER} (Debian's chromium and chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which(BROWSER)
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which(DRIVER)))
    try:
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    """What tests do with a browser."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, wanted: str) -> None:
        """Open a file, and wait for an element."""
        self.driver.switch_to.default_content()
        self.driver.get(page.resolve().as_uri())
        self.wait_for(wanted)

    def wait_for(self, wanted: str, by: str = "css selector") -> Any:
        """Wait for an element that can be seen and clicked."""
        return self._until("element_to_be_clickable", (by, wanted))

    def enter_frame(self, wanted: str) -> None:
        """Look into the page that the report shows, once it has an element."""
        self._until("frame_to_be_available_and_switch_to_it", ("css selector", "iframe"))
        self.wait_for(wanted)

    def _until(self, condition: str, place: tuple[str, str]) -> Any:
        from selenium.webdriver.support import expected_conditions
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.driver, PATIENCE).until(getattr(expected_conditions, condition)(place))

    def find(self, wanted: str) -> list[Any]:
        """All elements that match."""
        return self.driver.find_elements("css selector", wanted)

    def texts(self, wanted: str) -> list[str]:
        """The texts of all elements that match, as a reader sees them."""
        return [element.text.strip() for element in self.find(wanted)]

    def rows(self, wanted: str) -> list[list[str]]:
        """The first line of every cell, row by row, in the body of a table; hidden rows are left out."""
        script = """
        return [...document.querySelectorAll(arguments[0] + " tbody tr")].filter(row => row.offsetParent).map(
          row => [...row.cells].map(cell => cell.innerText.split("\\n")[0].trim()))"""
        return self.driver.execute_script(script, wanted)

    def errors(self) -> list[str]:
        """What the browser complained about since it was last asked: failed scripts, failed loads."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
