"""Dashboard of the protocol: the hub, each counterparty, our calls and the calls that we answer."""

from __future__ import annotations

from scripts.dashboards.promql import CHOSEN, highest, increase, lowest, quantile, rate, shared, total
from scripts.dashboards.specs import DashboardSpec, PanelQuery, PanelSpec, SectionSpec, stat

VASP = 'vasp=~"$vasp"'
DOWN_UP = {0: ("down", "red"), 1: ("up", "green")}
CLOSED_OPEN = {0: ("closed", "green"), 1: ("open", "red")}
ANSWERS = "travelrule_gateway_request_duration_seconds"
WITHIN_A_SECOND = f"""\
sum by (operation) (rate({ANSWERS}_bucket{{{CHOSEN}, le="1.0"}}[$__rate_interval])) \
/ sum by (operation) (rate({ANSWERS}_count{{{CHOSEN}}}[$__rate_interval]))"""
A_FAILED_CALL = "a call that failed"

NOW = SectionSpec(
    "Now",
    (
        stat(
            "Processes without the hub",
            "Processes that the hub does not answer. Calls wait and are repeated; nothing is lost.",
            PanelQuery(f"count ({highest('travelrule_hub_up', 'namespace, job, instance')} == 0) or vector(0)"),
            "short",
            (1, "red"),
        ),
        stat(
            "Age of the directory",
            "Time since the hub gave the list of VASPs with their health and keys.",
            PanelQuery(highest("travelrule_directory_age_seconds")),
            "s",
            (300, "orange"), (3600, "red"),
        ),
        stat(
            "Counterparties down",
            "VASPs that the hub reports as down.",
            PanelQuery(f"count ({lowest('travelrule_counterparty_up', 'vasp', VASP)} == 0) or vector(0)"),
            "short",
            (1, "orange"),
        ),
        stat(
            "Calls that wait over 10 minutes",
            "Calls to the hub that came due first more than ten minutes ago and are not complete.",
            PanelQuery(shared("travelrule_calls_waiting", matchers='age=~"1h|1d|more"')),
            "short",
            (1, "orange"), (100, "red"),
        ),
        stat(
            "Oldest call",
            "Time since the oldest call that is not complete came due first.",
            PanelQuery(highest("travelrule_oldest_call_seconds")),
            "s",
            (600, "orange"), (3600, "red"),
        ),
        stat(
            "Our key is listed",
            "Whether a valid key of ours is in the directory; otherwise members cannot reach us.",
            PanelQuery(lowest("travelrule_own_key_listed")),
            "bool_yes_no",
        ),
        stat(
            "Our VASP is up",
            "Whether the hub reaches our gateway and lists us as up; otherwise members send us nothing.",
            PanelQuery(lowest("travelrule_own_up")),
            "bool_yes_no",
        ),
    ),
)  # fmt: skip

COUNTERPARTIES = SectionSpec(
    "Counterparties",
    (
        PanelSpec(
            "Health of each counterparty",
            "Health as the hub reports it. Transfers to a VASP that is down wait.",
            (PanelQuery(lowest("travelrule_counterparty_up", "vasp", VASP), "{{vasp}}"),),
            kind="timeline",
            width=12,
            states=DOWN_UP,
        ),
        PanelSpec(
            "Circuits",
            "Open while a process makes at most one call at a time to a VASP because several in a row failed.",
            (PanelQuery(highest("travelrule_circuit_open", "vasp", VASP), "{{vasp}}", "calls in a row that failed"),),
            kind="timeline",
            width=12,
            states=CLOSED_OPEN,
        ),
        PanelSpec(
            "Transfers that a counterparty denied",
            "By counterparty and reason.",
            (
                PanelQuery(
                    increase("travelrule_denials_total", "vasp, reason", f'{VASP}, side="originating"'),
                    "{{vasp}} {{reason}}",
                    "a denial by a counterparty",
                ),
            ),
            kind="bars",
            width=12,
        ),
        PanelSpec(
            "Transfers that we denied",
            "By counterparty and reason.",
            (
                PanelQuery(
                    increase("travelrule_denials_total", "vasp, reason", f'{VASP}, side="beneficiary"'),
                    "{{vasp}} {{reason}}",
                    "a denial of ours",
                ),
            ),
            kind="bars",
            width=12,
        ),
        PanelSpec(
            "Keys",
            "Time until the last key of each VASP expires. Ours is the row with owner `own`.",
            (
                PanelQuery(
                    f"{highest('travelrule_key_expiry_timestamp_seconds', 'owner, vasp', VASP)} - time()",
                    "{{owner}} {{vasp}}",
                ),
            ),
            "s",
            "table",
            limits=((-1e12, "red"), (0, "orange"), (14 * 86400, "green")),
        ),
        PanelSpec(
            "Requests with a wrong key",
            "Requests with a key that is not the receiver's: `sent` by us with an outdated key, or `received`.",
            (PanelQuery(rate("travelrule_key_mismatches_total", "direction"), "{{direction}}"),),
            "reqps",
        ),
        PanelSpec(
            "Changes of the directory",
            "Changes between two lists of VASPs, by what changed.",
            (
                PanelQuery(
                    increase("travelrule_directory_changes_total", "change"), "{{change}}", "a change of the directory"
                ),
            ),
            kind="bars",
        ),
    ),
)

