"""OpenSanctions' ``entities.ftm.json``: one JSON object a line with ``id``, ``schema``, ``caption`` and ``properties``.

Targets (``target`` true or absent) of the schemata that can be listed are read; addresses, sanctions, ownership and
relatives are skipped and counted. ``weakAlias`` is weak, ``alias`` and ``previousName`` strong. A ``CryptoWallet`` is
an entry even if it is no target: its address is ``publicKey``, its symbol ``currency``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from travelrule.screening.lists.entry_draft import EntryDraft, ListImport, opaque
from travelrule.screening.lists.formats.opensanctions_schemas import SCHEMAS, WALLET
from travelrule.screening.lists.list_entries import ListEntry, NameQuality
from travelrule.screening.lists.list_file import ListFile

_NAMES: tuple[tuple[str, NameQuality], ...] = (
    ("name", "primary"),
    ("alias", "strong"),
    ("previousName", "strong"),
    ("weakAlias", "weak"),
)
_COUNTRIES = ("nationality", "citizenship", "country", "jurisdiction", "flag", "birthCountry")
_BIRTHS = "birthDate"


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the targets. Raises ``ListFaults``; a malformed last line means that the file is truncated."""
    for file in files:
        broken = ""
        for number, line in enumerate(file.lines(), 1):
            if not line.strip():
                continue
            place = f"line {number}"
            if broken:
                reading.notes.note(file.name, broken, "NOT_JSON", "the line is no JSON object: nothing of it is known")
                broken = ""
            try:
                found = orjson.loads(line)
            except orjson.JSONDecodeError:
                broken = place
                continue
            if (entry := _checked(reading, file.name, place, found)) is not None:
                yield entry
        if broken:
            raise file.fault(broken, "TRUNCATED", "the last line is no whole JSON object: fetch the file again")


def _checked(reading: ListImport, file: str, place: str, found: object) -> ListEntry | None:
    if not isinstance(found, dict):
        reading.notes.note(file, place, "ROW", "the line is no object: nothing of it is known")
        return None
    number, schema, properties = (found.get(name) for name in ("id", "schema", "properties"))
    if isinstance(schema, str) and (schema not in SCHEMAS or (found.get("target") is False and schema != WALLET)):
        reading.notes.skipped += 1
        return None
    if not (isinstance(number, str) and isinstance(schema, str) and _are_texts(properties)):
        reading.notes.note(file, place, "ROW", "id, schema or properties are not as they should be: kept as plain text")
        return opaque(reading, file, place, number if isinstance(number, str) else "", _texts(found))
    return _entry(reading, file, place, found)


def _entry(reading: ListImport, file: str, place: str, found: Mapping[str, Any]) -> ListEntry | None:
    properties: Mapping[str, list[str]] = found["properties"]
    draft = EntryDraft(reading, file, place, found["id"], SCHEMAS[found["schema"]])
    caption = found.get("caption")
    names = [(name, quality) for key, quality in _NAMES for name in properties.get(key, ())]
    if isinstance(caption, str) and (any(name == caption for name, _ in names) or not names):
        draft.name(caption, "primary")
    for name, quality in names:
        draft.name(name, quality)
    for text in properties.get(_BIRTHS, ()):
        draft.birth(text)
    for key in _COUNTRIES:
        for country in properties.get(key, ()):
            draft.country(country)
    datasets = found.get("datasets")
    for programme in properties.get("programId") or properties.get("program") or datasets or ():
        draft.programme(str(programme))
    symbol = next(iter(properties.get("currency", ())), "")
    for address in properties.get("publicKey", ()):
        draft.address(symbol, address)
    return draft.finish()


def _are_texts(properties: object) -> bool:
    return isinstance(properties, dict) and all(
        isinstance(values, list) and all(isinstance(value, str) for value in values) for values in properties.values()
    )


def _texts(found: Mapping[str, Any]) -> list[str]:
    """Return the texts of a malformed object that may be names."""
    properties = found.get("properties")
    names = [properties.get(key) for key, _ in _NAMES] if isinstance(properties, dict) else []
    flat = [value for each in (found.get("caption"), *names) for value in (each if isinstance(each, list) else [each])]
    return [value for value in flat if isinstance(value, str)]
