"""The European Union's consolidated financial sanctions list (FSF, version 1.1): ``export`` of ``sanctionEntity``.

Values are attributes: ``nameAlias`` (``wholeName``, ``strong``, else ``firstName``, ``middleName``, ``lastName``),
``birthdate`` (``birthdate``, ``year``, ``monthOfYear``, ``dayOfMonth``, ``circa``, ``yearRangeFrom``, ``yearRangeTo``),
``citizenship`` and ``address`` (``countryIso2Code``, ``00`` for unknown), ``regulation`` (``programme``),
``subjectType`` (``code`` person or enterprise). The id is ``euReferenceNumber``, else ``logicalId``. The format has no
field for blockchain addresses: they are read from the text of a ``remark``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemas.moments import read_time
from travelrule.screening.lists.birth_dates import partial, span
from travelrule.screening.lists.entry_draft import EntryDraft, ListImport
from travelrule.screening.lists.list_entries import EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.quoted_addresses import addresses_in
from travelrule.screening.lists.xml_elements import XmlElement, elements

_KINDS: dict[str, EntryKind] = {"person": "person", "P": "person", "enterprise": "organisation", "E": "organisation"}
_NAME = ("firstName", "middleName", "lastName")
UNKNOWN_COUNTRY = "00"


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read the entities. Raises ``ListFaults``."""
    for file in files:
        for element in elements(file, ("export",), frozenset({"sanctionEntity"})):
            if element.tag == "export":
                reading.notes.published = read_time(element.attributes.get("generationDate", ""))
            elif (entry := _entry(reading, file.name, element)) is not None:
                yield entry


def _entry(reading: ListImport, file: str, element: XmlElement) -> ListEntry | None:
    number = element.attributes.get("euReferenceNumber") or element.attributes.get("logicalId", "")
    draft = EntryDraft(reading, file, f"line {element.line}", number, _kind(element))
    for number_of_name, alias in enumerate(element.all("nameAlias")):
        given = alias.attributes
        strong = given.get("strong", "true") != "false"
        name = given.get("wholeName") or " ".join(given.get(part, "") for part in _NAME)
        draft.name(name, "weak" if not strong else "primary" if not number_of_name else "strong")
    for birth in element.all("birthdate"):
        _birth(draft, birth.attributes)
    for tag in ("citizenship", "address", "birthdate"):
        for place in element.all(tag):
            code = place.attributes.get("countryIso2Code", "")
            draft.country(place.attributes.get("countryDescription", "") if code in ("", UNKNOWN_COUNTRY) else code)
    for regulation in element.all("regulation"):
        draft.programme(regulation.attributes.get("programme", ""))
    for remark in (*element.all("remark"), *element.all("identification", "remark")):
        for address in addresses_in(remark.text):
            draft.address("", address)
    return draft.finish()


def _kind(element: XmlElement) -> EntryKind:
    for subject in element.all("subjectType"):
        for name in ("code", "classificationCode"):
            if found := _KINDS.get(subject.attributes.get(name, "")):
                return found
    return "other"


def _birth(draft: EntryDraft, given: dict[str, str]) -> None:
    circa = given.get("circa") == "true"
    first, last = given.get("yearRangeFrom", ""), given.get("yearRangeTo", "")
    day = given.get("birthdate") or partial(
        given.get("year", ""), given.get("monthOfYear", ""), given.get("dayOfMonth", "")
    )
    if not day and first and last:
        draft.born(span(first, last, circa=circa))
    elif day:
        draft.birth(f"circa {day}" if circa else day)
