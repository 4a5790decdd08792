"""OpenSanctions' ``targets.simple.csv``: one row for each target, several values of a cell between semicolons.

Columns: ``id``, ``schema``, ``name``, ``aliases``, ``birth_date``, ``countries`` (alpha-2, small), ``sanctions``,
``identifiers``, ``dataset``, ``program_ids``. A cell of several values is itself a row of CSV: a value with a semicolon
is in quotes. A ``CryptoWallet`` has its address in ``name`` or ``identifiers``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence

from travelrule.screening.lists.entry_draft import EntryDraft, ListImport, opaque
from travelrule.screening.lists.formats.opensanctions_schemas import SCHEMAS, WALLET
from travelrule.screening.lists.header_table import table
from travelrule.screening.lists.list_entries import ListEntry
from travelrule.screening.lists.list_file import ListFile

NEEDED = frozenset({"id", "schema", "name", "aliases"})
ADDRESS_CHARACTERS_MIN = 20


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the targets. Raises ``ListFaults``."""
    for file in files:
        for place, cells, bare in table(file, NEEDED):
            schema = cells.get("schema", "")
            if not cells or not cells["id"]:
                reading.notes.note(
                    file.name, place, "ROW", "not the columns of the header, or no id: kept as plain text"
                )
                entry = opaque(reading, file.name, place, bare[0], bare[2:3])
            elif schema not in SCHEMAS:
                reading.notes.skipped += 1
                entry = None
            else:
                entry = _entry(reading, file.name, place, cells)
            if entry is not None:
                yield entry


def _entry(reading: ListImport, file: str, place: str, cells: Mapping[str, str]) -> ListEntry | None:
    schema = cells["schema"]
    draft = EntryDraft(reading, file, place, cells["id"], SCHEMAS[schema])
    draft.name(cells["name"], "primary")
    for alias in _values(cells["aliases"]):
        draft.name(alias)
    for text in _values(cells.get("birthdate", "")):
        draft.birth(text)
    for country in _values(cells.get("countries", "")):
        draft.country(country)
    for programme in _values(cells.get("programids", "")) or _values(cells.get("dataset", "")):
        draft.programme(programme)
    if schema == WALLET:
        for text in (cells["name"], *_values(cells.get("identifiers", ""))):
            if len(text) >= ADDRESS_CHARACTERS_MIN and " " not in text:
                draft.address("", text)
    return draft.finish()


def _values(cell: str) -> list[str]:
    return [value for row in csv.reader([cell], delimiter=";") for value in row if value] if cell else []
