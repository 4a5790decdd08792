"""The journal of a sandbox: every call through the hub, in order, and whether it reached the member.

Tests with faults compare a VASP's records with it. It holds ids and codes, never a payload.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import orjson

from travelrule.hub.records import CallRecord

ENTRIES_MAX = 1_000_000
"""Calls in memory; the oldest are removed first. The file holds all."""

PAGE_MAX = 10_000


@dataclass(frozen=True, slots=True)
class JournalPage:
    """A part of the journal. ``next`` is the ``since`` of the following page."""

    entries: list[dict[str, Any]]
    next: int
    forgotten: int


class SandboxJournal:
    """Stores the records of ended calls; with ``folder`` also appends them to ``journal.jsonl`` there."""

    def __init__(self, folder: Path | None = None, *, entries_max: int = ENTRIES_MAX) -> None:
        self._records: deque[CallRecord] = deque(maxlen=entries_max)
        self._count = 0
        self._file: BinaryIO | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            # Unbuffered: a line is written before the caller receives its answer.
            self._file = (folder / "journal.jsonl").open("ab", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the calls in memory stay readable."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def record(self, record: CallRecord) -> None:
        """Store the record of a call that ended."""
        self._count += 1
        self._records.append(record)
        if self._file is not None:
            self._file.write(orjson.dumps(entry(self._count, record)) + b"\n")

    def page(
        self, since: int = 0, limit: int = PAGE_MAX, keep: Callable[[CallRecord], bool] = lambda _: True
    ) -> JournalPage:
        """Return at most ``limit`` entries with a sequence above ``since`` for which ``keep`` is true."""
        forgotten = self._count - len(self._records)
        entries: list[dict[str, Any]] = []
        last = max(since, forgotten)
        for record in islice(self._records, max(0, since - forgotten), None):
            last += 1
            if keep(record):
                entries.append(entry(last, record))
                if len(entries) == limit:
                    break
        return JournalPage(entries, last, forgotten)


def entry(sequence: int, record: CallRecord) -> dict[str, Any]:
    """Return the journal's form of a record; ``status`` is null if the caller received no answer."""
    ids = {
        "transferId": record.transfer_id,
        "requestId": record.request_id,
        "txid": record.txid,
        "result": record.result,
        "reasonType": record.reason_type,
    }
    return {
        "sequence": sequence,
        "time": record.at.isoformat().replace("+00:00", "Z"),
        "operation": record.operation,
        "from": record.caller,
        "to": record.target,
        "status": record.status,
        "errorType": record.error_type,
        "ids": {name: value for name, value in ids.items() if value},
        "member": {
            "reached": record.reached,
            "status": record.member_status,
            "errorType": record.member_error_type,
        },
        "fault": record.fault,
        "nonce": record.nonce,
        "traceparent": record.traceparent,
        "milliseconds": round(record.seconds * 1000, 3),
    }
