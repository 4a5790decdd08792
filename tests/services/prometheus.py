"""A real Prometheus on loopback that scrapes given targets, and its ``promtool``."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from tests.services import debian
from tests.services.cache import cached
from tests.services.ports import free_port
from tests.services.process import ServiceError, ServiceProcess

_LEAST = (2, 42)
_NAMES = ("prometheus", "promtool")
_SECONDS = 20
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class ScrapeTarget:
    """One process that serves ``/metrics``. ``address`` is host:port; ``labels`` may name its ``instance``."""

    address: str
    job: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Series:
    """One series of an answer: its labels and its points, each (unix time in seconds, value)."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def value(self) -> float:
        """The newest value."""
        return self.points[-1][1]


def prometheus() -> str:
    """The path of Prometheus 2.42 or later; unpacks Debian's package into the cache if it is not installed."""
    return _programs()["prometheus"]


def promtool() -> str:
    """The path of its ``promtool``, which checks rules, configurations and pages of metrics."""
    return _programs()["promtool"]


@cache
def _programs() -> Mapping[str, str]:
    installed = {name: path for name in _NAMES if (path := shutil.which(name))}
    return installed if len(installed) == len(_NAMES) and _new_enough(installed) else unpacked_programs()


def unpacked_programs() -> Mapping[str, str]:
    """Both programs from Debian's package, which is unpacked into the cache."""
    folder = cached("prometheus-debian", _unpack)
    return {name: str(folder / "usr/bin" / name) for name in _NAMES}


def _unpack(folder: Path) -> None:
    debian.unpack("prometheus", folder)
    programs = {name: str(folder / "usr/bin" / name) for name in _NAMES}
    if not all(Path(path).exists() for path in programs.values()) or not _new_enough(programs):
        raise ServiceError(f"Prometheus {_LEAST[0]}.{_LEAST[1]} or later is missing: apt-get install prometheus")


def _new_enough(programs: Mapping[str, str]) -> bool:
    done = subprocess.run([programs["prometheus"], "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"version (\d+)\.(\d+)", done.stdout + done.stderr)
    return bool(found) and (int(found[1]), int(found[2])) >= _LEAST


class PrometheusServer:
    """A server that belongs to a directory. It scrapes and evaluates every ``interval`` (a Prometheus duration)."""

    def __init__(self, directory: Path, owner: int, *, rules: Sequence[Path] = (), interval: str = "1s") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._rules = [str(path.resolve()) for path in rules]
        self._interval = interval
        self._process = ServiceProcess(directory, "prometheus", owner)
        self._configuration = directory / "prometheus.yml"
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        self._command = [
            prometheus(),
            f"--config.file={self._configuration}",
            f"--storage.tsdb.path={directory / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--web.enable-lifecycle",
            "--storage.tsdb.retention.time=1d",
            "--log.level=warn",
        ]

    def start(self, targets: Iterable[ScrapeTarget] = ()) -> None:
        """Start it with these targets; returns when it answers queries."""
        self._write(targets)
        self._process.start(self._command, self._answers)

    def reload(self, targets: Iterable[ScrapeTarget]) -> None:
        """Scrape these targets instead, and read the rule files again."""
        self._write(targets)
        request = urllib.request.Request(f"{self.url}/-/reload", method="POST")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS):
                return
        except urllib.error.HTTPError as refused:
            with refused:
                raise ServiceError(f"prometheus refused its configuration: {refused.read().decode()}") from None

    def stop(self) -> None:
        """An orderly shutdown; its data stay."""
        self._process.stop()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def query(self, expression: str, at: float | None = None) -> list[Series]:
        """The value of an expression, now or at a unix time. A range selector returns all points of its range."""
        moment = {} if at is None else {"time": f"{at:.3f}"}
        answer = self._get("query", query=expression, **moment)["data"]
        if answer["resultType"] == "scalar":
            return [Series({}, (_point(answer["result"]),))]
        return _series(answer["result"])

    def query_range(self, expression: str, start: float, end: float, step: float) -> list[Series]:
        """The values of an expression from ``start`` to ``end`` (unix times), one every ``step`` seconds."""
        bounds = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step:g}"}
        return _series(self._get("query_range", query=expression, **bounds)["data"]["result"])

    def label_values(self, label: str, selector: str) -> list[str]:
        """The values of a label over the series that a selector takes."""
        return list(self._get(f"label/{label}/values", **{"match[]": selector})["data"])

    def targets(self) -> dict[str, str]:
        """The health of each target by its ``instance``: ``up``, ``down`` or ``unknown`` (not scraped yet)."""
        active = self._get("targets", state="active")["data"]["activeTargets"]
        return {target["labels"]["instance"]: str(target["health"]) for target in active}

    def alerts(self) -> list[dict[str, Any]]:
        """The alerts that are pending or firing, each with ``labels``, ``annotations`` and ``state``."""
        return list(self._get("alerts")["data"]["alerts"])

    def until_up(self, seconds: float = 60) -> None:
        """Wait until every target was scraped without a fault."""
        deadline = time.monotonic() + seconds
        while set((health := self.targets()).values()) != {"up"}:
            if time.monotonic() > deadline:
                raise ServiceError(f"targets are not up after {seconds:g} s: {health}\n{self._process.log_tail()}")
            time.sleep(_LOOK_SECONDS)

    def _write(self, targets: Iterable[ScrapeTarget]) -> None:
        jobs: dict[str, list[dict[str, Any]]] = {}
        for target in targets:
            jobs.setdefault(target.job, []).append({"targets": [target.address], "labels": dict(target.labels)})
        configuration = {
            "global": {
                "scrape_interval": self._interval,
                "scrape_timeout": self._interval,
                "evaluation_interval": self._interval,
            },
            "rule_files": self._rules,
            "scrape_configs": [{"job_name": job, "static_configs": each} for job, each in jobs.items()],
        }
        self._configuration.write_text(yaml.safe_dump(configuration))

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/-/ready", timeout=2):
                return True
        except OSError:
            return False

    def _get(self, path: str, **parameters: str) -> dict[str, Any]:
        url = f"{self.url}/api/v1/{path}?{urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=_SECONDS) as response:
                return dict(json.load(response))
        except urllib.error.HTTPError as refused:
            with refused:
                fault = json.load(refused).get("error", "")
            raise ServiceError(f"prometheus refused {parameters}: {fault}") from None


def _series(result: list[dict[str, Any]]) -> list[Series]:
    return [
        Series(each["metric"], tuple(_point(point) for point in each.get("values") or [each["value"]]))
        for each in result
    ]


def _point(pair: Sequence[Any]) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])
