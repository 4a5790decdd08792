"""OFAC's legacy CSV form: ``sdn.csv`` with ``alt.csv``, ``add.csv`` and ``sdn_comments.csv``, or ``cons_prim.csv`` and
its companions. No header; ``-0-`` is empty; rows join on the first column, ``ent_num``.

=============  ==================================================================================================
sdn            ent_num, name, type, programmes, title, call sign, vessel type, tonnage, GRT, flag, owner, remarks
alt            ent_num, alt_num, type (aka, fka, nka), name, remarks
add            ent_num, add_num, address, city, country, remarks
sdn_comments   ent_num, the rest of remarks that are too long: continues them in the middle of a word
=============  ==================================================================================================

Programmes have the form ``SDGT] [IRGC``. Aliases of ``alt`` are strong; the remarks contain the weak ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from travelrule.screening.lists.csv_rows import rows_of
from travelrule.screening.lists.entry_draft import EntryDraft, ListImport, has_letters, opaque
from travelrule.screening.lists.formats.ofac_remarks import read_remarks
from travelrule.screening.lists.import_report import FileFault, ListFaults
from travelrule.screening.lists.list_entries import EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.quoted_addresses import addresses_in

Part = Literal["prim", "alt", "add", "comments"]
COLUMNS: dict[Part, int] = {"prim": 12, "alt": 5, "add": 6, "comments": 2}
_KINDS: dict[str, EntryKind] = {"individual": "person", "vessel": "vessel", "aircraft": "aircraft", "": "organisation"}
_NULL = re.compile(r"-0?-?")
"""``-0-``, or the rest of it in a truncated last row."""

Joined = dict[str, list[tuple[int, list[str]]]]


def part_of(name: str) -> Part | None:
    """Return which of the four files has this name, None for none."""
    stem = name.lower().rpartition(".")[0]
    for part in ("alt", "add", "comments"):
        if stem == part or stem.endswith(f"_{part}"):
            return part
    return "prim" if stem in ("sdn", "cons_prim") or stem.endswith(("_sdn", "_prim")) else None


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the entries of the four files. Raises ``ListFaults`` if one is truncated, or the main one is missing."""
    parts = _parts(files)
    main = parts.pop("prim")
    for part in COLUMNS:
        if part != "prim" and part not in parts:
            reading.notes.note(main.name, "", "FILE_MISSING", f"no file of the kind `{part}` was given with it")
    joined = {part: _join(file, COLUMNS[part], reading) for part, file in parts.items()}
    for line, row in rows_of(main, COLUMNS["prim"]):
        place = f"line {line}"
        cells = [_cell(text) for text in row]
        if len(row) != COLUMNS["prim"] or not cells[0].strip().isdecimal() or not cells[1].strip():
            reading.notes.note(main.name, place, "ROW", "not twelve columns with number and name: kept as plain text")
            entry = opaque(reading, main.name, place, cells[0], cells[1:2] or cells)
        else:
            entry = _entry(reading, main.name, place, cells, joined)
        if entry is not None:
            yield entry
    yield from _orphans(parts, joined, reading)


def _parts(files: Sequence[ListFile]) -> dict[Part, ListFile]:
    parts: dict[Part, ListFile] = {}
    faults = []
    for file in files:
        part = part_of(file.name)
        if part is None or part in parts:
            fix = "name the files sdn.csv, alt.csv, add.csv and sdn_comments.csv, each once"
            faults.append(FileFault(file.name, "", "FILE_NAME", fix))
        else:
            parts[part] = file
    if "prim" not in parts:
        faults.append(FileFault(files[0].name, "", "FILE_MISSING", "give sdn.csv (or cons_prim.csv) too"))
    if faults:
        raise ListFaults(faults)
    return parts


def _join(file: ListFile, columns: int, reading: ListImport) -> Joined:
    joined: Joined = {}
    for held, (line, row) in enumerate(rows_of(file, columns), 1):
        file.check_entries(held)
        cells = [_cell(text) for text in row]
        number = cells[0].strip()
        if len(cells) != columns or not number.isdecimal():
            reading.notes.note(file.name, f"line {line}", "ROW", f"not {columns} columns with a number: kept as text")
            joined.setdefault(f"{file.name}:{line}", []).append((line, [*cells, *[""] * columns]))
        else:
            joined.setdefault(number, []).append((line, cells))
    return joined


def _entry(
    reading: ListImport, file: str, place: str, cells: list[str], joined: dict[Part, Joined]
) -> ListEntry | None:
    number, name, kind, programmes, flag = (cells[at].strip() for at in (0, 1, 2, 3, 9))
    draft = EntryDraft(reading, file, place, number, _KINDS.get(kind.lower(), "other"))
    draft.name(turned(name) if draft.kind == "person" else name, "primary")
    for programme in programmes.split("]"):
        draft.programme(programme.strip(" ["))
    _companions(draft, number, joined)
    draft.country(flag)
    rest = "".join(cells[1] for _, cells in joined.get("comments", {}).pop(number, ()))
    read_remarks(cells[11] + rest, draft, turned if draft.kind == "person" else str)
    return draft.finish()


def _companions(draft: EntryDraft, number: str, joined: dict[Part, Joined]) -> None:
    for _, cells in joined.get("alt", {}).pop(number, ()):
        draft.name(turned(cells[3]) if draft.kind == "person" else cells[3])
    for _, cells in joined.get("add", {}).pop(number, ()):
        draft.country(cells[4])


def _orphans(parts: dict[Part, ListFile], joined: dict[Part, Joined], reading: ListImport) -> Iterator[ListEntry]:
    """Yield entries for rows that the main file has no entry for, with their names and blockchain addresses."""
    for part, rows in joined.items():
        file = parts[part].name
        for number, found in rows.items():
            draft = EntryDraft(reading, file, f"line {found[0][0]}", number if number.isdecimal() else "")
            draft.odd("NO_ENTRY", "no entry of the main file has this number; its names and addresses are kept")
            for _, cells in found:
                if part == "alt":
                    for text in cells[3:4] if number.isdecimal() else filter(has_letters, cells):
                        draft.name(text, "opaque")
                elif part == "comments":
                    _read_rest(cells[1], draft)
            if not draft.empty and (entry := draft.finish()) is not None:
                yield entry


def _read_rest(rest: str, draft: EntryDraft) -> None:
    """Read the rest of remarks without their beginning: the first item may be the end of one."""
    first, _, others = rest.partition(";")
    if first.lstrip().startswith(("alt. ", "Digital Currency Address")):
        others = rest
    else:
        for address in addresses_in(first):
            draft.address("", address)
    read_remarks(others, draft, str)


def turned(name: str) -> str:
    """Return ``LAST, First Middle`` as ``First Middle LAST``."""
    last, comma, first = name.partition(",")
    return f"{first.replace(',', ' ').strip()} {last.strip()}" if comma else name


def _cell(text: str) -> str:
    """Return a cell with its outer blanks, because remarks may be split anywhere and continue in the comments."""
    return "" if _NULL.fullmatch(text.strip()) else text
