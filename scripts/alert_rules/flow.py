"""Alerts about events on their way: consumption, verdicts on hold, publication, dead letters."""

from __future__ import annotations

from scripts.alert_rules.rule import AlertRule, by, counted, largest

LAG_SECONDS = 300
STALLED_SECONDS = 60
"""Before the liveness probe fails and the process is restarted."""
BROKER_SECONDS = 120
UNSENT_SECONDS = 120
HELD_SECONDS = 3 * 86_400
HEARTBEAT_SECONDS = 120
TIMER_SECONDS = 120
FLOOD_RATIO = 0.05
FLOOD_MESSAGES = 20

_DEAD = largest("delta(travelrule_dead_letters_unresolved[15m])")
_RECORDS = f"sum {by()} (increase(travelrule_consumer_records_total[15m]))"

ALERTS = (
    AlertRule(
        "TravelRuleLagHigh",
        "critical",
        f"{largest('travelrule_consumer_lag_seconds', 'topic')} > AGE",
        "Events wait too long before they are decided",
        "The oldest event of topic {{ $labels.topic }} of {{ $labels.job }} is {{ $value | humanizeDuration }} old.",
        hold="5m",
        keep="5m",
        age=LAG_SECONDS,
    ),
    AlertRule(
        "TravelRuleLagGrows",
        "warning",
        f"{largest('delta(travelrule_consumer_lag_records[10m])', 'topic')} > 0"
        f" and {largest('travelrule_consumer_lag_records', 'topic')} > 100",
        "More events arrive than are decided",
        "Topic {{ $labels.topic }} of {{ $labels.job }} is further behind by {{ $value | printf `%.0f` }} records"
        " in ten minutes.",
        hold="15m",
        keep="5m",
    ),
    AlertRule(
        "TravelRulePartitionUnserved",
        "critical",
        f"{largest('travelrule_partitions_unserved', 'topic')} > 0",
        "Partitions of a topic have no worker",
        "{{ $value }} partitions of topic {{ $labels.topic }} are assigned to no worker of {{ $labels.job }}.",
        hold="3m",
    ),
    AlertRule(
        "TravelRuleConsumerStuck",
        "critical",
        f"{largest('travelrule_consumer_stalled_seconds', 'instance')} > AGE",
        "A worker holds events and decides none",
        "{{ $labels.instance }} of {{ $labels.job }} has acknowledged nothing for {{ $value | humanizeDuration }}.",
        age=STALLED_SECONDS,
    ),
    AlertRule(
        "TravelRuleBrokerSilent",
        "critical",
        f"{largest('travelrule_broker_answer_age_seconds', 'instance')} > AGE",
        "The broker does not answer a worker",
        "The broker last answered {{ $labels.instance }} of {{ $labels.job }} {{ $value | humanizeDuration }} ago:"
        " lag and partitions are as old as that.",
        hold="1m",
        age=BROKER_SECONDS,
    ),
    AlertRule(
        "TravelRuleRequestUnanswered",
        "critical",
        f"{largest('travelrule_requests_overdue', 'kind')} > 0",
        "A request of the platform has no verdict",
        "{{ $value }} requests of {{ $labels.job }} (kind {{ $labels.kind }}) have no verdict past the policy's limit.",
        hold="10m",
    ),
    AlertRule(
        "TravelRuleOutboxOld",
        "critical",
        f"{largest('travelrule_oldest_unsent_seconds')} > AGE",
        "Verdicts and other events are decided and not published",
        "The oldest unpublished event of {{ $labels.job }} is {{ $value | humanizeDuration }} old.",
        hold="1m",
        age=UNSENT_SECONDS,
    ),
    AlertRule(
        "TravelRuleEventsRefused",
        "critical",
        f"{largest('travelrule_outbox_refused')} > 0",
        "The broker refuses events for good",
        "{{ $value }} events of {{ $labels.job }} are kept as rows: the broker will never accept them as they are.",
    ),
    AlertRule(
        "TravelRuleDeadLetters",
        "warning",
        f"{largest('travelrule_dead_letters_unresolved')} > 0",
        "Messages could not be processed",
        "{{ $value }} dead letters of {{ $labels.job }} were not replayed.",
    ),
    AlertRule(
        "TravelRuleDeadLetterFlood",
        "critical",
        f"{_DEAD} > {FLOOD_MESSAGES} and {_DEAD} / {_RECORDS} > {FLOOD_RATIO}",
        "A large share of the platform's messages cannot be processed",
        "{{ $value | printf `%.0f` }} messages to {{ $labels.job }} became dead letters within 15 minutes.",
    ),
    AlertRule(
        "TravelRuleHeldLong",
        "warning",
        f"{largest('travelrule_oldest_held_seconds', 'kind', 'reason')} > AGE",
        "Transfers are on hold for days",
        "The oldest {{ $labels.kind }} of {{ $labels.job }} with reason {{ $labels.reason }} has been on hold for"
        " {{ $value | humanizeDuration }}.",
        hold="5m",
        age=HELD_SECONDS,
    ),
    AlertRule(
        "TravelRuleHeartbeatLate",
        "critical",
        f"time() - {largest('travelrule_heartbeat_timestamp_seconds', 'instance')} > AGE",
        "A process commits nothing",
        "The last heartbeat that {{ $labels.instance }} of {{ $labels.job }} committed is"
        " {{ $value | humanizeDuration }} old.",
        hold="1m",
        age=HEARTBEAT_SECONDS,
    ),
    AlertRule(
        "TravelRuleTimersLate",
        "critical",
        f"{largest('travelrule_oldest_timer_seconds')} > AGE or {largest('travelrule_oldest_message_seconds')} > AGE",
        "Timers that came due have no effect",
        "The oldest due timer, or message between subjects, of {{ $labels.job }} has waited for"
        " {{ $value | humanizeDuration }}: limits are not kept.",
        hold="5m",
        age=TIMER_SECONDS,
    ),
    AlertRule(
        "TravelRuleOperatorAlert",
        "critical",
        counted('travelrule_operator_alerts_total{severity="critical"}', "15m"),
        "The program requires an operator",
        "{{ $labels.job }} raised {{ $value | printf `%.0f` }} critical alerts on its topic alerts within 15 minutes.",
    ),
)
