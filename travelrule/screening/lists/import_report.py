"""The report of an import: what was read, what could not be read, and why a file was refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

UNREAD_KEPT = 100


@dataclass(frozen=True, slots=True)
class FileFault:
    """Why a file was refused: its name, the place in it, a stable code, the fix. Contains no value of the file."""

    file: str
    place: str
    code: str
    fix: str

    def __str__(self) -> str:
        """Return one line for a reader."""
        return f"{self.file}{' ' + self.place if self.place else ''}: {self.code}: {self.fix}"


class ListFaults(ValueError):  # noqa: N818 -- named after its content
    """The files are not a complete, readable list; nothing of them may be used. ``faults`` has at least one fault,
    ``code`` is the list's code once it is known.
    """

    def __init__(self, faults: Iterable[FileFault]) -> None:
        self.code = ""
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was read: its name without folder, SHA-256 in hex, size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class UnreadPlace:
    """A row or element that was not, or not fully, interpreted. ``code`` is stable; no field contains a value."""

    file: str
    place: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import. ``unread`` has the first ``UNREAD_KEPT`` places, ``unread_total`` counts all.
    ``skipped`` counts elements that are no entries by the rules of the format. ``published`` is the file's date.
    """

    code: str
    format: str
    version: str
    files: tuple[FileRead, ...]
    entries: int
    names: int
    addresses: int
    skipped: int
    unread: tuple[UnreadPlace, ...]
    unread_total: int
    published: datetime | None

    def as_dict(self) -> dict[str, Any]:
        """Return the report in its JSON form."""
        return {
            "list": self.code,
            "format": self.format,
            "version": self.version,
            "published": self.published.isoformat() if self.published else None,
            "files": [asdict(file) for file in self.files],
            "entries": self.entries,
            "names": self.names,
            "addresses": self.addresses,
            "skipped": self.skipped,
            "unreadTotal": self.unread_total,
            "unread": [asdict(unread) for unread in self.unread],
        }


@dataclass(slots=True)
class ImportNotes:
    """Notes of the importers while they read."""

    unread: list[UnreadPlace] = field(default_factory=list)
    unread_total: int = 0
    opaque: int = 0
    skipped: int = 0
    published: datetime | None = None

    def note(self, file: str, place: str, code: str, reason: str) -> None:
        """Add a place that could not be read."""
        self.unread_total += 1
        if len(self.unread) < UNREAD_KEPT:
            self.unread.append(UnreadPlace(file, place, code, reason))
