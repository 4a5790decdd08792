"""All drills, and which alerts have one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from scripts.alert_rules import rule_files
from scripts.alert_rules.rehearsal import hurried, shorter
from tests.drills.plan import DRILLS, SHORT
from tests.services.process import ROOT
from tests.services.prometheus import promtool

LIMIT_SECONDS = 1800


def test_each_alert_has_a_drill() -> None:
    drilled = {alert for drill in DRILLS.values() for alert in drill.alerts}
    assert drilled == {alert.name for alert in rule_files.alerts()}


def test_rules_of_a_rehearsal_are_rules_with_shorter_times(tmp_path: Path) -> None:
    rule_files.write(tmp_path, 60)
    done = subprocess.run(
        [promtool(), "check", "rules", *map(str, sorted(tmp_path.glob("*.yaml")))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert hurried("increase(a[1h]) unless a offset 15m", 60) == "increase(a[60s]) unless a offset 15s"
    assert (shorter("1m", 60), shorter("", 60)) == ("5s", "")


@pytest.mark.operations
@pytest.mark.timeout(LIMIT_SECONDS)
def test_a_fault_of_each_kind_raises_its_alerts_and_shows_where_the_runbooks_look() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.drills", "--short"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS - 30,
    )
    lines = [orjson.loads(line) for line in done.stdout.splitlines()]
    assert [line for line in lines if not line["ok"]] == [], done.stderr
    assert [line["drill"] for line in lines] == list(SHORT)
    assert all(line["queries"] > 0 for line in lines)
