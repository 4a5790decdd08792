"""Every event of the log lines: level, fields and meaning. ``docs/generated/logs.md`` is generated from this table.

Levels: ``error`` needs an operator, ``warning`` is a fault that the program handles or an operator decides on, ``info``
is a fact, ``debug`` is for developers. A fact about a subject (verdict, alert, dead letter, call) is one line, written
after its commit; other events that may be frequent are ``counted`` (see ``repeated_lines``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One row. ``levels``: more than one if the level depends on the fields."""

    name: str
    levels: tuple[str, ...]
    fields: tuple[str, ...]
    meaning: str
    counted: bool = False


def _event(name: str, level: str, fields: str, meaning: str, *, counted: bool = False) -> LogEvent:
    return LogEvent(name, tuple(level.split("/")), tuple(fields.split()), meaning, counted)


_FACTS = (
    _event(
        "verdict",
        "info",
        "subject verdict reasons needs final counterparty transfer_id exchange_status policy_version sequence",
        "A verdict was decided and is committed; its event follows on `verdicts`",
    ),
    _event(
        "alert",
        "warning/error",
        "subject code severity counterparty attempts sequence",
        "An operator alert is committed (`error` if its severity is `critical`); its page is `docs/runbooks/<code>.md`",
    ),
    _event(
        "dead-letter",
        "warning",
        "id code field kind topic partition offset subject type",
        "A message was refused and is stored as the dead letter `id`; a message delivered again is no new one",
    ),
    _event(
        "call-failed",
        "warning",
        "subject operation counterparty code http_status result attempts outcome retry_seconds call_id",
        "An attempt of a call failed: `outcome` is `again` (in `retry_seconds`) or `given-up`",
    ),
    _event(
        "call-deferred",
        "info",
        "subject operation counterparty code call_id",
        "A call is not made while the hub or its counterparty is down; once for each call that begins to wait",
    ),
    _event(
        "lease-taken-over",
        "info/warning",
        "lease previous subject operation counterparty call_id",
        "The lease of process `previous` ran out and is ours now: that of a job (`info`; also after a restart), or of"
        " a call that it had claimed (`warning`; the call may have been made)",
    ),
)

_INPUTS = (
    _event(
        "input-unprocessable",
        "error",
        "subject type error",
        "Deciding failed by a fault of ours; a dead letter follows",
    ),
    _event(
        "subject-unreadable",
        "error",
        "subject error",
        "A subject does not load; the message about it is kept without it",
    ),
    _event(
        "message-unreadable",
        "warning",
        "subject type error",
        "A message between subjects does not open; a dead letter follows",
    ),
    _event(
        "timer-unprocessable",
        "error",
        "subject error",
        "A timer that is due cannot be applied; it is put off, with an alert",
    ),
)

_CALLS = (
    _event(
        "call-crashed", "error", "error", "Making a call failed by a fault of ours; it is tried again", counted=True
    ),
    _event("hub-down", "warning", "", "The hub does not answer; calls that can wait are put off"),
    _event("hub-up", "info", "", "The hub answers again"),
    _event("calls-resumed", "info", "calls", "Calls that waited for the hub are due again"),
    _event("directory-empty", "error", "entries", "The hub lists no VASP; the list that was stored stays in use"),
    _event(
        "directory-not-refreshed",
        "warning",
        "operation code http_status error",
        "The VASP list was not fetched; fetched again later",
        counted=True,
    ),
    _event(
        "networks-not-refreshed",
        "warning",
        "code http_status error",
        "The table of coin networks was not fetched",
        counted=True,
    ),
)

_STORE = (
    _event(
        "database-unavailable",
        "warning",
        "job error",
        "The database failed for a task; it pauses and tries again",
        counted=True,
    ),
    _event("database-available", "info", "job failed", "The database answers the task again, after `failed` failures"),
    _event(
        "listener-lost",
        "warning",
        "",
        "The connection for notifications broke; commits of others are seen by polling",
        counted=True,
    ),
    _event(
        "retention-applied",
        "info",
        "subjects inputs searches events dead_letters",
        "What the policy no longer keeps was removed",
    ),
    _event(
        "audit-fault",
        "error",
        "subject",
        "The continuous check of the audit found a fault of this subject (`audit:<vasp>`: of the signed log);"
        " `travelrule audit verify` names it",
    ),
    _event("retention-unreadable", "warning", "kind error", "A subject does not load and is not removed", counted=True),
)

_BROKER = (
    _event(
        "publish-failed",
        "warning",
        "count error",
        "The broker did not take events; they stay and are sent again",
        counted=True,
    ),
    _event(
        "event-refused",
        "error",
        "subject topic size error",
        "The broker will never take an event; it is set aside, with an alert",
    ),
    _event(
        "relay-crashed",
        "error",
        "error",
        "Publishing failed by a fault of ours; the events are sent again",
        counted=True,
    ),
    _event(
        "producer-replaced", "warning", "topic error", "The producer could not go on and was replaced", counted=True
    ),
    _event("backlog-unknown", "warning", "error", "The broker did not say how far the group is behind", counted=True),
    _event("beginning-unknown", "warning", "partitions", "The broker did not say where partitions begin"),
    _event(
        "initial-offsets-refused",
        "warning",
        "error",
        "First offsets could not be committed; tried at the next assignment",
    ),
    _event(
        "initial-offsets-committed", "info", "partitions", "Partitions without an offset have one now: their beginning"
    ),
    _event("embedded-broker-started", "warning", "detail partitions", "The broker in use is the embedded one"),
    _event("topic-differs", "warning", "topic detail", "A topic is not configured as the registry says"),
)

