"""The cases of the alerts as a file for ``promtool test rules``.

Two installations are played at once: in the first test of a case ``north`` has the bad values and ``south`` the good
ones, and exactly one alert fires; in the second both have the good values and none fires.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from scripts.alert_rules.rule_files import file_of, write
from tests.monitoring.rule_cases import RuleCase, Values

JOBS = ("north", "south")


def series_of(job: str, values: Values) -> Iterator[dict[str, str]]:
    """Add the labels of a scrape."""
    for name, points in values.items():
        found = re.fullmatch(r"(\w+)(?:\{(.*)\})?", name)
        assert found is not None, name
        labels = ",".join(filter(None, (f'job="{job}",instance="{job}-0"', found[2])))
        yield {"series": f"{found[1]}{{{labels}}}", "values": points}


def expected(case: RuleCase) -> list[dict[str, Any]]:
    """The series of Prometheus's own about the alert of ``north``."""
    labels = {"alertname": case.alert, "alertstate": "firing", "severity": case.severity, "job": JOBS[0]}
    shown = ",".join(f'{name}="{value}"' for name, value in {**labels, **case.labels}.items())
    return [{"labels": f"ALERTS{{{shown}}}", "value": 1}]


def tests_of(case: RuleCase) -> list[dict[str, Any]]:
    """One test that fires and one that stays quiet."""
    question = f'ALERTS{{alertname="{case.alert}",severity="{case.severity}",alertstate="firing"}}'
    return [
        {
            "interval": case.interval,
            "input_series": [*series_of(JOBS[0], north), *series_of(JOBS[1], case.good)],
            "promql_expr_test": [{"expr": question, "eval_time": case.at, "exp_samples": samples}],
        }
        for north, samples in ((case.bad, expected(case)), (case.good, []))
    ]


def write_tests(folder: Path, cases: Sequence[RuleCase]) -> list[Path]:
    """Write the rule files, and one file of tests for each of them and each interval between samples.

    The rules are evaluated as often as there are samples. A case uses only the rules of its own file, which is
    cheaper.
    """
    write(folder / "rules")
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for case in cases:
        groups.setdefault((file_of(case.alert), case.interval), []).extend(tests_of(case))
    written = []
    for (name, interval), tests in groups.items():
        rules = [str(folder / "rules" / name)]
        content = {"rule_files": rules, "evaluation_interval": interval, "tests": tests}
        written.append(folder / f"{interval}-{name}")
        written[-1].write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return written
