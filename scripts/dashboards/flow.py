"""Dashboard of the flow: what the platform sends and gets, how old it is, what is held and why."""

from __future__ import annotations

from scripts.dashboards.promql import CHOSEN, highest, increase, quantile, rate, shared
from scripts.dashboards.specs import DashboardSpec, PanelQuery, PanelSpec, SectionSpec, stat

VERDICT_COLORS = {
    "allow": "green", "hold": "orange", "deny": "red", "clean": "light-green", "suspicious": "yellow",
    "malicious": "purple",
}  # fmt: skip
LIMIT = "travelrule_verdict_limit_total"
MET = f'sum (increase({LIMIT}{{{CHOSEN}, result="met"}}[$__range])) / sum (increase({LIMIT}{{{CHOSEN}}}[$__range]))'
FIRING = 'max by (alertname, severity) (ALERTS{alertstate="firing", alertname=~"TravelRule.+", job=~"$job"})'
A_HOLD = "a subject on hold"

NOW = SectionSpec(
    "Now",
    (
        stat(
            "Verdicts within the limit",
            "Share of the first verdicts, over the time shown, that came within `time_limits.verdict` of the policy.",
            PanelQuery(MET, empty_without="a first verdict in the time shown"),
            "percentunit",
            (0.0, "red"), (0.99, "orange"), (0.999, "green"),
        ),
        stat(
            "Requests without verdict",
            "Requests of the platform without a verdict. A number that stays means that inputs are not processed.",
            PanelQuery(shared("travelrule_requests_unanswered")),
            "short",
        ),
        stat(
            "Oldest without verdict",
            "Age of the oldest request without any verdict.",
            PanelQuery(highest("travelrule_oldest_unanswered_seconds")),
            "s",
            (30, "orange"), (120, "red"),
        ),
        stat(
            "Consumer lag",
            "Age of the oldest event of any input topic that the group has not committed.",
            PanelQuery(highest("travelrule_consumer_lag_seconds")),
            "s",
            (30, "orange"), (120, "red"),
        ),
        stat(
            "Oldest unsent event",
            "Age of the oldest outgoing event that Kafka has not confirmed: verdicts that the platform does not have.",
            PanelQuery(highest("travelrule_oldest_unsent_seconds")),
            "s",
            (10, "orange"), (60, "red"),
        ),
        stat(
            "Unresolved dead letters",
            "Messages that could not be processed and were not replayed: `travelrule dead-letters list`.",
            PanelQuery(shared("travelrule_dead_letters_unresolved")),
            "short",
            (1, "orange"),
        ),
        PanelSpec(
            "Alerts firing",
            "Alerts of the rule files that are firing. Each has a runbook of the same name.",
            (
                PanelQuery(
                    FIRING,
                    "{{alertname}} ({{severity}})",
                    empty_without="a firing alert",
                ),
            ),
            kind="timeline",
            width=24,
            height=5,
            states={1: ("firing", "red")},
        ),
    ),
)  # fmt: skip

IN = SectionSpec(
    "In",
    (
        PanelSpec(
            "Records taken from Kafka",
            "Records that the workers took, by topic.",
            (PanelQuery(rate("travelrule_consumer_records_total", "topic"), "{{topic}}"),),
            "cps",
        ),
        PanelSpec(
            "Inputs by source",
            "Inputs that were decided on: events of the platform, requests of the hub, results of calls, timers.",
            (PanelQuery(rate("travelrule_inputs_total", "source"), "{{source}}"),),
            "cps",
            stacked=True,
        ),
        PanelSpec(
            "Inputs by outcome",
            "`applied` changed a subject; the others are repetitions, refusals and inputs that wait for their subject.",
            (PanelQuery(rate("travelrule_inputs_total", "outcome"), "{{outcome}}"),),
            "cps",
            stacked=True,
        ),
        PanelSpec(
            "Lag in seconds",
            "Age of the oldest event that is not committed, by topic. It rises evenly while a topic is not processed.",
            (PanelQuery(highest("travelrule_consumer_lag_seconds", "topic"), "{{topic}}"),),
            "s",
            width=12,
        ),
        PanelSpec(
            "Lag in records",
            "Records behind the committed offsets of the whole group, by topic.",
            (PanelQuery(shared("travelrule_consumer_lag_records", "topic"), "{{topic}}"),),
            width=12,
        ),
    ),
)

