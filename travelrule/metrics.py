"""Every metric of the program, declared once: type, unit, labels, meaning (contract section 6).

Code counts with the constants; the documentation is generated from ``METRICS``. A label never holds an address, a txid,
a person or a subject id: the values of ``vasp`` and ``list`` are bounded by the directory and by the lists that an
operator loaded, all others by the code. Units and suffixes follow the rules of Prometheus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder

REGISTRY = CollectorRegistry(auto_describe=True)
"""Our registry: metrics that a library registers globally do not appear under ``/metrics``."""

ProcessCollector(registry=REGISTRY)

# OpenTelemetry's list for processing; the second one is extended for exchanges that wait for a counterparty.
PROCESSING_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
EXCHANGE_BUCKETS = (*PROCESSING_BUCKETS, 30.0, 60.0, 300.0)


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One row of the metrics table, on which charts and alert rules may rely."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    unit: str
    labels: tuple[str, ...]
    meaning: str


METRICS: list[MetricSpec] = []
"""All metrics in the order of their declaration."""


def _counter(name: str, meaning: str, *labels: str, unit: str) -> Counter:
    METRICS.append(MetricSpec(name, "counter", unit, labels, meaning))
    return Counter(name, meaning, labels, registry=REGISTRY)


def _gauge(name: str, meaning: str, *labels: str, unit: str) -> Gauge:
    METRICS.append(MetricSpec(name, "gauge", unit, labels, meaning))
    return Gauge(name, meaning, labels, registry=REGISTRY)


def _seconds(name: str, meaning: str, *labels: str, buckets: tuple[float, ...]) -> Histogram:
    METRICS.append(MetricSpec(name, "histogram", "seconds", labels, meaning))
    return Histogram(name, meaning, labels, registry=REGISTRY, buckets=buckets)


INPUTS_TOTAL = _counter(
    "travelrule_inputs_total",
    "Inputs that were decided on, by where they came from, their type and what became of them",
    "source", "type", "outcome", unit="inputs",
)  # fmt: skip
VERDICTS_TOTAL = _counter(
    "travelrule_verdicts_total",
    "Verdict events written, by kind of subject, verdict and first reason",
    "kind", "verdict", "reason", unit="verdicts",
)  # fmt: skip
INPUT_AGE_SECONDS = _seconds(
    "travelrule_input_age_seconds",
    "From the time of a platform's event to the verdict that it led to",
    buckets=EXCHANGE_BUCKETS,
)
GATEWAY_REQUEST_DURATION_SECONDS = _seconds(
    "travelrule_gateway_request_duration_seconds",
    "Time to answer a request of the hub, by operation and result",
    "operation", "result", buckets=PROCESSING_BUCKETS,
)  # fmt: skip
GATEWAY_LIMITED_TOTAL = _counter(
    "travelrule_gateway_limited_total",
    "Requests of members that were refused because a rate was used up, by operation and by which rate",
    "operation", "reason", unit="requests",
)  # fmt: skip
HUB_REQUEST_DURATION_SECONDS = _seconds(
    "travelrule_hub_request_duration_seconds",
    "Time of one signed request to the hub, by operation and outcome",
    "operation", "outcome", buckets=EXCHANGE_BUCKETS,
)  # fmt: skip
CALLS_DUE = _gauge("travelrule_calls_due", "Calls to the hub that are due and not claimed", unit="calls")
CALL_ATTEMPTS_TOTAL = _counter(
    "travelrule_call_attempts_total",
    "Attempts to make a call, by operation and what came of the attempt",
    "operation", "outcome", unit="attempts",
)  # fmt: skip
OUTBOX_UNSENT = _gauge("travelrule_outbox_unsent", "Outgoing events that Kafka has not confirmed", unit="events")
OUTBOX_REFUSED = _gauge(
    "travelrule_outbox_refused", "Outgoing events that Kafka will never take and nobody has republished", unit="events"
)
OLDEST_UNSENT_SECONDS = _gauge(
    "travelrule_oldest_unsent_seconds", "Age of the oldest event that Kafka has not confirmed", unit="seconds"
)
EXCHANGES_OPEN = _gauge(
    "travelrule_exchanges_open",
    "Exchanges that have not reached an end, by side and protocol status",
    "side", "status", unit="exchanges",
)  # fmt: skip
DEAD_LETTERS_TOTAL = _counter(
    "travelrule_dead_letters_total",
    "Messages that could not be processed, by stable code",
    "code",
    unit="messages",
)
ALERTS_TOTAL = _counter(
    "travelrule_alerts_total",
    "Alerts for an operator, by code; each code has a runbook",
    "code",
    unit="alerts",
)
JOB_FAILURES_TOTAL = _counter(
    "travelrule_job_failures_total",
    "Rounds of a periodic job that failed because the database did not answer",
    "job",
    unit="rounds",
)
COUNTERPARTY_UP = _gauge(
    "travelrule_counterparty_up",
    "1 while the hub says that the VASP is up, 0 while it is down",
    "vasp",
    unit="bool",
)
HUB_UP = _gauge(
    "travelrule_hub_up",
    "1 while the hub answers this process, 0 after three failures of the hub in a row",
    unit="bool",
)
HUB_UP.set(1)
DIRECTORY_AGE_SECONDS = _gauge(
    "travelrule_directory_age_seconds",
    "Time since the hub gave the list of VASPs with their health and keys; infinite before it did",
    unit="seconds",
)
CONSUMER_LAG_SECONDS = _gauge(
    "travelrule_consumer_lag_seconds",
    "Age of the oldest event of a topic that is not committed",
    "topic",
    unit="seconds",
)
CONSUMER_LAG_RECORDS = _gauge(
    "travelrule_consumer_lag_records",
    "Records of a topic behind the committed offsets of the whole group, taken by a worker or not; each worker shows"
    " the same",
    "topic",
    unit="records",
)
LIST_ENTRIES = _gauge("travelrule_list_entries", "Entries of a sanctions list in use", "list", unit="entries")
LIST_AGE_SECONDS = _gauge(
    "travelrule_list_age_seconds",
    "Time since a sanctions list was published, or imported where it is not dated",
    "list",
    unit="seconds",
)
OWNERS_UNSCREENED = _gauge(
    "travelrule_owners_unscreened",
    "Wallets whose owner was not screened with the sanctions lists in force; 0 in a process that does not screen them",
    unit="wallets",
)
CONNECTIONS_REFUSED_TOTAL = _counter(
    "travelrule_connections_refused_total",
    "Connections that a listener refused or ended before a request was complete, by reason: `foreign` (not in"
    " `GATEWAY_SOURCES`), `full`, `displaced` by newer ones, `handshake` (TLS), `late`, `malformed`, `memory`",
    "listener", "reason", unit="connections",
)  # fmt: skip


def exposition(accept: str = "") -> tuple[bytes, str]:
    """Return all metrics as text, with its content type.

    ``accept`` is the request's ``Accept`` header: OpenMetrics if it is listed there, else Prometheus text.
    """
    encode, content_type = choose_encoder(accept)
    return encode(REGISTRY), content_type
