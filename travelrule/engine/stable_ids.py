"""Ids that are computed: the same event, call or dead letter has the same id whenever and wherever it is made."""

from __future__ import annotations

from uuid import UUID, uuid5

import orjson

EVENT_NAMESPACE = UUID("6b0f6f5e-6a55-4c0b-9a3e-0d8f3b0a2f11")


def stable_id(*parts: str | int) -> str:
    """A UUID that only these parts have. As JSON they cannot run into each other, whatever ids platforms choose."""
    return str(uuid5(EVENT_NAMESPACE, orjson.dumps(parts).decode()))
