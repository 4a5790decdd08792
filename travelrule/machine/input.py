"""Inputs: everything that changes something, whoever sent it, has this one shape (design section 2).

An input is known by ``(source, id)``. ``data`` is a frozen schema model; ``content`` is its canonical JSON, from which
the input can be read again years later to recompute a decision. Randomness that a decision needs (a fresh
``transferId``) comes from ``salt``, which is stored with the input.
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
    """The Kafka record that an input was decoded from, kept so that a refusal can be dead-lettered whole."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()

    def __repr__(self) -> str:
        """Where the record stood; never its content, which may hold personal data."""
        return f"RawMessage({self.topic}/{self.partition}/{self.offset})"


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that happened, ready to be decided on.

    ``subject`` is qualified: ``withdrawal:ID``, ``exchange:ORIGIN/TRANSFERID``, ``wallet:ID``, ``vasp:ENTITYID``.
    ``reply_to_unknown`` is set by synchronous callers (the gateway): an input for a subject that is not there is then
    decided at once instead of being parked until the subject arrives. ``verified_by`` is the id of the key whose
    signature was verified before the input was accepted; empty: none was. No sender can set it.
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
        """By what it is known, as one text."""
        return f"{self.source}#{self.id}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A message that cannot become an input: a value, not an exception, so that nothing behind it waits.

    ``code`` is stable, ``field`` names the place (a path, no value), ``fix`` says what to send instead. None of the
    three may hold personal data. ``subject`` is the subject that the message is about, as far as it can be read; for a
    message between subjects its receiver, who is alerted. ``type`` is the event's type if it is one of ours, ``event``
    is ``source#id``; both are empty where they cannot be read.
    """

    raw: RawMessage
    code: str
    field: str = ""
    fix: str = ""
    subject: str = ""
    type: str = ""
    event: str = ""
