"""Prometheus as other tests rely on it: it scrapes, answers, names what it refuses, and needs no installation."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services import PrometheusServer, ServiceError, debian, run
from tests.services.ports import free_port
from tests.services.prometheus import ScrapeTarget, unpacked_programs

pytestmark = [pytest.mark.services, pytest.mark.operations]


@pytest.fixture
def server(own_directory: Callable[[str], Path], tmp_path: Path) -> Iterator[PrometheusServer]:
    rules = tmp_path / "rules.yaml"
    rules.write_text("groups: [{name: one, rules: [{alert: Anything, expr: up, labels: {severity: info}}]}]")
    server = PrometheusServer(own_directory("prometheus"), run.run_owner(), rules=[rules])
    server.start()
    yield server
    server.kill()


def test_it_scrapes_its_targets_and_answers(server: PrometheusServer) -> None:
    itself = ScrapeTarget(server.url.removeprefix("http://"), "one", {"instance": "itself"})
    server.reload([itself])
    server.until_up()
    (up,) = server.query("up")
    assert (dict(up.labels), up.value) == ({"__name__": "up", "job": "one", "instance": "itself"}, 1)
    at = up.points[0][0]
    (series,) = server.query_range("up", at, at + 2, 1)
    assert [value for _, value in series.points] == [1, 1, 1]
    assert server.query("vector(3)")[0].value == server.query("3")[0].value == 3
    assert server.label_values("job", "up") == ["one"]
    assert server.query("absent_metric") == []
    assert _eventually(lambda: {alert["state"] for alert in server.alerts()}) == {"firing"}
    with pytest.raises(ServiceError, match="parse error"):
        server.query("sum(")

    server.reload([itself, ScrapeTarget(f"127.0.0.1:{free_port()}", "gone", {"instance": "absent"})])
    assert _eventually(lambda: server.targets().get("absent", "unknown") != "unknown")
    assert server.targets() == {"itself": "up", "absent": "down"}
    with pytest.raises(ServiceError, match=r"absent.*down"):
        server.until_up(0)


def _eventually(condition: Callable[[], Any], seconds: float = 60) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return value


def test_a_refused_configuration_is_told(server: PrometheusServer) -> None:
    with pytest.raises(ServiceError, match="refused its configuration"):
        server.reload([ScrapeTarget("http://an-url", "wrong")])


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "travelrule"


def test_it_comes_from_debians_package_without_being_installed(own_cache: Path) -> None:
    programs = unpacked_programs()
    assert all(path.startswith(str(own_cache)) and os.access(path, os.X_OK) for path in programs.values())
    assert unpacked_programs() == programs


def test_a_machine_without_packages_is_told_what_is_missing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian.shutil, "which", lambda _: None)
    with pytest.raises(ServiceError, match="apt-get install prometheus"):
        unpacked_programs()
    assert [path.name for path in own_cache.iterdir() if path.is_dir()] == []
