"""Inputs: everything that changes a subject has this one shape, whatever its source (design section 2).

``(source, id)`` identifies an input. ``data`` is a frozen schema model; ``content`` is its canonical JSON, from which
the input can be read years later to recompute a decision. Randomness that a decision needs (a fresh ``transferId``)
comes from ``salt``, which is stored with the input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NewType
from uuid import UUID

from schemas.wire_model import Wire
from travelrule.crypto.fingerprint import fingerprint

Source = NewType("Source", str)
"""Where an input comes from. Only ``machine.sources`` makes one, and the store reads it back."""


@dataclass(frozen=True, slots=True)
class RawMessage:
    """The Kafka record that an input was decoded from, retained for the dead letter of a refusal."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()

    def __repr__(self) -> str:
        """Return the place of the record, never its content, which may hold personal data."""
        return f"RawMessage({self.topic}/{self.partition}/{self.offset})"


@dataclass(frozen=True, slots=True)
class Input:
    """One input, ready for a decision.

    ``subject`` is qualified: ``withdrawal:ID``, ``exchange:ORIGIN/TRANSFERID``, ``wallet:ID``, ``vasp:ENTITYID``.
    ``reply_to_unknown`` is set by synchronous callers (the gateway): an input for an unknown subject is then decided at
    once instead of being parked until the subject arrives. ``verified_by`` is the id of the key whose signature was
    verified before the input was accepted; empty: none was. No sender can set it.
    """

    source: Source
    id: str
    type: str
    subject: str
    at: datetime
    data: Wire = field(repr=False)
    content: bytes = field(repr=False)
    salt: UUID
    traceparent: str | None = None
    raw: RawMessage | None = None
    reply_to_unknown: bool = False
    verified_by: str = ""

    @property
    def fingerprint(self) -> str:
        """Equal for the same type and data, whatever the id. Stored in sealed states only."""
        return fingerprint(f"{self.type}\0".encode() + self.content)

    @property
    def event(self) -> str:
        """Source and id as one text."""
        return f"{self.source}#{self.id}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A message that cannot become an input: a value, not an exception, so that it does not block what follows it.

    ``code`` is stable, ``field`` names the place (a path, no value), ``fix`` describes what to send instead. None of
    the three may hold personal data. ``subject`` is the subject of the message, as far as it can be read; for a message
    between subjects its receiver, for which an alert is raised. ``type`` is the event's type if it is one of ours,
    ``event`` is ``source#id``; both are empty if they cannot be read.
    """

    raw: RawMessage
    code: str
    field: str = ""
    fix: str = ""
    subject: str = ""
    type: str = ""
    event: str = ""
