"""A subject in memory while a batch holds its lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from travelrule.crypto.audit_chain import CHAIN_START
from travelrule.machine.port import FIRST_VERSION
from travelrule.machine.projection import Projection

NO_HEAD = CHAIN_START


@dataclass(slots=True)
class LockedSubject:
    """One locked subject. ``state`` None: nothing has created it yet (it may hold parked inputs).

    ``erased`` means that the data key was destroyed: the state can never be read again. A subject that is not there yet
    but may be has its wrapped data key in ``new_key``; its row is inserted if the batch changes it. ``dumped`` is the
    state as bytes, once a decision of this batch has changed it; until then the row keeps ``sealed``, the state as it
    is stored. ``before`` is the stored state as bytes if another version of the machine wrote it: the next audit record
    keeps it, because no later program can rebuild it. ``projected`` is the projection of the state as it is now.
    ``traceparent`` is the trace of the last input that had one: what a timer begins belongs to it.
    """

    subject: str
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
    head: bytes = NO_HEAD
    records: int = 0
    machine_version: int = 0
    machine_records: int = 0
    parked: int = 0
    due_at: datetime | None = None
    traceparent: str | None = None
    projection: Projection | None = field(default=None, repr=False)
    changed: bool = False

    @property
    def written_by(self) -> int:
        """The version of the machine that wrote the last record. A program from before there were versions, still
        running while others were upgraded, counts the record and leaves the rest as it was.
        """
        return self.machine_version if self.machine_version and self.machine_records == self.records else FIRST_VERSION

    @property
    def bare_id(self) -> str:
        """The subject without its kind: the Kafka key of what is said about it."""
        return self.subject.partition(":")[2]
