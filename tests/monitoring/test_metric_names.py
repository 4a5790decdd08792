"""``promtool check metrics`` on a page with every declared metric."""

from __future__ import annotations

import subprocess
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from tests.services.prometheus import promtool
from travelrule.metrics import METRICS

KINDS: dict[str, Any] = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}


def checked(page: bytes) -> tuple[int, str]:
    """The exit status of promtool and what it says."""
    ended = subprocess.run([promtool(), "check", "metrics"], input=page, capture_output=True, check=False, timeout=60)
    return ended.returncode, (ended.stdout + ended.stderr).decode()


def test_promtool_finds_no_fault_in_any_declared_metric() -> None:
    registry = CollectorRegistry()
    for spec in METRICS:
        made = KINDS[spec.type](spec.name, spec.meaning, spec.labels, registry=registry)
        if spec.labels:
            made.labels(**dict.fromkeys(spec.labels, "x"))
    page = generate_latest(registry)
    assert all(spec.name.encode() in page for spec in METRICS)
    assert checked(page) == (0, "")


def test_promtool_does_find_faults() -> None:
    registry = CollectorRegistry()
    Gauge("travelrule_lag_milliseconds", "", registry=registry)
    status, said = checked(generate_latest(registry))
    assert status != 0
    assert "travelrule_lag_milliseconds" in said
