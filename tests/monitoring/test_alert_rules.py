"""The alert rules: what promtool says of them, their runbooks, and that they name series that exist."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from scripts.alert_rules import rule_files
from scripts.alert_rules.rule import AlertRule
from tests.house.source import ROOT
from tests.monitoring.expression_names import known, names_in, unknown
from tests.monitoring.rule_cases import CASES, RuleCase
from tests.monitoring.rule_test_file import write_tests
from tests.services.prometheus import promtool

RUNBOOKS = ROOT / "docs" / "runbooks"
TEMPLATE_LABEL = re.compile(r"\$labels\.(\w+)")
PROMQL = re.compile(r"```promql\n(.*?)```", re.DOTALL)

every_alert = pytest.mark.parametrize("alert", rule_files.alerts(), ids=lambda one: f"{one.name}-{one.severity}")


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([promtool(), *arguments], capture_output=True, text=True, check=False)


def test_the_files_are_what_the_code_says(tmp_path: Path) -> None:
    assert rule_files.drift() == []
    rule_files.write(tmp_path)
    (tmp_path / "flow.yaml").write_text("groups: []\n", encoding="utf-8")
    (tmp_path / "left.yaml").touch()
    assert rule_files.drift(tmp_path) == ["flow.yaml", "left.yaml"]


def test_prometheus_accepts_the_files() -> None:
    done = ran("check", "rules", *(str(rule_files.FOLDER / name) for name in rule_files.FILES))
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_fires_on_its_fault_and_is_quiet_without_it(tmp_path: Path) -> None:
    done = [ran("test", "rules", str(path)) for path in write_tests(tmp_path, CASES)]
    assert [one.stderr for one in done if one.returncode] == []


def test_a_case_that_does_not_hold_is_noticed(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.alert == "TravelRuleHubDown"]
    swapped = [type(case)(case.alert, case.severity, case.good, case.bad)]
    (path,) = write_tests(tmp_path, swapped)
    done = ran("test", "rules", str(path))
    assert done.returncode != 0
    assert done.stderr.count("TravelRuleHubDown") > 1


def test_there_is_one_case_for_each_alert() -> None:
    cases = Counter((case.alert, case.severity) for case in CASES)
    assert cases == Counter((alert.name, alert.severity) for alert in rule_files.alerts())


@pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.alert}-{one.severity}")
def test_the_series_of_a_case_are_served_and_differ_in_their_values_only(case: RuleCase) -> None:
    assert case.bad.keys() == case.good.keys()
    assert case.bad != case.good
    for name in case.bad:
        assert unknown(name) == []


@every_alert
def test_an_alert_names_series_that_are_served(alert: AlertRule) -> None:
    assert unknown(alert.condition) == []
    (case,) = [case for case in CASES if (case.alert, case.severity) == (alert.name, alert.severity)]
    named = {label for text in (alert.summary, alert.description) for label in TEMPLATE_LABEL.findall(text)}
    assert named <= {"job", *case.labels}


@every_alert
def test_an_alert_does_not_mix_installations(alert: AlertRule) -> None:
    named = names_in(alert.condition)
    assert "job" not in {label for _, label in named.selected}
    assert {"namespace", "job"} <= named.grouped


def test_recordings_name_series_that_are_served() -> None:
    rules = rule_files.recordings()
    assert {rule.record for rule in rules} <= set(known())
    assert [missing for rule in rules for missing in unknown(rule.expr)] == []


def test_what_does_not_exist_is_seen() -> None:
    wrong = 'sum by (job, gone) (rate(travelrule_inputs_total{kind="x"}[5m])) / travelrule_nothing'
    assert unknown(wrong) == ["travelrule_nothing", "travelrule_inputs_total{kind}", "gone"]


@every_alert
def test_an_alert_has_a_runbook_whose_queries_exist(alert: AlertRule) -> None:
    assert alert.summary
    assert not re.search(r"\{\{|\.$", alert.summary)
    assert alert.description.endswith(".")
    page = (RUNBOOKS / f"{alert.name}.md").read_text(encoding="utf-8")
    assert alert.summary in page
    queries = [line for block in PROMQL.findall(page) for line in block.strip().splitlines()]
    assert queries
    assert [missing for query in queries for missing in unknown(query)] == []
