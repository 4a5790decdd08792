"""The consolidated list of the United Nations Security Council: ``CONSOLIDATED_LIST`` of INDIVIDUAL and ENTITY.

Names are in FIRST_NAME to FOURTH_NAME. An alias field has one alias, or several between semicolons (and ``a)``,
``b)``), graded Good or Low for persons. The id is REFERENCE_NUMBER (``QDi.001``), else DATAID. The list has no
blockchain addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from schemas.moments import read_time
from travelrule.screening.lists.birth_dates import span
from travelrule.screening.lists.entry_draft import EntryDraft, ListImport
from travelrule.screening.lists.list_entries import EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.xml_elements import XmlElement, elements

_KINDS: dict[str, EntryKind] = {"INDIVIDUAL": "person", "ENTITY": "organisation"}
_NAMES = ("FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME")
_BETWEEN = re.compile(r";|(?:^|\s)[a-z]\)\s")


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read individuals and entities. Raises ``ListFaults``."""
    for file in files:
        found = elements(file, ("CONSOLIDATED_LIST",), frozenset(_KINDS))
        for element in found:
            kind = _KINDS.get(element.tag)
            if kind is None:
                reading.notes.published = read_time(element.attributes.get("dateGenerated", ""))
            elif (entry := _entry(reading, file.name, element, kind)) is not None:
                yield entry


def _entry(reading: ListImport, file: str, element: XmlElement, kind: EntryKind) -> ListEntry | None:
    number = element.words("REFERENCE_NUMBER") or element.words("DATAID")
    draft = EntryDraft(reading, file, f"line {element.line}", number, kind)
    draft.name(" ".join(element.words(tag) for tag in _NAMES), "primary")
    draft.name(element.words("NAME_ORIGINAL_SCRIPT"), "original-script")
    for alias in element.all(f"{element.tag}_ALIAS"):
        quality = alias.words("QUALITY").casefold()
        for name in _BETWEEN.split(alias.words("ALIAS_NAME")):
            draft.name(name, "weak" if quality == "low" else "strong")
    for birth in element.all("INDIVIDUAL_DATE_OF_BIRTH"):
        _birth(draft, birth)
    for path in (
        ("NATIONALITY", "VALUE"),
        (f"{element.tag}_ADDRESS", "COUNTRY"),
        ("INDIVIDUAL_PLACE_OF_BIRTH", "COUNTRY"),
    ):
        for country in element.all(*path):
            draft.country(country.text)
    draft.programme(element.words("UN_LIST_TYPE"))
    return draft.finish()


def _birth(draft: EntryDraft, birth: XmlElement) -> None:
    circa = birth.words("TYPE_OF_DATE").casefold() == "approximately"
    first, last = birth.words("FROM_YEAR"), birth.words("TO_YEAR")
    if first and last:
        draft.born(span(first, last, circa=circa))
        return
    text = birth.words("DATE") or birth.words("YEAR")
    draft.birth(f"circa {text}" if circa and text else text)
