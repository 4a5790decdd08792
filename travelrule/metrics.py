"""Every metric of the program, declared once: type, unit, labels, meaning (contract section 6).

Code counts with the constants; the documentation is generated from ``METRICS``. A label never holds an address, a txid,
a person or a subject id: the values of ``vasp`` and ``list`` are bounded by the directory and by the lists that an
operator loaded, all others by the code. Units and suffixes follow the rules of Prometheus. No label is named ``job`` or
``instance``: Prometheus sets both for the process that it scrapes, and would rename ours.
"""

from __future__ import annotations

from travelrule.metric_registry import METRICS, REGISTRY, counter, exposition, gauge, histogram

__all__ = ["METRICS", "REGISTRY", "exposition"]  # of the registry; this module exports all

# OpenTelemetry's list for processing; the others are extended for a limit of one second, and for exchanges that wait
# for a counterparty.
PROCESSING_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
ONE_SECOND_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 2.5, 5.0, 10.0)
EXCHANGE_BUCKETS = (*PROCESSING_BUCKETS, 30.0, 60.0, 300.0)
LOOP_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
BATCH_BUCKETS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)

VERDICT_KINDS = ("withdrawal", "deposit", "screening")
"""The kinds of subjects that a platform gets a verdict about within a limit."""
CALL_AGES = ("1m", "10m", "1h", "1d", "more")
"""Classes of ages: up to so much, and more than the class before."""

# The process and its roles

BUILD_INFO = gauge(
    "travelrule_build_info", "1; version of the program and of Python that runs it", "version", "python", unit="info"
)
EVENT_LOOP_LAG_SECONDS = histogram(
    "travelrule_event_loop_lag_seconds",
    "How much later than asked for the event loop resumed a sleeping task, looked at twice a second",
    buckets=LOOP_BUCKETS,
)
HEARTBEAT_TIMESTAMP_SECONDS = gauge(
    "travelrule_heartbeat_timestamp_seconds",
    "When the newest heartbeat was put into the queue of inputs that has since been committed to the database",
    unit="seconds",
)
HEARTBEAT_DURATION_SECONDS = histogram(
    "travelrule_heartbeat_duration_seconds",
    "How long a heartbeat took from the end of the queue of inputs to its commit",
    buckets=EXCHANGE_BUCKETS,
)
CONNECTIONS_OPEN = gauge(
    "travelrule_connections_open", "Open connections of a listener", "listener", unit="connections"
)
CONNECTIONS_REFUSED_TOTAL = counter(
    "travelrule_connections_refused_total",
    "Connections that a listener refused or ended before a request was complete, by reason: `foreign` (not in"
    " `GATEWAY_SOURCES`), `full`, `displaced` by newer ones, `handshake` (TLS), `late`, `malformed`, `memory`",
    "listener", "reason", unit="connections",
)  # fmt: skip
DATABASE_CONNECTIONS = gauge(
    "travelrule_database_connections",
    "Connections to the database by state: `used`, `idle`; both together never exceed the pool",
    "state", unit="connections",
)  # fmt: skip
DATABASE_CONNECTIONS_MAX = gauge(
    "travelrule_database_connections_max", "Size of the pool of connections to the database", unit="connections"
)
DATABASE_WAIT_SECONDS = histogram(
    "travelrule_database_wait_seconds",
    "How long a task waited for a connection to the database, including the time to open one",
    buckets=PROCESSING_BUCKETS,
)
LEASES_HELD = gauge(
    "travelrule_leases_held", "1 while this process holds the lease of a periodic job, else 0", "lease", unit="bool"
)
JOB_FAILURES_TOTAL = counter(
    "travelrule_job_failures_total",
    "Rounds of a periodic job that failed because the database did not answer",
    "periodic_job", unit="rounds",
)  # fmt: skip
JOB_LAST_SUCCESS_TIMESTAMP_SECONDS = gauge(
    "travelrule_job_last_success_timestamp_seconds",
    "When a periodic job last completed a round; of a job with a lease the process that holds it counts",
    "periodic_job", unit="seconds",
)  # fmt: skip

# What comes in from Kafka

