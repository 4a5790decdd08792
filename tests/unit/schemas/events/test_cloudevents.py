from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from schemas.events.cloudevents import CloudEvent, write_event
from schemas.field_faults import field_faults

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
EVENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "e-1",
    "source": "/platform",
    "type": "withdrawal.mined.v1",
    "time": "2026-11-20T09:00:00Z",
    "subject": "w-1",
    "datacontenttype": "application/json",
    "data": {"withdrawalId": "w-1"},
}


def test_attributes_are_lower_case_on_the_wire() -> None:
    event = CloudEvent.model_validate({**EVENT, "traceparent": TRACE, "tracestate": "a=b", "partitionkey": "7"})
    assert event.to_wire() == {**EVENT, "traceparent": TRACE, "tracestate": "a=b"}


@pytest.mark.parametrize("sent", ["nonsense", 5, None, TRACE.upper(), TRACE + "-00", ""])
def test_a_bad_trace_context_is_dropped_and_refuses_nothing(sent: Any) -> None:
    assert CloudEvent.model_validate({**EVENT, "traceparent": sent}).traceparent is None


@pytest.mark.parametrize("sent", ["x" * 513, "a\x00", "a\nb", "", 5, {}])
def test_a_bad_trace_state_is_dropped(sent: Any) -> None:
    assert CloudEvent.model_validate({**EVENT, "tracestate": sent}).tracestate is None


@pytest.mark.parametrize(
    "sent", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json", "", None]
)
def test_content_types_of_json_are_json(sent: Any) -> None:
    assert CloudEvent.model_validate({**EVENT, "datacontenttype": sent}).data == {"withdrawalId": "w-1"}


@pytest.mark.parametrize("sent", ["application/xml", "text/json", "application/jsonp", "avro/binary"])
def test_other_content_types_are_refused(sent: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CloudEvent.model_validate({**EVENT, "datacontenttype": sent})
    assert [fault.path for fault in field_faults(refused.value)] == ["datacontenttype"]


@pytest.mark.parametrize("field", ["id", "source", "type", "subject", "data"])
def test_what_is_needed_is_needed(field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        CloudEvent.model_validate({name: value for name, value in EVENT.items() if name != field})
    (fault,) = field_faults(refused.value)
    assert (fault.code, fault.path) == ("MISSING_FIELD", field)


def test_what_we_write_is_what_we_read() -> None:
    written = write_event(
        type="withdrawal.verdict.v1",
        source="/travelrule/north",
        id="v-1",
        subject="w-1",
        time=datetime(2026, 11, 20, 18, 0, 0, 5, tzinfo=timezone(timedelta(hours=9))),
        data={"amount": Decimal("0.00000001"), "name": "김"},
        traceparent=TRACE,
    )
    event = CloudEvent.model_validate_json(written)
    assert event.time == datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    assert event.data == {"amount": "0.00000001", "name": "김"}
    assert event.traceparent == TRACE
    assert list(json.loads(written)) == [
        "specversion", "id", "source", "type", "time", "subject", "datacontenttype", "traceparent", "data",
    ]  # fmt: skip


def test_what_json_does_not_know_is_our_own_error() -> None:
    with pytest.raises(TypeError):
        write_event(
            type="t", source="s", id="i", subject="s", time=datetime(2026, 1, 1, tzinfo=UTC), data={"a": object()}
        )


def test_a_trace_state_is_written_where_there_is_one() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    written = write_event(type="t", source="s", id="i", subject="s", time=moment, data={}, tracestate="a=b")
    assert json.loads(written)["tracestate"] == "a=b"
