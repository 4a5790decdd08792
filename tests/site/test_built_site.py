"""The built site: links and headings, diagrams and pictures in a browser, and no other host."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from scripts.site import diagrams
from scripts.site.build import build_site
from scripts.site.built_pages import faults
from scripts.site.diagrams import DiagramError
from tests.services import Chromium

pytestmark = [pytest.mark.services, pytest.mark.operations]

SECONDS = 30
WITH_DIAGRAM = "generated/exchange-states/"
WITH_PICTURE = ""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Write no line for each request."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_site(folder / "built", folder / "stage")
    return folder / "built"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > 100
    assert faults(site) == []
    assert (site / "files/examples/policy.toml").is_file()


def test_diagrams_are_drawn_by_the_site_itself(address: str, chromium: Chromium) -> None:
    chromium.driver.get(address + WITH_DIAGRAM)
    # The source of a diagram is a pre element; a drawing replaces it, in a shadow root that cannot be looked into.
    drawn = (
        "return [...document.querySelectorAll('.mermaid')].map(one => one.tagName == 'DIV' && one.clientHeight > 200)"
    )
    WebDriverWait(chromium.driver, SECONDS).until(lambda driver: all(driver.execute_script(drawn) or [False]))
    loaded = chromium.driver.execute_script("return performance.getEntriesByType('resource').map(one => one.name)")
    assert [name for name in loaded if not name.startswith(address)] == []
    assert any(name.endswith("/mermaid.min.js") for name in loaded)
    assert chromium.console() == []


def test_a_page_shows_its_pictures_and_tables_without_the_diagram_program(address: str, chromium: Chromium) -> None:
    chromium.driver.get(address + WITH_PICTURE)
    width = "return [...document.querySelectorAll('article img')].map(one => one.complete && one.naturalWidth)"
    WebDriverWait(chromium.driver, SECONDS).until(lambda driver: all(driver.execute_script(width) or [False]))
    assert chromium.driver.execute_script("return document.querySelectorAll('article table').length") > 0
    assert chromium.driver.execute_script("return typeof mermaid") == "undefined"
    assert chromium.console() == []


def test_another_package_in_place_of_the_diagram_program_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(diagrams, "SHA512", "another")
    with pytest.raises(DiagramError, match="not the expected one"):
        diagrams.diagram_program()
    monkeypatch.setattr(diagrams.shutil, "which", lambda _: None)
    with pytest.raises(DiagramError, match="npm is missing"):
        diagrams.diagram_program()
