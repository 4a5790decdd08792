"""The formats of ``lists import`` and the one way into all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from travelrule.errors import UsageError
from travelrule.screening.lists import (
    eu_xml,
    ofac_csv,
    ofac_xml,
    opensanctions_csv,
    opensanctions_ftm,
    own_csv,
    uk_csv,
    un_xml,
)
from travelrule.screening.lists.content import ContentWriter
from travelrule.screening.lists.draft import Reading
from travelrule.screening.lists.limits import LIMITS, Limits
from travelrule.screening.lists.model import ListEntry
from travelrule.screening.lists.report import FileFault, ImportReport, ListFaults
from travelrule.screening.lists.source import ListFile

CODE = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")

Importer = Callable[[Sequence[ListFile], Reading], Iterator[ListEntry]]


@dataclass(frozen=True, slots=True)
class ListFormat:
    """One format: the code that its list gets by default, its importer, and how its files are called in a folder."""

    code: str
    read: Importer
    suffixes: tuple[str, ...]


_FORMATS: dict[str, ListFormat] = {
    "ofac-csv": ListFormat("ofac-sdn", ofac_csv.read, (".csv",)),
    "ofac-xml": ListFormat("ofac-sdn", ofac_xml.read, (".xml",)),
    "un-xml": ListFormat("un", un_xml.read, (".xml",)),
    "eu-xml": ListFormat("eu", eu_xml.read, (".xml",)),
    "uk-csv": ListFormat("uk", uk_csv.read, (".csv",)),
    "opensanctions-csv": ListFormat("opensanctions", opensanctions_csv.read, (".csv",)),
    "opensanctions-ftm": ListFormat("opensanctions", opensanctions_ftm.read, (".json", ".jsonl", ".ftm")),
    "own-csv": ListFormat("own", own_csv.read, (".csv",)),
}
FORMATS = MappingProxyType(_FORMATS)
OFAC_OTHER = "ofac-cons"
"""Code of OFAC's lists beside the SDN list, whose files are called ``cons_...`` or ``consolidated``."""


@dataclass(frozen=True, slots=True)
class ImportedList:
    """A list that was read as a whole: its kept form and what the import says about it."""

    content: bytes
    report: ImportReport


def import_list(name: str, paths: Sequence[Path], code: str | None = None, limits: Limits = LIMITS) -> ImportedList:
    """Read the files (or folders) of one list in the format ``name``.

    Raises ``UsageError`` for an unknown format, a bad code or a path that is no file of the format, and ``ListFaults``
    if the files are not a whole list: then nothing of them counts.
    """
    if name not in FORMATS:
        raise UsageError(f"no such format: write one of {', '.join(FORMATS)}")
    found = [path for given in paths for path in files_of(name, given)]
    if not found:
        raise UsageError("give the files of the list")
    code = code or default_code(name, found)
    if not CODE.fullmatch(code):
        raise UsageError("a code has 1 to 63 small letters, digits, dots, dashes and underscores")
    try:
        return _read(name, code, [ListFile(path, limits) for path in found], limits)
    except ListFaults as faults:
        faults.code = code
        raise


def _read(name: str, code: str, files: Sequence[ListFile], limits: Limits) -> ImportedList:
    reading = Reading(code, limits)
    writer = ContentWriter()
    for entry in FORMATS[name].read(files, reading):
        files[-1].check_entries(writer.entries + 1)
        writer.add(entry)
    _plausible(files, reading, writer.entries)
    version, content = writer.finish()
    notes = reading.notes
    report = ImportReport(
        code=code,
        format=name,
        version=version,
        files=tuple(file.read for file in files),
        entries=writer.entries,
        names=writer.names,
        addresses=writer.addresses,
        skipped=notes.skipped,
        unread=tuple(notes.unread),
        unread_total=notes.unread_total,
        published=notes.published,
    )
    return ImportedList(content, report)


def files_of(name: str, given: Path) -> list[Path]:
    """The files of the format that a path stands for: itself, or what a folder has of them. Raises ``UsageError``."""
    if given.is_file():
        return [given]
    if not given.is_dir():
        raise UsageError(f"{given} is neither a file nor a folder")
    found = sorted(
        path
        for path in given.iterdir()
        if path.is_file() and path.suffix.lower() in FORMATS[name].suffixes and not path.name.startswith(".")
    )
    if name == "ofac-csv":
        found = [path for path in found if ofac_csv.part_of(path.name)]
    if not found:
        raise UsageError(f"{given} has no files of the format {name}")
    return found


def default_code(name: str, files: Sequence[Path]) -> str:
    """The code of a list whose operator gave none."""
    if name.startswith("ofac") and any(path.name.lower().startswith("cons") for path in files):
        return OFAC_OTHER
    return FORMATS[name].code


def _plausible(files: Sequence[ListFile], reading: Reading, entries: int) -> None:
    limits, unread = reading.limits, reading.notes.unread_total
    if not entries:
        raise ListFaults(
            [FileFault(file.name, "", "NO_ENTRIES", "there is no entry in it: fetch it again") for file in files]
        )
    if reading.notes.opaque == entries:
        raise files[0].fault("", "OTHER_FORMAT", "not one row is as the format has it: is it another one?")
    if unread > limits.unread_free and unread * 100 > entries * limits.unread_share:
        fix = f"{unread} places could not be read beside {entries} entries: this is not the format, or it has changed"
        raise files[0].fault("", "TOO_MUCH_UNREAD", fix)
