"""For each alert and severity: series on which it fires, and the same series with values on which it stays quiet.

Values are in promtool's notation (``0+1x10``: from 0 in steps of 1, ten more). ``job`` and ``instance`` are added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scripts.alert_rules import objectives

Values = Mapping[str, str]


@dataclass(frozen=True)
class RuleCase:
    """``bad`` and ``good`` name the same series. ``labels``: what the alert has besides severity and job.

    ``at`` is when it is looked at, ``interval`` the time between two samples.
    """

    alert: str
    severity: str
    bad: Values
    good: Values
    labels: Values = field(default_factory=dict)
    at: str = "20m"
    interval: str = "1m"


VERDICTS = "travelrule_verdict_limit_total"
SLO = {one.alert: one.slo for one in objectives.OBJECTIVES}
GATEWAY = "travelrule_gateway_request_duration_seconds"
HUB = "travelrule_hub_request_duration_seconds_count"
BUCKETS = ("0.1", "0.25", "0.5", "1.0", "+Inf")


def buckets(name: str, *values: str) -> dict[str, str]:
    """Series of a histogram with these buckets."""
    return {f'{name}_bucket{{le="{bound}"}}': value for bound, value in zip(BUCKETS, values, strict=True)}


def gateway(slow: int) -> dict[str, str]:
    """Of a thousand requests per sample so many take longer than 0.9 seconds."""
    labels = 'operation="address-verification",result="valid"'
    return {
        f"{GATEWAY}_count{{{labels}}}": "0+1000x200",
        f'{GATEWAY}_bucket{{{labels},le="0.9"}}': f"0+{1000 - slow}x200",
    }


def callbacks(failed: int) -> dict[str, str]:
    """Of a thousand callbacks per sample so many are not stored."""
    count = f"{GATEWAY}_count"
    return {
        f'{count}{{operation="kyt-callback",result="stored"}}': f"0+{1000 - failed}x200",
        f'{count}{{operation="kyt-callback",result="VASP_BACKEND_INTERNAL_ERROR"}}': f"0+{failed}x200",
    }


def hub(failed: int) -> dict[str, str]:
    """Of a thousand requests per sample so many have no answer; a hundred refusals are no failures."""
    return {
        f'{HUB}{{operation="finish",outcome="answered"}}': f"0+{900 - failed}x200",
        f'{HUB}{{operation="finish",outcome="refused"}}': "0+100x200",
        f'{HUB}{{operation="finish",outcome="no-answer"}}': f"0+{failed}x200",
    }


def verdicts(missed: int) -> dict[str, str]:
    """Of a thousand verdicts per sample so many are late."""
    return {
        f'{VERDICTS}{{kind="withdrawal",result="met"}}': f"0+{1000 - missed}x200",
        f'{VERDICTS}{{kind="withdrawal",result="missed"}}': f"0+{missed}x200",
    }


def _slow(alert: str, severity: str, bad: Values, good: Values) -> RuleCase:
    return RuleCase(alert, severity, bad, good, {"slo": SLO[alert]}, at="2h", interval="4m")


OBJECTIVES = (
    _slow("TravelRuleVerdictsLate", "critical", verdicts(200), verdicts(40)),
    _slow("TravelRuleVerdictsLate", "warning", verdicts(40), verdicts(5)),
    _slow("TravelRuleGatewaySlow", "critical", gateway(20), gateway(4)),
    _slow("TravelRuleGatewaySlow", "warning", gateway(4), gateway(0)),
    _slow("TravelRuleCallbacksFail", "critical", callbacks(200), callbacks(40)),
    _slow("TravelRuleCallbacksFail", "warning", callbacks(40), callbacks(5)),
    _slow("TravelRuleCallsFail", "critical", hub(200), hub(40)),
    _slow("TravelRuleCallsFail", "warning", hub(40), hub(5)),
)

LAG = 'travelrule_consumer_lag_seconds{topic="withdrawals"}'
RECORDS = 'travelrule_consumer_lag_records{topic="withdrawals"}'
UNRESOLVED = "travelrule_dead_letters_unresolved"
TAKEN = 'travelrule_consumer_records_total{topic="withdrawals"}'
HELD = 'travelrule_oldest_held_seconds{kind="withdrawal",reason="INFORMATION_INCOMPLETE"}'
TOPIC = {"topic": "withdrawals"}

FLOW = (
    RuleCase("TravelRuleLagHigh", "critical", {LAG: "301x30"}, {LAG: "299x30"}, TOPIC),
    RuleCase("TravelRuleLagGrows", "warning", {RECORDS: "0+20x60"}, {RECORDS: "500x60"}, TOPIC, at="40m"),
    RuleCase(
        "TravelRulePartitionUnserved",
        "critical",
        {'travelrule_partitions_unserved{topic="withdrawals"}': "1x30"},
        {'travelrule_partitions_unserved{topic="withdrawals"}': "1 1 0x30"},
        TOPIC,
    ),
    RuleCase(
        "TravelRuleConsumerStuck",
        "critical",
        {"travelrule_consumer_stalled_seconds": "0+5x30"},
        {"travelrule_consumer_stalled_seconds": "0 30 0x30"},
        {"instance": "north-0"},
    ),
    RuleCase(
        "TravelRuleBrokerSilent",
        "critical",
        {"travelrule_broker_answer_age_seconds": "0+60x30"},
        {"travelrule_broker_answer_age_seconds": "5x30"},
        {"instance": "north-0"},
    ),
    RuleCase(
        "TravelRuleRequestUnanswered",
        "critical",
        {'travelrule_requests_overdue{kind="withdrawal"}': "0 2x30"},
        {'travelrule_requests_overdue{kind="withdrawal"}': "0 2x5 0x30"},
        {"kind": "withdrawal"},
    ),
    RuleCase(
        "TravelRuleOutboxOld",
        "critical",
        {"travelrule_oldest_unsent_seconds": "0+60x30"},
        {"travelrule_oldest_unsent_seconds": "60x30"},
    ),
    RuleCase(
        "TravelRuleEventsRefused",
        "critical",
        {"travelrule_outbox_refused": "1x30"},
        {"travelrule_outbox_refused": "0x30"},
    ),
    RuleCase("TravelRuleDeadLetters", "warning", {UNRESOLVED: "1x30"}, {UNRESOLVED: "0x30"}),
    RuleCase(
        "TravelRuleDeadLetterFlood",
        "critical",
        {UNRESOLVED: "0+10x30", TAKEN: "0+100x30"},
        {UNRESOLVED: "0+10x30", TAKEN: "0+1000x30"},
    ),
    RuleCase(
        "TravelRuleHeldLong",
        "warning",
        {HELD: "260000x30"},
        {HELD: "200000x30"},
        {"kind": "withdrawal", "reason": "INFORMATION_INCOMPLETE"},
    ),
    RuleCase(
        "TravelRuleHeartbeatLate",
        "critical",
        {"travelrule_heartbeat_timestamp_seconds": "0 60 60x30"},
        {"travelrule_heartbeat_timestamp_seconds": "0+60x30"},
        {"instance": "north-0"},
    ),
    RuleCase(
        "TravelRuleTimersLate",
        "critical",
        {"travelrule_oldest_timer_seconds": "0+60x30", "travelrule_oldest_message_seconds": "0x30"},
        {"travelrule_oldest_timer_seconds": "0 60 120 180 240 0x30", "travelrule_oldest_message_seconds": "0x30"},
    ),
    RuleCase(
        "TravelRuleOperatorAlert",
        "critical",
        {'travelrule_operator_alerts_total{severity="critical"}': "0x10 1x20"},
        {'travelrule_operator_alerts_total{severity="critical"}': "1x30"},
    ),
)

EXPIRY = "travelrule_key_expiry_timestamp_seconds"
OWN_KEY = f'{EXPIRY}{{vasp="north",owner="own"}}'
OTHER_KEY = f'{EXPIRY}{{vasp="south",owner="counterparty"}}'
CIRCUIT = 'travelrule_circuit_open{vasp="south"}'
EXHAUSTED = 'travelrule_calls_exhausted_total{operation="finish"}'

PROTOCOL = (
    RuleCase("TravelRuleHubDown", "critical", {"travelrule_hub_up": "1 0x30"}, {"travelrule_hub_up": "0 1x30"}),
    RuleCase("TravelRuleCircuitOpen", "warning", {CIRCUIT: "1x30"}, {CIRCUIT: "1 1 0x30"}, {"vasp": "south"}),
    RuleCase(
        "TravelRuleCallsExhausted", "warning", {EXHAUSTED: "_x10 1x20"}, {EXHAUSTED: "1x30"}, {"operation": "finish"}
    ),
    RuleCase(
        "TravelRuleCallsOld",
        "warning",
        {"travelrule_oldest_call_seconds": "7300x30"},
        {"travelrule_oldest_call_seconds": "7100x30"},
    ),
    RuleCase(
        "TravelRuleDirectoryStale",
        "critical",
        {"travelrule_directory_age_seconds": "0+60x30"},
        {"travelrule_directory_age_seconds": "25x30"},
    ),
    RuleCase("TravelRuleOwnKeyExpiring", "critical", {OWN_KEY: "200000x30"}, {OWN_KEY: "300000x30"}),
    RuleCase("TravelRuleOwnKeyExpiring", "warning", {OWN_KEY: "1200000x30"}, {OWN_KEY: "1300000x30"}),
    RuleCase(
        "TravelRuleOwnKeyNotListed",
        "critical",
        {"travelrule_own_key_listed": "1 0x30"},
        {"travelrule_own_key_listed": "0 1x30"},
    ),
    RuleCase("TravelRuleOwnVaspDown", "critical", {"travelrule_own_up": "1 0x30"}, {"travelrule_own_up": "1 0x4 1x30"}),
    RuleCase(
        "TravelRuleCounterpartyKeyExpiring",
        "warning",
        {OTHER_KEY: "170000x30"},
        {OTHER_KEY: "180000x30"},
        {"vasp": "south"},
    ),
)

LIST = 'travelrule_list_age_seconds{list="OWN"}'
SEARCHES = 'travelrule_list_searches_total{outcome="unchecked"}'

SCREENING = (
    RuleCase("TravelRuleListStale", "warning", {LIST: "605000x30"}, {LIST: "604000x30"}, {"list": "OWN"}),
    RuleCase("TravelRuleScreeningUnchecked", "critical", {SEARCHES: "0x10 2x20"}, {SEARCHES: "2x30"}),
    RuleCase(
        "TravelRuleOwnersUnscreened",
        "warning",
        {"travelrule_owners_unscreened": "5x100"},
        {"travelrule_owners_unscreened": "5x30 0x70"},
        at="90m",
    ),
)

BUILD = 'travelrule_build_info{version="1.0.0",python="3.11"}'
ASSIGNED = 'travelrule_partitions_assigned{topic="withdrawals"}'
GATES = 'travelrule_connections_open{listener="gateway"}'
FAILURES = 'travelrule_job_failures_total{periodic_job="timers"}'
SUCCESS = 'travelrule_job_last_success_timestamp_seconds{periodic_job="timers"}'
WAIT = "travelrule_database_wait_seconds"
LOOP = "travelrule_event_loop_lag_seconds"
ONE_JOB = {"periodic_job": "timers"}

RUNTIME = (
    RuleCase(
        "TravelRuleTargetDown",
        "warning",
        {"up": "1x5 0x30", BUILD: "1x5 _x30"},
        {"up": "1x5 0 1x30", BUILD: "1x5 _ 1x30"},
        {"instance": "north-0"},
    ),
    RuleCase("TravelRuleNoProcess", "critical", {"up": "1x5 _x30", BUILD: "1x5 _x30"}, {"up": "1x40", BUILD: "1x40"}),
    RuleCase(
        "TravelRuleWorkerAbsent", "critical", {"up": "1x40", ASSIGNED: "4x5 _x30"}, {"up": "1x40", ASSIGNED: "4x40"}
    ),
    RuleCase("TravelRuleGatewayAbsent", "critical", {"up": "1x40", GATES: "0x5 _x30"}, {"up": "1x40", GATES: "0x40"}),
    RuleCase("TravelRuleJobFailing", "warning", {FAILURES: "0+1x30"}, {FAILURES: "0x5 4x30"}, ONE_JOB),
    RuleCase("TravelRuleJobLate", "warning", {SUCCESS: "60x40"}, {SUCCESS: "0+60x40"}, ONE_JOB, at="30m"),
    RuleCase(
        "TravelRuleDatabasePoolExhausted",
        "warning",
        buckets(WAIT, "0+90x30", "0+90x30", "0+90x30", "0+100x30", "0+100x30"),
        buckets(WAIT, "0+96x30", "0+100x30", "0+100x30", "0+100x30", "0+100x30"),
        {"instance": "north-0"},
    ),
    RuleCase(
        "TravelRuleEventLoopBlocked",
        "warning",
        buckets(LOOP, "0+50x30", "0+50x30", "0+100x30", "0+100x30", "0+100x30"),
        buckets(LOOP, "0+99x30", "0+100x30", "0+100x30", "0+100x30", "0+100x30"),
        {"instance": "north-0"},
    ),
    RuleCase(
        "TravelRuleAuditBroken", "critical", {"travelrule_audit_faults": "0 1x30"}, {"travelrule_audit_faults": "0x30"}
    ),
    RuleCase(
        "TravelRuleAuditNotVerified",
        "warning",
        {"travelrule_audit_verified_timestamp_seconds": "0x60"},
        {"travelrule_audit_verified_timestamp_seconds": "0+3600x60"},
        at="50h",
        interval="1h",
    ),
)

CASES = (*OBJECTIVES, *FLOW, *PROTOCOL, *SCREENING, *RUNTIME)
