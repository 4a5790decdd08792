"""A subject in memory while a batch holds its lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from travelrule.crypto.audit_chain import CHAIN_START
from travelrule.machine.port import FIRST_VERSION
from travelrule.machine.projection import Projection


@dataclass(slots=True)
class LockedSubject:
    """One locked subject. ``name`` is qualified (``withdrawal:ID``). ``state`` None: no input has created it yet (it
    may have parked inputs).

    ``erased``: the data key is deleted, so the state cannot be read. ``new_key`` is the wrapped data key of a subject
    without a row that the batch may create. ``dumped`` is the state as bytes after a decision of this batch; until then
    the row keeps ``sealed``, the state as stored. ``before`` is the stored state as bytes if another version of the
    machine wrote it: the next audit record keeps it, because later versions cannot rebuild it. ``projection`` is the
    projection of the stored state, ``projected`` that of the present one. ``traceparent`` is the trace of the last
    input that had one; what a timer causes belongs to it. ``reason`` is the first reason of the last verdict.
    ``requested_at`` is the time of the platform's request, ``answer_due_at`` until when it gets its first verdict (None
    once it has one, and for what is not answered by a verdict).
    """

    name: str
    kind: str
    stored: bool = False
    erased: bool = False
    new_key: bytes = b""
    state: Any = field(default=None, repr=False)
    dumped: bytes = field(default=b"", repr=False)
    sealed: bytes | None = field(default=None, repr=False)
    before: bytes = field(default=b"", repr=False)
    projected: Projection | None = field(default=None, repr=False)
    data_key: bytes = field(default=b"", repr=False)
    sequences: dict[str, int] = field(default_factory=dict)
    head: bytes = CHAIN_START
    records: int = 0
    machine_version: int = 0
    machine_records: int = 0
    parked: int = 0
    due_at: datetime | None = None
    traceparent: str | None = None
    reason: str = ""
    requested_at: datetime | None = None
    answer_due_at: datetime | None = None
    projection: Projection | None = field(default=None, repr=False)
    changed: bool = False

    @property
    def written_by(self) -> int:
        """The version of the machine that wrote the last record. A program without versions, running beside newer ones
        during an upgrade, counts its records and leaves version and count of the versioned ones unchanged.
        """
        return self.machine_version if self.machine_version and self.machine_records == self.records else FIRST_VERSION

    @property
    def bare_id(self) -> str:
        """The name without its kind: the Kafka key of the subject's events."""
        return self.name.partition(":")[2]
