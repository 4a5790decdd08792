"""The list of the operator: CSV with a header of at least ``name``. Its documentation is generated from ``COLUMNS``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from travelrule.screening.lists.entry_draft import EntryDraft, ListImport, opaque
from travelrule.screening.lists.header_table import columns_of, split, table
from travelrule.screening.lists.list_entries import KINDS, EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in the header, the content of a cell, and an example."""

    name: str
    meaning: str
    example: str


COLUMNS = (
    Column("name", "the name as a person writes it, given names first; required", "Ivan Petrov"),
    Column("id", "an id of its own; without it the number of the row", "own-17"),
    Column("kind", f"{', '.join(KINDS)}; empty: other", "person"),
    Column("aliases", "other names, between semicolons", "Vanya Petrov; I. Petrov"),
    Column("weak_aliases", "names that many others have too, between semicolons", "Vanya"),
    Column("birth_date", "`1979-09-21`, `1979-09`, `1979` or `1979 to 1981`, between semicolons", "1979-09-21"),
    Column("countries", "names or ISO 3166 alpha-2 codes, between semicolons", "RU; Cyprus"),
    Column("programmes", "why they are listed, between semicolons", "board decision 12"),
    Column(
        "addresses",
        "addresses on chain, between semicolons: bare, or behind the currency and a blank",
        "XBT 1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K; rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
    ),
)
_KNOWN = frozenset(columns_of(column.name for column in COLUMNS))
_KINDS: dict[str, EntryKind] = {kind: kind for kind in KINDS} | {
    "company": "organisation",
    "organization": "organisation",
}


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the rows. Raises ``ListFaults``."""
    for file in files:
        unknown = False
        for place, cells, bare in table(file, frozenset({"name"})):
            if not unknown and cells and (more := sorted(cells.keys() - _KNOWN)):
                unknown = True
                reading.notes.note(file.name, "line 1", "COLUMN", f"{len(more)} columns are not known and not read")
            if not cells:
                reading.notes.note(file.name, place, "ROW", "not as many cells as the header has: kept as plain text")
                entry = opaque(reading, file.name, place, place, bare)
            else:
                entry = _entry(reading, file.name, place, cells)
            if entry is not None:
                yield entry


def _entry(reading: ListImport, file: str, place: str, cells: Mapping[str, str]) -> ListEntry | None:
    written = cells.get("kind", "").casefold()
    draft = EntryDraft(
        reading, file, place, cells.get("id") or place.removeprefix("line "), _KINDS.get(written, "other")
    )
    if written and written not in _KINDS:
        draft.odd("KIND", f"write {', '.join(KINDS)}, or nothing; read as other")
    draft.name(cells["name"], "primary")
    for alias in split(cells.get("aliases", "")):
        draft.name(alias, "strong")
    for alias in split(cells.get("weakaliases", "")):
        draft.name(alias, "weak")
    for text in split(cells.get("birthdate", "")):
        draft.birth(text)
    for country in split(cells.get("countries", "")):
        draft.country(country)
    for programme in split(cells.get("programmes", "")):
        draft.programme(programme)
    for text in split(cells.get("addresses", "")):
        symbol, _, address = text.rpartition(" ")
        draft.address(symbol, address)
    return draft.finish()
