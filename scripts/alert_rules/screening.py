"""Alerts about sanctions lists and the screening of our own customers."""

from __future__ import annotations

from scripts.alert_rules.rule import AlertRule, counted, largest
from travelrule.policy.policy import Policy

LIST_SECONDS = int(Policy().time_limits.list_age)
"""The built-in policy's limit."""

ALERTS = (
    AlertRule(
        "TravelRuleListStale",
        "warning",
        f"{largest('travelrule_list_age_seconds', 'list')} > {LIST_SECONDS}",
        "A sanctions list is old",
        "List {{ $labels.list }} of {{ $labels.job }} is {{ $value | humanizeDuration }} old: who was listed since"
        " is not found.",
        hold="10m",
    ),
    AlertRule(
        "TravelRuleScreeningUnchecked",
        "critical",
        counted('travelrule_list_searches_total{outcome="unchecked"}', "15m"),
        "Parties were not searched for in the sanctions lists",
        "{{ $value | printf `%.0f` }} searches of {{ $labels.job }} found no list in use within 15 minutes.",
    ),
    AlertRule(
        "TravelRuleOwnersUnscreened",
        "warning",
        f"{largest('travelrule_owners_unscreened')} > 0",
        "Customers are not screened with the lists in force",
        "The owners of {{ $value }} wallets of {{ $labels.job }} have not been screened with the lists in force.",
        hold="1h",
    ),
)
