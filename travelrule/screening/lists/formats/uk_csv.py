"""The UK Sanctions List as CSV: ``Report Date: 27-Feb-2026``, a header, and one row for each name of a designation.

Rows of one designation share ``Unique ID``; a name is ``Name 1`` to ``Name 5`` and then ``Name 6``, the surname or the
whole name; ``Name type`` says Primary Name, Primary Name Variation or Alias, ``Alias strength`` may say low quality.
Also read: ``Name non-latin script``, ``D.O.B`` (``00/00/1965``, ``dd/mm/1965``), ``Nationality(/ies)``, ``Address
Country``, ``Country of birth``, ``Regime Name``, and blockchain addresses that ``Other Information`` quotes. The column
of the kind (individual, entity or ship) has several names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from travelrule.screening.lists.entry_draft import EntryDraft, ListImport, opaque
from travelrule.screening.lists.header_table import split, table
from travelrule.screening.lists.list_entries import EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.quoted_addresses import addresses_in

NEEDED = frozenset({"uniqueid", "name6"})
_NAMES = ("name1", "name2", "name3", "name4", "name5", "name6")
_KINDS: dict[str, EntryKind] = {"individual": "person", "entity": "organisation", "ship": "vessel"}
_KIND_COLUMNS = ("designationtypeindividualentityship", "individualentityship", "designationtype", "grouptype")
_COUNTRIES = ("nationalityies", "nationality", "addresscountry", "countryofbirth", "countryname")


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the designations in the order of their first rows. Raises ``ListFaults``."""

    def before(cells: list[str]) -> None:
        reading.notes.published = _report_date(" ".join(cells)) or reading.notes.published

    drafts: dict[str, EntryDraft] = {}
    for file in files:
        for place, cells, bare in table(file, NEEDED, before):
            number = cells.get("uniqueid", "")
            if not number:
                reading.notes.note(
                    file.name, place, "ROW", "not the columns of the header, or no id: kept as plain text"
                )
                if entry := opaque(reading, file.name, place, "", bare):
                    yield entry
                continue
            if number not in drafts:
                file.check_entries(len(drafts) + 1)
                drafts[number] = EntryDraft(reading, file.name, place, number)
            _row(drafts[number], cells)
    for draft in drafts.values():
        if (entry := draft.finish()) is not None:
            yield entry


def _row(draft: EntryDraft, cells: Mapping[str, str]) -> None:
    kind = next((cells[column] for column in _KIND_COLUMNS if cells.get(column)), "")
    draft.kind = _KINDS.get(kind.casefold(), draft.kind)
    name_type = cells.get("nametype", "").casefold()
    weak = "low" in cells.get("aliasstrength", "").casefold()
    draft.name(
        " ".join(cells.get(column, "") for column in _NAMES),
        "weak" if weak else "primary" if name_type in ("primary name", "") else "strong",
    )
    draft.name(cells.get("namenonlatinscript", ""), "original-script")
    for text in split(cells.get("dob", "")):
        draft.birth(text)
    for column in _COUNTRIES:
        for country in split(cells.get(column, "").replace("(1)", ";").replace("(2)", ";").replace("(3)", ";")):
            draft.country(country)
    draft.programme(cells.get("regimename", ""))
    for address in addresses_in(cells.get("otherinformation", "")):
        draft.address("", address)


def _report_date(text: str) -> datetime | None:
    words = text.replace("Report Date", "").strip(" :,")
    for form in ("%d-%b-%Y", "%d/%m/%Y", "%Y-%m-%d", "%d %B %Y"):
        try:
            return datetime.strptime(words, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
