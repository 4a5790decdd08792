"""The short fault run, as CI makes it."""

from __future__ import annotations

import subprocess
import sys

import orjson
import pytest

from tests.services.process import ROOT

LIMIT_SECONDS = 900
FAULTS_LEAST = 11
WITHDRAWALS_LEAST = 250
DEPOSITS_LEAST = 250


@pytest.mark.chaos
@pytest.mark.timeout(LIMIT_SECONDS)
def test_nothing_is_lost_and_nothing_done_twice_while_things_break() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "--short"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS - 30,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *faults, summary = [orjson.loads(line) for line in done.stdout.splitlines()]
    assert len(faults) >= FAULTS_LEAST
    assert summary["withdrawals"] >= WITHDRAWALS_LEAST
    assert summary["deposits"] >= DEPOSITS_LEAST
    assert summary["forged"] > 0
    assert {"crossed", "echoed"} & summary["falsified"].keys()
    assert {"cut", "dripped"} & summary["falsified"].keys()
    assert 0 < summary["searched_again"] <= summary["interrupted_searches"]
    for line in (*faults, summary):
        assert (line["lost"], line["duplicated_effects"], line["ok"]) == (0, 0, True), line