CONSUMER_RECORDS_TOTAL = counter(
    "travelrule_consumer_records_total", "Records that this process took from a topic", "topic", unit="records"
)
CONSUMER_LAG_SECONDS = gauge(
    "travelrule_consumer_lag_seconds", "Age of the oldest event of a topic that is not committed", "topic",
    unit="seconds",
)  # fmt: skip
CONSUMER_LAG_RECORDS = gauge(
    "travelrule_consumer_lag_records",
    "Records of a topic behind the committed offsets of the whole group, taken by a worker or not; each worker shows"
    " the same",
    "topic", unit="records",
)  # fmt: skip
CONSUMER_STALLED_SECONDS = gauge(
    "travelrule_consumer_stalled_seconds",
    "For how long records have waited for this process without any progress; `/readyz` fails at 30, `/livez` at 120",
    unit="seconds",
)
BROKER_ANSWER_AGE_SECONDS = gauge(
    "travelrule_broker_answer_age_seconds",
    "Time since the broker last reported the committed offsets of the group; lag and partitions are as old as that",
    unit="seconds",
)
PARTITIONS_ASSIGNED = gauge(
    "travelrule_partitions_assigned", "Partitions of a topic that this process consumes", "topic", unit="partitions"
)
PARTITIONS_UNSERVED = gauge(
    "travelrule_partitions_unserved",
    "Partitions of a topic that no member of the consumer group has, as the broker reports it; each worker shows the"
    " same",
    "topic", unit="partitions",
)  # fmt: skip
REBALANCES_TOTAL = counter(
    "travelrule_rebalances_total", "Rebalances of the consumer group that this process took part in", unit="rebalances"
)
REBALANCE_DURATION_SECONDS = histogram(
    "travelrule_rebalance_duration_seconds",
    "From the moment partitions are taken away in a rebalance until this process consumes again",
    buckets=EXCHANGE_BUCKETS,
)
OFFSET_COMMIT_DURATION_SECONDS = histogram(
    "travelrule_offset_commit_duration_seconds", "Time of one commit of offsets to the broker", buckets=EXCHANGE_BUCKETS
)

# The one path

INPUTS_TOTAL = counter(
    "travelrule_inputs_total",
    "Inputs that were decided on, by where they came from, their type and what became of them",
    "source", "type", "outcome", unit="inputs",
)  # fmt: skip
INTAKE_PENDING = gauge(
    "travelrule_intake_pending", "Inputs that this process took and has not committed yet", unit="inputs"
)
BATCH_INPUTS = histogram("travelrule_batch_inputs", "Inputs of one transaction", buckets=BATCH_BUCKETS, unit="inputs")
BATCH_DURATION_SECONDS = histogram(
    "travelrule_batch_duration_seconds",
    "Time of one transaction with its inputs, from begin to commit; failed ones count too",
    buckets=PROCESSING_BUCKETS,
)
LAST_BATCH_TIMESTAMP_SECONDS = gauge(
    "travelrule_last_batch_timestamp_seconds", "When this process last committed inputs", unit="seconds"
)
PARKED_INPUTS = gauge(
    "travelrule_parked_inputs", "Inputs that wait for the event that creates their subject", unit="inputs"
)
MESSAGES_WAITING = gauge(
    "travelrule_messages_waiting", "Messages between subjects that are not delivered yet", unit="messages"
)
OLDEST_MESSAGE_SECONDS = gauge(
    "travelrule_oldest_message_seconds", "Age of the oldest message between subjects; 0 without any", unit="seconds"
)
TIMERS_OVERDUE = gauge("travelrule_timers_overdue", "Subjects whose timer came due", unit="timers")
OLDEST_TIMER_SECONDS = gauge(
    "travelrule_oldest_timer_seconds", "Time since the longest overdue timer came due; 0 without any", unit="seconds"
)
DEAD_LETTERS_TOTAL = counter(
    "travelrule_dead_letters_total", "Messages that could not be processed, by stable code", "code", unit="messages"
)
DEAD_LETTERS_UNRESOLVED = gauge(
    "travelrule_dead_letters_unresolved", "Dead letters of the last seven days that were not replayed", unit="messages"
)
OLDEST_DEAD_LETTER_SECONDS = gauge(
    "travelrule_oldest_dead_letter_seconds", "Age of the oldest of these dead letters; 0 without any",
    unit="seconds",
)  # fmt: skip

# Verdicts

