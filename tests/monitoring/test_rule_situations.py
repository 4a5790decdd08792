"""All rules together in situations that an operator meets: which alerts fire, and that no other does."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.alert_rules import rule_files
from tests.monitoring.rule_test_file import series_of
from tests.services.prometheus import promtool

BUILD = 'travelrule_build_info{version="1.0.0",python="3.11"}'
GATEWAY = 'travelrule_connections_open{listener="gateway"}'
ASSIGNED = 'travelrule_partitions_assigned{topic="withdrawals"}'
VERIFIED = "travelrule_audit_verified_timestamp_seconds"
CRITICAL = 'travelrule_operator_alerts_total{severity="critical"}'
UNCHECKED = 'travelrule_list_searches_total{outcome="unchecked"}'
TIMERS = "travelrule_oldest_timer_seconds"
MESSAGES = "travelrule_oldest_message_seconds"


@dataclass(frozen=True)
class Situation:
    """Series of each process in promtool's notation, and the alerts that fire ``at`` a time."""

    name: str
    processes: Mapping[str, Mapping[str, str]]
    fires: frozenset[str]
    at: str = "20m"
    interval: str = "1m"


SITUATIONS = (
    Situation(
        "first minutes without traffic",
        {
            "worker": {
                "up": "1x30", BUILD: "1x30", ASSIGNED: "4x30", CRITICAL: "0x30", UNCHECKED: "0x30", TIMERS: "0x30",
                'travelrule_verdict_limit_total{kind="withdrawal",result="met"}': "0x30",
                'travelrule_verdict_limit_total{kind="withdrawal",result="missed"}': "0x30",
                "travelrule_hub_up": "1x30",
            },
            "gateway": {"up": "1x30", BUILD: "1x30", GATEWAY: "0x30"},
        },
        frozenset(),
    ),
    Situation(
        "an alert and an unchecked search before the first scrape of a process",
        {"worker": {"up": "_x8 1x30", BUILD: "_x8 1x30", CRITICAL: "_x8 1x30", UNCHECKED: "_x8 1x30"}},
        frozenset({"TravelRuleOperatorAlert", "TravelRuleScreeningUnchecked"}),
    ),
    Situation(
        "a new process after a release, which did not raise those alerts",
        {
            "worker-old": {"up": "1x10 _x30", BUILD: "1x10 _x30", CRITICAL: "5x10 _x30", UNCHECKED: "5x10 _x30"},
            "worker-new": {"up": "_x10 1x30", BUILD: "_x10 1x30", CRITICAL: "_x10 0x30", UNCHECKED: "_x10 0x30"},
        },
        frozenset(),
    ),
    Situation(
        "all gateways gone, a worker left",
        {
            "worker": {"up": "1x30", BUILD: "1x30", ASSIGNED: "4x30"},
            "gateway": {"up": "1x10 _x30", BUILD: "1x10 _x30", GATEWAY: "3x10 _x30"},
        },
        frozenset({"TravelRuleGatewayAbsent"}),
    ),
    Situation(
        "gateways replaced by a release",
        {
            "gateway-old": {"up": "1x10 _x30", BUILD: "1x10 _x30", GATEWAY: "3x10 _x30"},
            "gateway-new": {"up": "_x11 1x30", BUILD: "_x11 1x30", GATEWAY: "_x11 0x30"},
        },
        frozenset(),
    ),
    Situation(
        "messages between subjects wait, no timer does",
        {"worker": {"up": "1x30", BUILD: "1x30", TIMERS: "0x30", MESSAGES: "0+60x30"}},
        frozenset({"TravelRuleTimersLate"}),
    ),
    Situation(
        "workers of three days never completed a check of the audit",
        {"worker": {"up": "1x80", BUILD: "1x80", ASSIGNED: "4x80"}},
        frozenset({"TravelRuleAuditNotVerified"}),
        at="72h",
        interval="1h",
    ),
    Situation(
        "workers of one day did not complete a check of the audit",
        {"worker": {"up": "1x80", BUILD: "1x80", ASSIGNED: "4x80"}},
        frozenset(),
        at="24h",
        interval="1h",
    ),
    Situation(
        "each day's release begins the check of the audit again",
        {
            "worker-1": {"up": "1x60 _x20", BUILD: "1x60 _x20", ASSIGNED: "4x60 _x20", VERIFIED: "_x40 144000x20 _x20"},
            "worker-2": {"up": "_x61 1x20", BUILD: "_x61 1x20", ASSIGNED: "_x61 4x20"},
        },
        frozenset(),
        at="72h",
        interval="1h",
    ),
)  # fmt: skip


def played(situation: Situation) -> dict[str, Any]:
    """One installation, a process per entry."""
    series = [
        {**one, "series": one["series"].replace('instance="north-0"', f'instance="{process}"')}
        for process, values in situation.processes.items()
        for one in series_of("north", values)
    ]
    question = 'group by (alertname) (ALERTS{alertstate="firing"})'
    samples = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(situation.fires)]
    return {
        "interval": situation.interval,
        "input_series": series,
        "promql_expr_test": [{"expr": question, "eval_time": situation.at, "exp_samples": samples}],
    }


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: one.name)
def test_the_right_alerts_fire_and_no_other(situation: Situation, tmp_path: Path) -> None:
    rule_files.write(tmp_path / "rules")
    content = {
        "rule_files": [str(path) for path in sorted((tmp_path / "rules").glob("*.yaml"))],
        "evaluation_interval": situation.interval,
        "tests": [played(situation)],
    }
    path = tmp_path / "situation.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    done = subprocess.run([promtool(), "test", "rules", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
