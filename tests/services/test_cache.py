"""The cache outside the checkout holds complete things only, and helm comes from it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.services import ServiceError
from tests.services.cache import cached
from tests.services.helm import VERSION, go
from tests.services.process import ROOT


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "travelrule"


def test_one_process_fills_and_the_others_take_what_it_made(own_cache: Path) -> None:
    fills: list[Path] = []

    def fill(place: Path) -> None:
        fills.append(place)
        (place / "program").write_text("made")

    with ThreadPoolExecutor(4) as threads:
        places = list(threads.map(lambda _: cached("thing-1", fill), range(4)))
    assert set(places) == {own_cache / "thing-1"}
    assert len(fills) == 1
    assert (own_cache / "thing-1" / "program").read_text() == "made"
    assert cached("thing-2", fill) != places[0]


def test_a_failed_or_killed_fill_leaves_nothing_behind(own_cache: Path) -> None:
    def fail(place: Path) -> None:
        (place / "half").touch()
        raise ServiceError("no network")

    with pytest.raises(ServiceError, match="no network"):
        cached("thing-1", fail)
    (own_cache / "thing-1.part-killed").mkdir()
    place = cached("thing-1", lambda place: (place / "whole").touch())
    assert [found.name for found in place.iterdir()] == ["whole"]
    assert sorted(found.name for found in own_cache.iterdir()) == ["thing-1", "thing-1.lock"]


def _helm_program(path: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.services.helm"],
        cwd=ROOT,
        env=os.environ | {"PATH": path, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_go_that_is_too_old_is_named(tmp_path: Path) -> None:
    old = tmp_path / "go"
    old.write_text("#!/bin/sh\necho go1.19.8\n")
    old.chmod(0o755)
    done = _helm_program(f"{tmp_path}:/bin", tmp_path / "cache")
    assert done.returncode == 1
    assert f"{old} is go1.19.8: install Go 1.24 or later" in done.stderr


@pytest.mark.operations
@pytest.mark.timeout(1500)
def test_helm_is_built_into_an_empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_helm = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "helm").exists()
    )
    compiled = subprocess.run([go(), "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    monkeypatch.setenv("GOCACHE", compiled)  # Go's own, which is under XDG_CACHE_HOME too: minutes the first time only
    done = _helm_program(without_helm, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "travelrule" / f"helm-{VERSION}" / "helm")