VERDICTS_TOTAL = counter(
    "travelrule_verdicts_total",
    "Verdict events written, by kind of subject, verdict and first reason",
    "kind", "verdict", "reason", unit="verdicts",
)  # fmt: skip
INPUT_AGE_SECONDS = histogram(
    "travelrule_input_age_seconds",
    "From the time of a platform's event to the verdict that it led to, whatever was asked in between",
    buckets=EXCHANGE_BUCKETS,
)
VERDICT_LIMIT_TOTAL = counter(
    "travelrule_verdict_limit_total",
    "First verdicts about what the platform requested, by whether they came within the policy's limit: `time_limits`"
    " `verdict` of a withdrawal or deposit, `screening` or `kyt_limit` of a screening",
    "kind", "result", unit="verdicts", values={"kind": VERDICT_KINDS, "result": ("met", "missed")},
)  # fmt: skip
REQUESTS_UNANSWERED = gauge(
    "travelrule_requests_unanswered", "Requests of the platform without any verdict", "kind", unit="subjects"
)
REQUESTS_OVERDUE = gauge(
    "travelrule_requests_overdue", "Requests of the platform without any verdict past the policy's limit", "kind",
    unit="subjects",
)  # fmt: skip
OLDEST_UNANSWERED_SECONDS = gauge(
    "travelrule_oldest_unanswered_seconds", "Age of the oldest request without any verdict; 0 without any", "kind",
    unit="seconds",
)  # fmt: skip
HELD_SUBJECTS = gauge(
    "travelrule_held_subjects", "Subjects whose verdict is `hold`, by its first reason", "kind", "reason",
    unit="subjects",
)  # fmt: skip
OLDEST_HELD_SECONDS = gauge(
    "travelrule_oldest_held_seconds", "Time since the request of the oldest subject on hold, by its first reason",
    "kind", "reason", unit="seconds",
)  # fmt: skip
DENIALS_TOTAL = counter(
    "travelrule_denials_total",
    "Transfers that were denied: by a counterparty (`originating`), or by us to one (`beneficiary`); a reason that the"
    " protocol does not list is `OTHER`",
    "vasp", "reason", "side", unit="transfers",
)  # fmt: skip
POLICY_INFO = gauge("travelrule_policy_info", "1; version of the policy in force", "version", unit="info")

# Calls to the hub and to counterparties

HUB_REQUEST_DURATION_SECONDS = histogram(
    "travelrule_hub_request_duration_seconds",
    "Time of one signed request to the hub, by operation and outcome",
    "operation", "outcome", buckets=EXCHANGE_BUCKETS,
)  # fmt: skip
CALLS_DUE = gauge("travelrule_calls_due", "Calls to the hub that are due and not claimed", unit="calls")
CALLS_WAITING = gauge(
    "travelrule_calls_waiting",
    "Calls that are not complete, by the time since they came due first: up to `1m`, `10m`, `1h`, `1d`, or `more`",
    "age", unit="calls",
)  # fmt: skip
OLDEST_CALL_SECONDS = gauge(
    "travelrule_oldest_call_seconds", "Time since the oldest call came due first; 0 without any", unit="seconds"
)
CALLS_RUNNING = gauge("travelrule_calls_running", "Calls that this process makes now", unit="calls")
CALL_ATTEMPTS_TOTAL = counter(
    "travelrule_call_attempts_total",
    "Attempts to make a call, by operation and what came of the attempt",
    "operation", "outcome", unit="attempts",
)  # fmt: skip
CALLS_COMPLETED_TOTAL = counter(
    "travelrule_calls_completed_total",
    "Calls that ended, by operation and outcome: `answered`; `failed`, refused in a way that repeating does not change;"
    " `exhausted`, every attempt used up",
    "operation", "outcome", unit="calls",
)  # fmt: skip
CALLS_EXHAUSTED_TOTAL = counter(
    "travelrule_calls_exhausted_total", "Calls that failed after every attempt was used up", "operation", unit="calls"
)
CIRCUIT_OPEN = gauge(
    "travelrule_circuit_open",
    "1 while this process makes at most one call at a time to a VASP because several in a row failed; from the first"
    " time on",
    "vasp", unit="bool",
)  # fmt: skip
HUB_UP = gauge(
    "travelrule_hub_up", "1 while the hub answers this process, 0 after three failures of the hub in a row", unit="bool"
)
EXCHANGES_OPEN = gauge(
    "travelrule_exchanges_open",
    "Exchanges that have not reached an end, by side and protocol status",
    "side", "status", unit="exchanges",
)  # fmt: skip

# The directory and keys

COUNTERPARTY_UP = gauge(
    "travelrule_counterparty_up", "1 while the hub says that the VASP is up, 0 while it is down", "vasp", unit="bool"
)
DIRECTORY_AGE_SECONDS = gauge(
    "travelrule_directory_age_seconds",
    "Time since the hub gave the list of VASPs with their health and keys; infinite before it did",
    unit="seconds",
)
DIRECTORY_CHANGES_TOTAL = counter(
    "travelrule_directory_changes_total",
    "Changes between two lists of VASPs, by what changed",
    "change", unit="changes", values={"change": ("added", "removed", "up", "down", "keys", "profile")},
)  # fmt: skip
KEY_EXPIRY_TIMESTAMP_SECONDS = gauge(
    "travelrule_key_expiry_timestamp_seconds",
    "When the last of a VASP's keys in the directory expires; none for a key without a stated expiry. `own`: ours",
    "vasp", "owner", unit="seconds",
)  # fmt: skip
OWN_KEY_LISTED = gauge(
    "travelrule_own_key_listed",
    "1 while a valid key that the directory lists for us is one of `SIGNING_KEY`, 0 while members cannot reach us",
    unit="bool",
)
OWN_UP = gauge(
    "travelrule_own_up",
    "1 while the hub says that our VASP is up, 0 while it says down, because it does not reach our gateway",
    unit="bool",
)
KEY_MISMATCHES_TOTAL = counter(
    "travelrule_key_mismatches_total",
    "Requests whose payload the receiver's keys do not open: `sent` by us, or `received`",
    "direction", unit="requests", values={"direction": ("sent", "received")},
)  # fmt: skip

