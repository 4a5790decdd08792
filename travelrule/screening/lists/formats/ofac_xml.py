"""OFAC's ``sdn.xml`` (and ``consolidated.xml``, the same form): ``sdnList`` of ``sdnEntry``.

``uid``, ``firstName``, ``lastName``, ``sdnType``; ``programList/program``; ``akaList/aka`` with ``category`` strong or
weak; ``idList/id`` with ``idType`` ``Digital Currency Address - XBT``; ``dateOfBirthList``, ``nationalityList``,
``citizenshipList``, ``addressList``, ``placeOfBirthList``, ``vesselInfo``. ``publshInformation`` (so spelt) holds
``Publish_Date`` as MM/DD/YYYY and ``Record_Count``. ``sdn_advanced.xml`` is another form: ``ofac_advanced``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from travelrule.screening.lists.entry_draft import EntryDraft, ListImport
from travelrule.screening.lists.formats import ofac_advanced
from travelrule.screening.lists.list_entries import EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.xml_elements import XmlElement, elements

CURRENCY = "Digital Currency Address"
_KINDS: dict[str, EntryKind] = {
    "individual": "person",
    "entity": "organisation",
    "vessel": "vessel",
    "aircraft": "aircraft",
}
_COUNTRIES = (
    ("nationalityList", "nationality", "country"),
    ("citizenshipList", "citizenship", "country"),
    ("addressList", "address", "country"),
    ("vesselInfo", "vesselFlag"),
)


def read(files: Sequence[ListFile], reading: ListImport) -> Iterator[ListEntry]:
    """Read files of both forms, which differ in the first element. Raises ``ListFaults``."""
    for file in files:
        wanted = frozenset({"sdnEntry", "publshInformation"}) | ofac_advanced.WANTED
        found = elements(file, ("sdnList", "Sanctions"), wanted)
        root = next(found)
        yield from _simple(file, found, reading) if root.tag == "sdnList" else ofac_advanced.read(file, found, reading)


def _simple(file: ListFile, found: Iterator[XmlElement], reading: ListImport) -> Iterator[ListEntry]:
    announced, seen = "", 0
    for element in found:
        if element.tag == "publshInformation":
            announced = element.words("Record_Count")
            reading.notes.published = _day(element.words("Publish_Date"))
        elif element.tag == "sdnEntry":
            seen += 1
            if (entry := _entry(reading, file.name, element)) is not None:
                yield entry
    if announced and announced != str(seen):
        reading.notes.note(file.name, "", "COUNT", "the file announces another number of entries than it has")


def _entry(reading: ListImport, file: str, element: XmlElement) -> ListEntry | None:
    kind = _KINDS.get(element.words("sdnType").casefold(), "other")
    draft = EntryDraft(reading, file, f"line {element.line}", element.words("uid"), kind)
    draft.name(_name(element), "primary")
    for alias in element.all("akaList", "aka"):
        draft.name(_name(alias), "weak" if alias.words("category").casefold() == "weak" else "strong")
    for birth in element.all("dateOfBirthList", "dateOfBirthItem", "dateOfBirth"):
        draft.birth(birth.text)
    for path in _COUNTRIES:
        for country in element.all(*path):
            draft.country(country.text)
    for place in element.all("placeOfBirthList", "placeOfBirthItem", "placeOfBirth"):
        if "," in place.text:
            draft.country(place.text.rpartition(",")[2])
    for programme in element.all("programList", "program"):
        draft.programme(programme.text)
    for document in element.all("idList", "id"):
        if CURRENCY in (kept := document.words("idType")):
            draft.address(kept.rpartition("-")[2], document.words("idNumber"))
    return draft.finish()


def _name(element: XmlElement) -> str:
    return f"{element.words('firstName')} {element.words('lastName')}"


def _day(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%m/%d/%Y").replace(tzinfo=UTC)
    except ValueError:
        return None
