"""The widget as a customer sees it in a browser. Nothing here is asynchronous: WebDriver waits."""

from __future__ import annotations

from typing import Any

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.services import Chromium

WAIT_SECONDS = 10
_PART = "return document.querySelector('wallet-verifier')?.shadowRoot?.querySelector(`[part=${arguments[0]}]`)"


class WidgetPage:
    """The one tab of the browser."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._driver = chromium.driver

    def open(self, url: str, *, width: int = 1000) -> None:
        """Open an address; returns when its scripts are loaded."""
        self._chromium.resize(width, 800)
        self._driver.get(url)

    def click(self, part: str) -> None:
        """Click a button of the widget as soon as it is there."""
        self._when(part).click()

    def type(self, part: str, text: str) -> None:
        """Type into a field of the widget, which is emptied first."""
        place = self._when(part)
        place.clear()
        place.send_keys(text)

    def says(self, text: str) -> None:
        """Wait until the widget's line of state is this text."""
        line = self._when("state")
        try:
            WebDriverWait(self._driver, WAIT_SECONDS, 0.05).until(lambda _: line.text == text)
        except TimeoutException:
            raise AssertionError(f"the page says {line.text!r}, not {text!r}") from None

    def text(self, part: str) -> str:
        """What a part of the widget shows, as soon as it is there."""
        return self._when(part).text

    def has(self, part: str) -> bool:
        """Whether the widget has that part now."""
        return self._driver.execute_script(_PART, part) is not None

    def told(self) -> list[dict[str, Any]]:
        """The events that the platform's page got."""
        events: list[dict[str, Any]] = self._driver.execute_script("return told")
        return events

    def run(self, script: str) -> Any:
        """Run a script on the page."""
        return self._driver.execute_script(script)

    def overhang(self) -> int:
        """How many CSS pixels of the page are only seen by scrolling sideways."""
        pixels: int = self.run("const root = document.documentElement; return root.scrollWidth - root.clientWidth")
        return pixels

    def in_view(self, part: str) -> bool:
        """Whether a part of the widget stands inside the window as it is scrolled now."""
        script = "const at = arguments[0].getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight"
        return bool(self._driver.execute_script(script, self._when(part)))

    def console(self) -> list[str]:
        """What came to the browser's console since the last question."""
        return self._chromium.console()

    def _when(self, part: str) -> WebElement:
        def there(_: object) -> WebElement | None:
            found: WebElement | None = self._driver.execute_script(_PART, part)
            return found if found is not None and (part == "state" or found.is_enabled()) else None

        found = WebDriverWait(self._driver, WAIT_SECONDS, 0.05).until(there)
        assert found is not None
        return found