CALLS = SectionSpec(
    "Our calls",
    (
        PanelSpec(
            "Requests to the hub",
            "Signed requests, by operation.",
            (PanelQuery(rate("travelrule_hub_request_duration_seconds_count", "operation"), "{{operation}}"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Time of a request",
            "95 of 100 requests to the hub took at most so long, by operation.",
            (PanelQuery(quantile(0.95, "travelrule_hub_request_duration_seconds", "operation"), "{{operation}}"),),
            "s",
        ),
        PanelSpec(
            "Requests by outcome",
            "What came of the requests. Other outcomes than answers are repeated as the retry table says.",
            (PanelQuery(rate("travelrule_hub_request_duration_seconds_count", "outcome"), "{{outcome}}"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Attempts",
            "Attempts to make a call, by what came of them.",
            (PanelQuery(rate("travelrule_call_attempts_total", "outcome"), "{{outcome}}"),),
            "cps",
            stacked=True,
        ),
        PanelSpec(
            "Calls that wait",
            "Calls that are not complete, by the time since they came due first; `more` is over a day.",
            (PanelQuery(shared("travelrule_calls_waiting", "age"), "{{age}}"),),
            stacked=True,
        ),
        PanelSpec(
            "Calls due and running",
            "Calls that are due and not claimed, and those that processes make now. Due ones add up while workers lag.",
            (
                PanelQuery(shared("travelrule_calls_due"), "due"),
                PanelQuery(total("travelrule_calls_running"), "running"),
            ),
        ),
        PanelSpec(
            "Calls completed",
            "By outcome: answered, failed for good, or exhausted after every attempt was used up.",
            (PanelQuery(rate("travelrule_calls_completed_total", "outcome"), "{{outcome}}"),),
            "cps",
            width=12,
        ),
        PanelSpec(
            "Calls without a good end",
            "Calls that failed for good, and those whose attempts were used up, by operation.",
            (
                PanelQuery(
                    increase("travelrule_calls_completed_total", "operation, outcome", 'outcome="failed"'),
                    "{{operation}} {{outcome}}",
                    A_FAILED_CALL,
                ),
                PanelQuery(
                    increase("travelrule_calls_exhausted_total", "operation"), "{{operation}} exhausted", A_FAILED_CALL
                ),
            ),
            kind="bars",
            width=12,
        ),
    ),
)

GATEWAY = SectionSpec(
    "Calls that we answer",
    (
        PanelSpec(
            "Requests of the hub",
            "Requests to the gateway, by operation.",
            (PanelQuery(rate(f"{ANSWERS}_count", "operation"), "{{operation}}"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Time to answer",
            "99 of 100 requests were answered within so long, by operation. The protocol allows one second.",
            (PanelQuery(quantile(0.99, ANSWERS, "operation"), "{{operation}}"),),
            "s",
            limits=((1, "red"),),
        ),
        PanelSpec(
            "Answered within a second",
            "Share of the requests that were answered within a second, by operation.",
            (PanelQuery(WITHIN_A_SECOND, "{{operation}}"),),
            "percentunit",
        ),
        PanelSpec(
            "Results",
            "What the gateway answered.",
            (PanelQuery(rate(f"{ANSWERS}_count", "result"), "{{result}}"),),
            "reqps",
            stacked=True,
        ),
        PanelSpec(
            "Refused for a rate",
            "Requests of members that were refused because a rate was used up, by operation and rate.",
            (
                PanelQuery(
                    increase("travelrule_gateway_limited_total", "operation, reason"),
                    "{{operation}} {{reason}}",
                    "a member over its rate",
                ),
            ),
            kind="bars",
        ),
        PanelSpec(
            "Connections refused",
            "Connections that a listener refused or ended before a request was complete, by reason.",
            (
                PanelQuery(
                    increase("travelrule_connections_refused_total", "listener, reason"),
                    "{{listener}} {{reason}}",
                    "a refused connection",
                ),
            ),
            kind="bars",
        ),
    ),
)

EXCHANGES = SectionSpec(
    "Exchanges",
    (
        PanelSpec(
            "Open exchanges of our withdrawals",
            "Exchanges that have not reached an end, by protocol status. Those that stay are held or wait for a txid.",
            (PanelQuery(shared("travelrule_exchanges_open", "status", 'side="originating"'), "{{status}}"),),
            width=12,
            stacked=True,
        ),
        PanelSpec(
            "Open exchanges of others' withdrawals to us",
            "Exchanges that have not reached an end, by protocol status.",
            (PanelQuery(shared("travelrule_exchanges_open", "status", 'side="beneficiary"'), "{{status}}"),),
            width=12,
            stacked=True,
        ),
    ),
)

PROTOCOL = DashboardSpec(
    "protocol",
    "Travel Rule / Protocol",
    "The hub and each counterparty: health, keys, denials, our calls, the calls that we answer, open exchanges.",
    (NOW, COUNTERPARTIES, CALLS, GATEWAY, EXCHANGES),
    by_vasp=True,
)
