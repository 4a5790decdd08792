"""Import of one list: the files of a format read into the stored form, with a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from travelrule.errors import UsageError
from travelrule.screening.lists.entry_draft import ListImport
from travelrule.screening.lists.formats.registry import FORMATS
from travelrule.screening.lists.import_report import FileFault, ImportReport, ListFaults
from travelrule.screening.lists.limits import LIMITS, ListLimits
from travelrule.screening.lists.list_content import ContentWriter
from travelrule.screening.lists.list_file import ListFile

CODE = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


@dataclass(frozen=True, slots=True)
class ImportedList:
    """A list that was read completely: its stored form and the report of the import."""

    content: bytes
    report: ImportReport


def import_list(name: str, paths: Sequence[Path], code: str | None = None, limits: ListLimits = LIMITS) -> ImportedList:
    """Read the files (or folders) of one list in the format ``name``.

    Raises ``UsageError`` for an unknown format, an invalid code or a path that is no file of the format, and
    ``ListFaults`` if the files are not a complete list, of which nothing may be used.
    """
    if name not in FORMATS:
        raise UsageError(f"no such format: write one of {', '.join(FORMATS)}")
    found = [path for given in paths for path in files_of(name, given)]
    if not found:
        raise UsageError("give the files of the list")
    code = code or default_code(name, found)
    if not CODE.fullmatch(code):
        raise UsageError("a code has 1 to 63 small letters, digits, dots, dashes and underscores")
    files = [ListFile(path, limits) for path in found]
    try:
        return _read(name, code, files, limits)
    except ListFaults as faults:
        faults.code = code
        raise
    finally:
        for file in files:
            file.close()


def _read(name: str, code: str, files: Sequence[ListFile], limits: ListLimits) -> ImportedList:
    reading = ListImport(code, limits)
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
    """Return the path of a file itself, or the files of the format in a folder. Raises ``UsageError``."""
    if given.is_file():
        return [given]
    if not given.is_dir():
        raise UsageError(f"{given} is neither a file nor a folder")
    found = sorted(path for path in given.iterdir() if path.is_file() and FORMATS[name].is_file_of(path.name))
    if not found:
        raise UsageError(f"{given} has no files of the format {name}")
    return found


def default_code(name: str, files: Sequence[Path]) -> str:
    """Return the code of a list whose operator gave none."""
    return FORMATS[name].code_of([path.name for path in files])


def _plausible(files: Sequence[ListFile], reading: ListImport, entries: int) -> None:
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
