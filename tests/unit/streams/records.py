"""Records as platforms send them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from streams.codec import read
from travelrule.machine.input import Input, RawMessage, Rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ID = "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"

Headers = tuple[tuple[str, bytes], ...]


def event(**changes: Any) -> dict[str, Any]:
    """A broadcast event; a change to ``...`` removes the attribute."""
    whole = {
        "specversion": "1.0",
        "id": "e-1",
        "source": "/platform",
        "type": "withdrawal.broadcast.v1",
        "time": "2026-11-20T09:00:00Z",
        "subject": ID,
        "datacontenttype": "application/json",
        "data": {"withdrawalId": ID, "txid": "AB01"},
    } | changes
    return {name: value for name, value in whole.items() if value is not ...}


def record(
    value: bytes | None, topic: str = "txids", key: bytes | None = ID.encode(), headers: Headers = ()
) -> RawMessage:
    return RawMessage(topic, 3, 42, key, value, headers)


def read_bytes(
    value: bytes | None, topic: str = "txids", key: bytes | None = ID.encode(), headers: Headers = ()
) -> Input | Rejected:
    return read(record(value, topic, key, headers), topic, received_at=NOW)


def read_event(topic: str = "txids", key: bytes | None = ID.encode(), **changes: Any) -> Input | Rejected:
    return read_bytes(orjson.dumps(event(**changes)), topic, key)


def accepted(result: Input | Rejected) -> Input:
    assert isinstance(result, Input), result
    return result


def refused(result: Input | Rejected) -> tuple[str, str]:
    assert isinstance(result, Rejected)
    assert result.fix
    return result.code, result.field