# The gateway

GATEWAY_REQUEST_DURATION_SECONDS = histogram(
    "travelrule_gateway_request_duration_seconds",
    "Time to answer a request of the hub, by operation and result",
    "operation", "result", buckets=ONE_SECOND_BUCKETS,
)  # fmt: skip
GATEWAY_LIMITED_TOTAL = counter(
    "travelrule_gateway_limited_total",
    "Requests of members that were refused because a rate was used up, by operation and by which rate",
    "operation", "reason", unit="requests",
)  # fmt: skip

# What goes out to Kafka

OUTBOX_UNSENT = gauge("travelrule_outbox_unsent", "Outgoing events that Kafka has not confirmed", unit="events")
OUTBOX_REFUSED = gauge(
    "travelrule_outbox_refused",
    "Outgoing events that Kafka will never take and that were not republished",
    unit="events",
)
OLDEST_UNSENT_SECONDS = gauge(
    "travelrule_oldest_unsent_seconds", "Age of the oldest event that Kafka has not confirmed", unit="seconds"
)
PUBLISHED_TOTAL = counter(
    "travelrule_published_total",
    "Attempts to publish an event, by topic and outcome: `sent`, `refused` for good, `failed` and repeated",
    "topic", "outcome", unit="events",
)  # fmt: skip
PUBLISH_DURATION_SECONDS = histogram(
    "travelrule_publish_duration_seconds", "From the moment an event is sent to Kafka until Kafka confirms it",
    "topic", buckets=PROCESSING_BUCKETS,
)  # fmt: skip
ALERTS_TOTAL = counter(
    "travelrule_alerts_total", "Alerts for an operator, by code; each code has a runbook", "code", unit="alerts"
)
OPERATOR_ALERTS_TOTAL = counter(
    "travelrule_operator_alerts_total", "The same alerts by severity", "severity", unit="alerts",
    values={"severity": ("warning", "critical")},
)  # fmt: skip

# Lists and screening

LIST_ENTRIES = gauge("travelrule_list_entries", "Entries of a sanctions list in use", "list", unit="entries")
LIST_AGE_SECONDS = gauge(
    "travelrule_list_age_seconds", "Time since a sanctions list was published, or imported where it is not dated",
    "list", unit="seconds",
)  # fmt: skip
LIST_SEARCHES_TOTAL = counter(
    "travelrule_list_searches_total",
    "Searches of parties or addresses in the sanctions lists, by outcome",
    "outcome", unit="searches", values={"outcome": ("hit", "clear", "unchecked")},
)  # fmt: skip
OWNERS_UNSCREENED = gauge(
    "travelrule_owners_unscreened",
    "Wallets whose owner was not screened with the sanctions lists in force; 0 in a process that does not screen them",
    unit="wallets",
)

# Audit and retention

AUDIT_FAULTS = gauge(
    "travelrule_audit_faults",
    "Subjects whose audit chain is at fault, and the signed log, by the continuous check of this process",
    unit="subjects",
)
AUDIT_CHECKED_TOTAL = counter(
    "travelrule_audit_checked_total", "Checks of a subject by the continuous check of the audit", unit="subjects"
)
AUDIT_VERIFIED_TIMESTAMP_SECONDS = gauge(
    "travelrule_audit_verified_timestamp_seconds",
    "When this process last completed a check of every subject and of the signed log, with or without faults",
    unit="seconds",
)
RETENTION_REMOVED_TOTAL = counter(
    "travelrule_retention_removed_total",
    "What retention erased (`subjects`) or deleted, by what",
    "what", unit="rows", values={"what": ("subjects", "inputs", "searches", "events", "dead_letters")},
)  # fmt: skip

# The exchange service and the sandbox

MEMBER_REQUEST_DURATION_SECONDS = histogram(
    "travelrule_member_request_duration_seconds",
    "Time in which the exchange service answered a request of a member, by operation and result",
    "operation", "result", buckets=EXCHANGE_BUCKETS,
)  # fmt: skip
MEMBER_CALLBACKS_TOTAL = counter(
    "travelrule_member_callbacks_total",
    "Callbacks of the exchange service to members, by whether the member took them",
    "outcome", unit="callbacks", values={"outcome": ("delivered", "lost")},
)  # fmt: skip
MEMBERS = gauge("travelrule_members", "Members of the exchange service by health", "health", unit="members")
