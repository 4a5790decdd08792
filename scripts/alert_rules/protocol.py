"""Alerts about the hub and the counterparties: connection, calls, directory, keys."""

from __future__ import annotations

from scripts.alert_rules.rule import AlertRule, counted, largest

STALE_SECONDS = 300
DAY = 86_400
CALL_SECONDS = 2 * 3600
_OWN = 'min by (namespace, job) (travelrule_key_expiry_timestamp_seconds{owner="own"})'
_THEIRS = 'min by (namespace, job, vasp) (travelrule_key_expiry_timestamp_seconds{owner!="own"})'

ALERTS = (
    AlertRule(
        "TravelRuleHubDown",
        "critical",
        "min by (namespace, job) (travelrule_hub_up) == 0",
        "The hub does not answer",
        "A process of {{ $labels.job }} had three failures of the hub in a row. Withdrawals are on hold and continue by"
        " themselves when it answers.",
        hold="1m",
    ),
    AlertRule(
        "TravelRuleCircuitOpen",
        "warning",
        f"{largest('travelrule_circuit_open', 'vasp')} == 1",
        "A counterparty does not answer",
        "The circuit of {{ $labels.vasp }} in {{ $labels.job }} is open: one call at a time tries it.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleCallsExhausted",
        "warning",
        counted("travelrule_calls_exhausted_total", "15m", "operation"),
        "Calls ended without an answer",
        "{{ $labels.job }} no longer repeats {{ $value | printf `%.0f` }} calls of operation {{ $labels.operation }}.",
    ),
    AlertRule(
        "TravelRuleCallsOld",
        "warning",
        f"{largest('travelrule_oldest_call_seconds')} > AGE",
        "Calls to the hub are not complete after hours",
        "The oldest call of {{ $labels.job }} came due {{ $value | humanizeDuration }} ago.",
        hold="10m",
        age=CALL_SECONDS,
    ),
    AlertRule(
        "TravelRuleDirectoryStale",
        "critical",
        f"{largest('travelrule_directory_age_seconds')} > AGE",
        "The list of VASPs is too old: nothing is sent to any counterparty",
        "{{ $labels.job }} has had no list of VASPs for {{ $value | humanizeDuration }}.",
        hold="1m",
        age=STALE_SECONDS,
    ),
    AlertRule(
        "TravelRuleOwnKeyExpiring",
        "critical",
        f"{_OWN} - time() < {3 * DAY}",
        "Our key in the directory expires within three days",
        "The last key of {{ $labels.job }} in the directory expires in {{ $value | humanizeDuration }}.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleOwnKeyExpiring",
        "warning",
        f"{_OWN} - time() < {14 * DAY}",
        "Our key in the directory expires within two weeks",
        "The last key of {{ $labels.job }} in the directory expires in {{ $value | humanizeDuration }}.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleOwnKeyNotListed",
        "critical",
        "min by (namespace, job) (travelrule_own_key_listed) == 0",
        "The directory lists none of our keys: members cannot reach us",
        "No valid key that the directory lists for {{ $labels.job }} is in its SIGNING_KEY.",
        hold="2m",
    ),
    AlertRule(
        "TravelRuleOwnVaspDown",
        "critical",
        "min by (namespace, job) (travelrule_own_up) == 0",
        "The hub lists our VASP as down: members send us nothing",
        "The hub does not reach the gateway of {{ $labels.job }} at its public address.",
        hold="5m",
    ),
    AlertRule(
        "TravelRuleCounterpartyKeyExpiring",
        "warning",
        f"{_THEIRS} - time() < {2 * DAY}",
        "A counterparty's last key expires within two days",
        "The last key of {{ $labels.vasp }} in the directory of {{ $labels.job }} expires in"
        " {{ $value | humanizeDuration }}.",
        hold="5m",
    ),
)
