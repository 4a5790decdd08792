"""Inputs as bytes and back: what is kept sealed in ``inputs`` and ``parked``, and read again later."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from schemas.registry import EVENTS
from schemas.wire_model import Wire
from travelrule.engine.registry import INTERNAL_INPUTS
from travelrule.machine.input import Input, RawMessage, Source


def model_of(input_type: str) -> type[Wire]:
    """The model of an input's data; KeyError for a type that this version does not know."""
    internal = INTERNAL_INPUTS.get(input_type)
    return internal if internal is not None else EVENTS[input_type].model


def pack(item: Input, *, with_raw: bool = False) -> bytes:
    """The input as JSON. ``with_raw`` keeps the Kafka record too, for inputs that may still be dead-lettered.

    A platform's event is kept as it came; an input of our own as its model, with the facts that were looked up for the
    decision (they are no part of ``content``, by which a repetition is recognised).
    """
    envelope: dict[str, Any] = {
        "source": item.source,
        "id": item.id,
        "type": item.type,
        "subject": item.subject,
        "at": item.at,
        "salt": item.salt,
        "traceparent": item.traceparent,
    }
    if item.type in INTERNAL_INPUTS:
        envelope["data"] = item.data.model_dump_json(by_alias=True)
    else:
        envelope["data"] = item.content.decode()
    if item.verified_by:
        envelope["verifiedBy"] = item.verified_by
    if with_raw and item.raw is not None:
        envelope["raw"] = pack_raw(item.raw)
    return orjson.dumps(envelope)


def unpack(packed: bytes) -> Input:
    """The input that ``pack`` wrote."""
    envelope = orjson.loads(packed)
    content = envelope["data"].encode()
    raw = envelope.get("raw")
    return Input(
        source=Source(envelope["source"]),
        id=envelope["id"],
        type=envelope["type"],
        subject=envelope["subject"],
        at=datetime.fromisoformat(envelope["at"]),
        data=model_of(envelope["type"]).model_validate_json(content),
        content=content,
        salt=UUID(envelope["salt"]),
        traceparent=envelope["traceparent"],
        raw=unpack_raw(raw) if raw is not None else None,
        verified_by=envelope.get("verifiedBy", ""),
    )


def packed_name(packed: bytes) -> tuple[str, str, str, str, bytes]:
    """Source, id, type, subject and data of what ``pack`` wrote, also where this version does not know the type or has
    another model of it.
    """
    envelope = orjson.loads(packed)
    return envelope["source"], envelope["id"], envelope["type"], envelope["subject"], envelope["data"].encode()


def pack_raw(raw: RawMessage) -> dict[str, Any]:
    """A Kafka record as JSON-able data, byte for byte."""
    return {
        "topic": raw.topic,
        "partition": raw.partition,
        "offset": raw.offset,
        "key": _text(raw.key),
        "value": _text(raw.value),
        "headers": [[name, _text(value)] for name, value in raw.headers],
    }


def unpack_raw(packed: dict[str, Any]) -> RawMessage:
    """The Kafka record that ``pack_raw`` wrote."""
    return RawMessage(
        topic=packed["topic"],
        partition=packed["partition"],
        offset=packed["offset"],
        key=_bytes(packed["key"]),
        value=_bytes(packed["value"]),
        headers=tuple((name, _bytes(value) or b"") for name, value in packed["headers"]),
    )


def _text(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else base64.b64decode(value)