_SCREENING = (
    _event("list-active", "info", "list version entries", "A first list was imported and is in use"),
    _event("list-loaded", "info", "list version entries", "This process screens with this version of a list"),
    _event(
        "list-unreadable", "error", "list version error", "A stored list does not load; the version before stays in use"
    ),
    _event(
        "owner-not-screened",
        "warning",
        "code",
        "The owner of a wallet could not be screened; tried again",
        counted=True,
    ),
    _event("owner-without-name", "warning", "", "The owner of a wallet has no name to screen", counted=True),
    _event("wallet-unreadable", "warning", "error", "A wallet does not open; its owner is not screened", counted=True),
    _event(
        "screening-late",
        "warning",
        "limit_seconds",
        "Screening an answer's names took too long; the answer is negative",
        counted=True,
    ),
)

_GATEWAY = (
    _event(
        "request-refused", "info", "operation code", "A request of a member was refused with this code", counted=True
    ),
    _event(
        "request-late",
        "warning",
        "operation limit_seconds",
        "A request was not answered within its limit",
        counted=True,
    ),
    _event("request-failed", "error", "operation error", "A request failed by a fault of ours", counted=True),
    _event(
        "conclusion-failed", "error", "operation error", "A report or a finish failed by a fault of ours", counted=True
    ),
    _event(
        "callback-failed",
        "error",
        "operation member error",
        "A callback failed; it is sent or asked for again",
        counted=True,
    ),
    _event("callback-ignored", "info", "operation reason", "A callback belongs to no open request", counted=True),
    _event("alert-not-raised", "warning", "error", "An alert about a request could not be stored", counted=True),
    _event("connection-failed", "error", "error", "Making a connection failed by a fault of ours", counted=True),
    _event(
        "connections-refused",
        "warning",
        "service reason source count",
        "`count` connections were refused for this reason, the newest of `source`; one line a minute",
    ),
    _event(
        "few-descriptors",
        "warning",
        "service limit connections fix",
        "Fewer files may be open (`limit`) than the connections allowed need; fewer are accepted",
    ),
    _event(
        "connections-exhausted", "warning", "error", "No more connections can be accepted for the moment", counted=True
    ),
)

_HUB = (
    _event("hub-failed", "error", "operation error", "The hub failed at a request", counted=True),
    _event(
        "health-poll-failed",
        "error",
        "member error",
        "Asking a member for its health failed by a fault of ours",
        counted=True,
    ),
    _event("member-down", "warning", "member", "A member does not answer its health check"),
    _event("member-up", "info", "member", "A member answers its health check again"),
    _event("kyt-failed", "error", "operation error", "A transaction report was not made", counted=True),
    _event("screening-failed", "error", "operation error", "A rating was not made", counted=True),
    _event("search-failed", "error", "operation error", "A search failed", counted=True),
    _event("search-ask-failed", "error", "member error", "A member could not be asked in a search", counted=True),
    _event("widget-failed", "error", "error", "The page of the ownership proof failed", counted=True),
    _event("sandbox-starting", "info", "members", "The sandbox starts with this many members"),
    _event("sandbox-stopped", "info", "", "The sandbox ended in order"),
)

_PROCESS = (
    _event("started", "info", "role vasp", "The process serves"),
    _event("stopped", "info", "role reason", "The process ended in order"),
    _event("role-failed", "error", "error", "A service of the process ended by itself; the process ends"),
    _event("policy-active", "info", "policy_version", "This process decides by this policy from now on"),
    _event("worker-failed", "error", "error", "The consumer is broken; the process ends and the group takes over"),
    _event(
        "worker-stop-stuck",
        "warning",
        "pending",
        "The consumer does not end in time; what is pending is delivered again",
    ),
    _event("worker-abandoned", "warning", "pending", "The consumer is left as it is; the process ends without it"),
    _event("worker-stop-failed", "warning", "error", "The consumer ended with an error"),
    _event("uncaught", "error", "error", "Nothing caught an exception; the process ends"),
    _event("uncaught-in-thread", "error", "error", "Nothing caught an exception of a thread"),
    _event("unraisable", "error", "error", "An exception could not be raised where it occurred"),
    _event(
        "library",
        "warning/error/critical",
        "message place error",
        "A library logged this; what its message quotes is withheld",
        counted=True,
    ),
    _event(
        "repeated",
        "warning",
        "of times interval_seconds",
        "`times` more lines like this one were not written within the interval; the other fields are those of the last",
    ),
)

EVENTS: Mapping[str, LogEvent] = MappingProxyType(
    {
        one.name: one
        for one in (
            *(*_FACTS, *_INPUTS, *_CALLS, *_STORE),
            *(*_BROKER, *_SCREENING, *_GATEWAY, *_HUB, *_PROCESS),
        )
    }
)
"""Every event by its name, in the order of the page."""
