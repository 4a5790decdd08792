"""The Kafka headers of our records with their meanings: one table for the event reference and the AsyncAPI document."""

from __future__ import annotations

from typing import Final

EVENT_HEADERS: Final = {
    "content-type": "Media type of the value: `application/cloudevents+json` is structured mode.",
    "traceparent": "W3C trace context, where the input had one.",
}
DEAD_LETTER_HEADERS: Final = {
    "__streams.errors.topic": "Topic of the refused record.",
    "__streams.errors.partition": "Partition of the refused record.",
    "__streams.errors.offset": "Offset of the refused record.",
    "__streams.errors.exception": "The same code as `travelrule.error.code`.",
    "__streams.errors.message": "The same code as `travelrule.error.code`.",
    "__streams.errors.stacktrace": "The same code as `travelrule.error.code`.",
    "travelrule.error.code": "Stable code of the fault, such as `MISSING_FIELD` or `CONFLICT`.",
    "travelrule.error.field": "Path of the field at fault; empty where the fault is not in a field.",
    "travelrule.error.fix": "What to change, in a sentence.",
    "travelrule.attempts": "How often the message was refused; 2 after one replay that failed again.",
    "travelrule.first_failure_at": "Moment of the first refusal, ISO 8601 in UTC.",
    "travelrule.dead_letter.id": "Id of the dead letter, for `travelrule dead-letters show`.",
}
"""The headers that a dead letter has beside those of the refused record."""