VERDICTS = SectionSpec(
    "Verdicts",
    (
        PanelSpec(
            "Verdicts written",
            "Verdict events, by verdict.",
            (PanelQuery(rate("travelrule_verdicts_total", "verdict"), "{{verdict}}"),),
            "cps",
            stacked=True,
            colors=VERDICT_COLORS,
        ),
        PanelSpec(
            "Time to verdict",
            "From the time of the platform's event to the verdict, whatever was asked of others in between.",
            tuple(
                PanelQuery(quantile(share, "travelrule_input_age_seconds"), f"p{share * 100:g}")
                for share in (0.5, 0.95, 0.99)
            ),
            "s",
        ),
        PanelSpec(
            "Distribution of the time to verdict",
            "Verdicts per second in each class of the time to verdict; two bands are normal: answered at once, asked.",
            (PanelQuery(rate("travelrule_input_age_seconds_bucket", "le"), "{{le}}"),),
            "s",
            "heatmap",
        ),
        PanelSpec(
            "First verdicts by limit",
            "First verdicts about a request, by kind, within `time_limits.verdict` (`met`) or later (`missed`).",
            (PanelQuery(rate(LIMIT, "kind, result"), "{{kind}} {{result}}"),),
            "cps",
        ),
        PanelSpec(
            "On hold by reason",
            "Subjects whose verdict is `hold`, by its first reason.",
            (PanelQuery(shared("travelrule_held_subjects", "kind, reason"), "{{kind}} {{reason}}", A_HOLD),),
            stacked=True,
        ),
        PanelSpec(
            "Oldest on hold",
            "Time since the request of the oldest subject on hold, by its first reason.",
            (PanelQuery(highest("travelrule_oldest_held_seconds", "kind, reason"), "{{kind}} {{reason}}", A_HOLD),),
            "s",
        ),
        PanelSpec(
            "Holds and denials",
            "Verdicts that stop a transfer, by verdict and first reason.",
            (
                PanelQuery(
                    increase("travelrule_verdicts_total", "verdict, reason", 'verdict=~"hold|deny"'),
                    "{{verdict}} {{reason}}",
                    "a hold or a denial",
                ),
            ),
            kind="bars",
            width=16,
        ),
        PanelSpec(
            "Without any verdict",
            "Requests without a verdict, by kind, and those past `time_limits.verdict` of the policy (`overdue`).",
            (
                PanelQuery(shared("travelrule_requests_unanswered", "kind"), "{{kind}}"),
                PanelQuery(shared("travelrule_requests_overdue", "kind"), "{{kind}} overdue"),
            ),
        ),
    ),
)

OUT = SectionSpec(
    "Out",
    (
        PanelSpec(
            "Events published",
            "Events that Kafka confirmed (`sent`), refused for good, or did not take and that are repeated (`failed`).",
            (PanelQuery(rate("travelrule_published_total", "topic, outcome"), "{{topic}} {{outcome}}"),),
            "cps",
        ),
        PanelSpec(
            "Time to publish",
            "From the first attempt to publish an event to Kafka's answer, 99 of 100 events.",
            (PanelQuery(quantile(0.99, "travelrule_publish_duration_seconds", "topic"), "{{topic}}"),),
            "s",
        ),
        PanelSpec(
            "Outbox",
            "Events that Kafka has not confirmed, and those that it will never take.",
            (
                PanelQuery(shared("travelrule_outbox_unsent"), "unsent"),
                PanelQuery(shared("travelrule_outbox_refused"), "refused"),
            ),
            colors={"refused": "red"},
        ),
    ),
)

LEFT = SectionSpec(
    "Not processed",
    (
        PanelSpec(
            "Dead letters",
            "Messages that could not be processed, by code. Each is on topic `deadletters` with the field and the fix.",
            (PanelQuery(increase("travelrule_dead_letters_total", "code"), "{{code}}", "a broken message"),),
            kind="bars",
        ),
        PanelSpec(
            "Operator alerts",
            "Events on topic `alerts`, by code. Each code has a runbook.",
            (PanelQuery(increase("travelrule_alerts_total", "code"), "{{code}}", "an alert"),),
            kind="bars",
        ),
        PanelSpec(
            "Waiting inside",
            "Inputs that wait for their subject, messages between subjects, timers that are due: near zero when idle.",
            (
                PanelQuery(shared("travelrule_parked_inputs"), "parked inputs"),
                PanelQuery(shared("travelrule_messages_waiting"), "messages"),
                PanelQuery(shared("travelrule_timers_overdue"), "timers"),
            ),
        ),
        PanelSpec(
            "Age of what waits",
            "The oldest of each kind. A dead letter grows old until it is replayed or retention removes it.",
            (
                PanelQuery(highest("travelrule_oldest_message_seconds"), "message"),
                PanelQuery(highest("travelrule_oldest_timer_seconds"), "timer"),
                PanelQuery(highest("travelrule_oldest_dead_letter_seconds"), "dead letter"),
            ),
            "s",
            width=12,
        ),
        PanelSpec(
            "Alerts by severity",
            "Events on topic `alerts`, by severity.",
            (PanelQuery(increase("travelrule_operator_alerts_total", "severity"), "{{severity}}", "an alert"),),
            kind="bars",
            width=12,
            colors={"warning": "orange", "critical": "red"},
        ),
    ),
)

FLOW = DashboardSpec(
    "flow",
    "Travel Rule / Flow",
    "What the platform sends and gets: rates, ages, holds by reason, dead letters.",
    (NOW, IN, VERDICTS, OUT, LEFT),
)
