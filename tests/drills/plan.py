"""Which drills there are, and which alerts each raises."""

from __future__ import annotations

from tests.drills import counterparties, events, outages, records
from tests.drills.drill import Drill

_ALL = (
    Drill(
        "hub-killed",
        outages.hub_killed,
        ("TravelRuleHubDown", "TravelRuleDirectoryStale", "TravelRuleCallsFail"),
        {"travelrule doctor": r"(?m)^.*hub.*$"},
    ),
    Drill(
        "broker-frozen",
        outages.broker_frozen,
        ("TravelRuleOutboxOld", "TravelRuleBrokerSilent"),
        {"travelrule topics apply --check": "broker"},
    ),
    Drill(
        "table-locked",
        outages.table_locked,
        (
            "TravelRuleLagHigh",
            "TravelRuleLagGrows",
            "TravelRuleConsumerStuck",
            "TravelRuleHeartbeatLate",
        ),
    ),
    Drill(
        "database-stopped",
        outages.database_stopped,
        ("TravelRuleJobFailing", "TravelRuleJobLate"),
        {"travelrule doctor": "database"},
    ),
    Drill("database-frozen", outages.database_frozen, ("TravelRuleDatabasePoolExhausted",)),
    Drill("members-removed", outages.members_removed, ("TravelRulePartitionUnserved",)),
    Drill(
        "gateway-killed",
        outages.gateway_killed,
        ("TravelRuleTargetDown", "TravelRuleGatewayAbsent", "TravelRuleOwnVaspDown"),
    ),
    Drill("worker-killed", outages.worker_killed, ("TravelRuleWorkerAbsent",)),
    Drill("everything-killed", outages.everything_killed, ("TravelRuleNoProcess",)),
    Drill("worker-throttled", outages.worker_throttled, ("TravelRuleEventLoopBlocked",)),
    Drill(
        "topic-too-small",
        events.topic_too_small,
        ("TravelRuleEventsRefused", "TravelRuleOperatorAlert"),
        {"travelrule topics apply --check": "max.message.bytes"},
    ),
    Drill(
        "decisions-refused",
        events.decisions_refused,
        ("TravelRuleDeadLetters", "TravelRuleDeadLetterFlood"),
        {"travelrule dead-letters list --waiting": "NOT_VERIFIED"},
    ),
    Drill("customer-silent", events.customer_silent, ("TravelRuleHeldLong",), seconds=180),
    Drill("own-key-expiring", counterparties.own_key_expiring, ("TravelRuleOwnKeyExpiring",)),
    Drill("own-key-replaced", counterparties.own_key_replaced, ("TravelRuleOwnKeyNotListed",)),
    Drill("their-key-expiring", counterparties.their_key_expiring, ("TravelRuleCounterpartyKeyExpiring",)),
    Drill(
        "counterparty-silent",
        counterparties.counterparty_silent,
        ("TravelRuleCircuitOpen", "TravelRuleCallsOld"),
    ),
    Drill("one-unanswered", counterparties.one_unanswered, ("TravelRuleCallsExhausted",)),
    Drill("gateway-locked", counterparties.gateway_locked, ("TravelRuleGatewaySlow", "TravelRuleCallbacksFail")),
    Drill(
        "counterparty-slow", counterparties.counterparty_slow, ("TravelRuleVerdictsLate", "TravelRuleRequestUnanswered")
    ),
    Drill("list-old", records.list_old, ("TravelRuleListStale",), {"travelrule doctor": r"\bun\b"}),
    Drill(
        "list-incomplete",
        records.list_incomplete,
        ("TravelRuleScreeningUnchecked", "TravelRuleOwnersUnscreened"),
        seconds=180,
    ),
    Drill(
        "audit-changed",
        records.audit_changed,
        ("TravelRuleAuditBroken",),
        {"travelrule audit verify": "withdrawal:"},
        seconds=600,
    ),
    Drill("timers-held", records.timers_held, ("TravelRuleTimersLate",), seconds=180),
    Drill("audit-locked", records.audit_locked, ("TravelRuleAuditNotVerified",), seconds=240),
)

DRILLS = {drill.name: drill for drill in _ALL}

SHORT = ("hub-killed", "members-removed", "gateway-killed", "topic-too-small", "list-old", "timers-held")
"""One of each kind, for a run that has no time for all of them: hub, group, process, broker, age, timer."""
