"""Service level objectives as burn rates over several windows: the shape of sloth's rules.

Each objective records its error ratio over eight windows. A page needs a fast burn in a long and in a short window, so
that it begins soon and ends soon; a ticket needs a slow one. With few events a single late one is a large ratio: an
alert also needs more than ``EVENTS_MIN`` bad events within its longest window.
"""

from __future__ import annotations

from dataclasses import dataclass

from scripts.alert_rules.rule import INSTALLATION, AlertRule, RecordingRule, RuleGroup, Severity, by

WINDOWS = ("5m", "30m", "1h", "2h", "6h", "1d", "3d")
PERIOD = "30d"
EVENTS_MIN = 2


@dataclass(frozen=True, slots=True)
class BurnRate:
    """Two pairs of windows, each (short, long, factor of the budget's even consumption)."""

    severity: Severity
    pairs: tuple[tuple[str, str, float], tuple[str, str, float]]


BURN_RATES = (
    BurnRate("critical", (("5m", "1h", 14.4), ("30m", "6h", 6))),
    BurnRate("warning", (("2h", "1d", 3), ("6h", "3d", 1))),
)


@dataclass(frozen=True, slots=True)
class Objective:
    """``good`` is the share that has to be good, in percent. ``bad`` and ``all`` are selectors of counters: events that
    missed, and all events; ``within`` is a selector of those that are good, if ``bad`` cannot be selected.
    """

    slo: str
    good: float
    alert: str
    summary: str
    description: str
    all: str
    bad: str = ""
    within: str = ""

    @property
    def budget(self) -> float:
        """The share of events that may be bad."""
        return round((100 - self.good) / 100, 6)

    def failures(self, function: str, window: str) -> str:
        """Return the bad events of a window by a function of counters; 0 where there were only good ones."""
        everything = f"sum {by()} ({function}({self.all}[{window}]))"
        if self.within:
            return f"({everything} - sum {by()} ({function}({self.within}[{window}])))"
        return f"(sum {by()} ({function}({self.bad}[{window}])) or 0 * {everything})"

    def ratio(self, window: str) -> str:
        """Return the error ratio of a window; no value where nothing happened."""
        return f"{self.failures('rate', window)} / (sum {by()} (rate({self.all}[{window}])) > 0)"


OBJECTIVES = (
    Objective(
        "travelrule-verdicts",
        99,
        "TravelRuleVerdictsLate",
        "Verdicts are later than the policy allows",
        "verdicts of {{ $labels.job }} missed the limit of the policy",
        all="travelrule_verdict_limit_total",
        bad='travelrule_verdict_limit_total{result="missed"}',
    ),
    # The hub waits a second for an address or TXID search. After 0.9 the gateway answers negative by itself: the answer
    # is in time and says nothing about the customer, so it counts as bad.
    Objective(
        "travelrule-gateway",
        99.9,
        "TravelRuleGatewaySlow",
        "The gateway answers requests of the hub late or not at all",
        "requests to {{ $labels.job }} took longer than 0.9 seconds or ended in an internal error",
        all='travelrule_gateway_request_duration_seconds_count{operation!~".+-callback"}',
        within=(
            'travelrule_gateway_request_duration_seconds_bucket{le="0.9", operation!~".+-callback",'
            ' result!="VASP_BACKEND_INTERNAL_ERROR"}'
        ),
    ),
    Objective(
        "travelrule-callbacks",
        99,
        "TravelRuleCallbacksFail",
        "Callbacks of the hub are not stored",
        "callbacks to {{ $labels.job }} were answered with an internal error; their results arrive late, by polling",
        all='travelrule_gateway_request_duration_seconds_count{operation=~".+-callback"}',
        bad=(
            'travelrule_gateway_request_duration_seconds_count{operation=~".+-callback",'
            ' result="VASP_BACKEND_INTERNAL_ERROR"}'
        ),
    ),
    Objective(
        "travelrule-calls",
        99,
        "TravelRuleCallsFail",
        "Requests to the hub fail",
        "requests of {{ $labels.job }} to the hub had no answer or a failure as answer; refusals are not counted",
        all="travelrule_hub_request_duration_seconds_count",
        bad='travelrule_hub_request_duration_seconds_count{outcome=~"unavailable|bad-answer|no-answer"}',
    ),
)


def recorded(window: str) -> str:
    """Return the name of the series with the error ratio of a window."""
    return f"slo:sli_error:ratio_rate{window}"


def _recordings(one: Objective) -> RuleGroup:
    labels = (("slo", one.slo),)
    rules = [RecordingRule(recorded(window), one.ratio(window), labels) for window in WINDOWS]
    shortest = f'{recorded(WINDOWS[0])}{{slo="{one.slo}"}}'
    month = f"avg_over_time({shortest}[{PERIOD}])"
    return RuleGroup(f"{one.slo}-ratios", (*rules, RecordingRule(recorded(PERIOD), month, labels)))


def _alert(one: Objective, rate: BurnRate) -> AlertRule:
    selector = f'{{slo="{one.slo}"}}'
    pairs = [
        f"({recorded(short)}{selector} > {factor * one.budget:.6g}"
        f" and {recorded(long)}{selector} > {factor * one.budget:.6g})"
        for short, long, factor in rate.pairs
    ]
    longest = rate.pairs[1][1]
    enough = f"{one.failures('increase', longest)} > {EVENTS_MIN}"
    speed = "fast" if rate.severity == "critical" else "slowly"
    return AlertRule(
        one.alert,
        rate.severity,
        f"({' or '.join(pairs)}) and on ({', '.join(INSTALLATION)}) {enough}",
        one.summary,
        f"{{{{ $value | humanizePercentage }}}} of the {one.description}. At most {round(100 - one.good, 3):g}% may in"
        f" {PERIOD}: the budget burns {speed}.",
    )


def groups() -> list[RuleGroup]:
    """Return the groups of all objectives."""
    alerts = tuple(_alert(one, rate) for one in OBJECTIVES for rate in BURN_RATES)
    return [*(_recordings(one) for one in OBJECTIVES), RuleGroup("travelrule-objectives", alerts)]
