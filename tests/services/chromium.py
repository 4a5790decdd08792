"""A real Chromium without a screen, driven over WebDriver by Debian's ChromeDriver."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

from selenium.webdriver import ChromeOptions, Remote
from selenium.webdriver.chrome.remote_connection import ChromeRemoteConnection
from selenium.webdriver.remote.client_config import ClientConfig

from tests.services.debian import install
from tests.services.ports import free_port
from tests.services.process import ServiceError, ServiceProcess

_PROGRAMS = (Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver"))
_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # ChromeDriver is then connected to it by a pipe, whose end ends the browser too.
    "--remote-debugging-pipe",
)
_SECONDS = 20


def programs() -> tuple[Path, Path]:
    """The paths of ``chromium`` and ``chromedriver``; installs Debian's packages when that is allowed."""
    if not _installed():
        install("chromium", "chromium-driver")
        if not _installed():
            raise ServiceError("Chromium or ChromeDriver is missing: apt-get install chromium chromium-driver")
    return _PROGRAMS


def _installed() -> bool:
    return all(program.exists() for program in _PROGRAMS)


class Chromium:
    """A browser that belongs to a directory, which holds its profile, empty at the start."""

    driver: Remote
    """What drives it, once it is started."""

    def __init__(self, directory: Path, owner: int) -> None:
        self._chromium, self._chromedriver = programs()
        directory.mkdir(parents=True)
        self._profile = directory / "profile"
        self._url = f"http://127.0.0.1:{(port := free_port())}"
        self._command = [str(self._chromedriver), f"--port={port}"]
        self.process = ServiceProcess(directory, "chromedriver", owner)

    def start(self) -> None:
        """Start both; returns when the browser takes commands."""
        self.process.start(self._command, self._answers)
        options = ChromeOptions()
        options.binary_location = str(self._chromium)
        for switch in (*_SWITCHES, f"--user-data-dir={self._profile}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        config = ClientConfig(self._url, timeout=_SECONDS)
        self._connection = ChromeRemoteConnection(self._url, client_config=config)
        self.driver = Remote(self._connection, options=options)

    def stop(self) -> None:
        """Close the browser, then end what drove it."""
        self.driver.quit()
        self.process.stop()

    def abandon(self) -> None:
        """Close our connection to what is gone already."""
        self._connection.close()  # type: ignore[no-untyped-call]

    def console(self) -> list[str]:
        """What the pages wrote to the console since the last question, errors of the browser among it."""
        entries: list[dict[str, Any]] = self.driver.execute("getLog", {"type": "browser"})["value"]
        return [entry["message"] for entry in entries]

    def resize(self, width: int, height: int) -> None:
        """Give pages this many CSS pixels, as a phone or a screen would."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
        self.driver.execute("executeCdpCommand", command)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._url}/status", timeout=2) as response:
                return bool(json.load(response)["value"]["ready"])
        except OSError:
            return False
