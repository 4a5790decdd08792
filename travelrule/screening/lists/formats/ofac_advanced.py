"""OFAC's ``sdn_advanced.xml``: ``Sanctions`` of reference values, locations, distinct parties and sanctions entries.

Values are numbers that refer to reference values at the beginning of the file; these are matched by their text
(``Birthdate``, ``Digital Currency Address - XBT``), because the numbers may change. A party's programmes are in the
sanctions entry at the end of the file, so entries are yielded after the whole file is read.

``DistinctParty/Profile`` has ``Identity/Alias`` (``Primary``, ``LowQuality``) with ``DocumentedName`` of
``NamePartValue`` parts, each of a group whose type is ``Last Name``, ``First Name``, ``Entity Name`` ...; and
``Feature`` with ``VersionDetail`` (text, such as an address on chain), ``VersionLocation`` or ``DatePeriod``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from schemas.moments import read_time
from travelrule.screening.lists.birth_dates import partial, span
from travelrule.screening.lists.entry_draft import EntryDraft, ListImport
from travelrule.screening.lists.list_entries import BirthDate, EntryKind, ListEntry
from travelrule.screening.lists.list_file import ListFile
from travelrule.screening.lists.xml_elements import XmlElement

_VALUES = frozenset({"AreaCode", "Country", "FeatureType", "NamePartType", "PartySubType", "PartyType"})
WANTED = _VALUES | {"DateOfIssue", "Location", "DistinctParty", "SanctionsEntry"}
_KINDS: dict[str, EntryKind] = {
    "individual": "person",
    "entity": "organisation",
    "vessel": "vessel",
    "aircraft": "aircraft",
}
_NAME_ORDER = ("first name", "middle name", "patronymic", "matronymic", "maiden name", "last name")
_PLACES = frozenset({"nationality country", "citizenship country", "place of birth", "location", "vessel flag"})
VALUES_PER_ENTRY = 20
"""Reference values, locations and sanctions entries are held too; no file has so many of them per entry."""
_CURRENCY = "digital currency address"


@dataclass(slots=True)
class _Values:
    """The reference values by number."""

    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    party_of_sub_type: dict[str, str] = field(default_factory=dict)
    country_of_location: dict[str, str] = field(default_factory=dict)

    def text(self, kind: str, number: str | None) -> str:
        return self.texts.get((kind, number or ""), "")

    def learn(self, element: XmlElement) -> None:
        number = element.attributes.get("ID", "")
        if element.tag == "Location":
            country = element.all("LocationCountry")
            area = element.all("LocationAreaCode")
            found = self.text("Country", country[0].attributes.get("CountryID")) if country else ""
            if not found and area:
                found = self.text("AreaCode", area[0].attributes.get("AreaCodeID"))
            self.country_of_location[number] = found
            return
        described = element.attributes.get("Description") if element.tag == "AreaCode" else None
        self.texts[element.tag, number] = element.attributes.get("ISO2") or described or element.text.strip()
        if element.tag == "PartySubType":
            self.party_of_sub_type[number] = element.attributes.get("PartyTypeID", "")

    def kind(self, sub_type: str) -> EntryKind:
        for text in (self.text("PartySubType", sub_type), self.text("PartyType", self.party_of_sub_type.get(sub_type))):
            if found := _KINDS.get(text.casefold()):
                return found
        return "other"


def read(file: ListFile, found: Iterator[XmlElement], reading: ListImport) -> Iterator[ListEntry]:
    """Read the elements after the root. Raises ``ListFaults``."""
    values = _Values()
    entries: list[tuple[str, ListEntry]] = []
    programmes: dict[str, list[str]] = {}
    for held, element in enumerate(found, 1):
        file.check_entries(held // VALUES_PER_ENTRY)
        if element.tag == "DistinctParty":
            for profile in element.all("Profile"):
                entry = _entry(reading, file.name, element, profile, values)
                if entry is not None:
                    file.check_entries(len(entries) + 1)
                    entries.append((profile.attributes.get("ID", ""), entry))
        elif element.tag == "SanctionsEntry":
            comments = [comment.text.strip() for comment in element.all("SanctionsMeasure", "Comment")]
            programmes.setdefault(element.attributes.get("ProfileID", ""), []).extend(filter(None, comments))
        elif element.tag == "DateOfIssue":
            day = partial(element.words("Year"), element.words("Month"), element.words("Day"))
            reading.notes.published = read_time(day or "")
        else:
            values.learn(element)
    for profile_id, entry in entries:
        yield replace(entry, programmes=tuple(dict.fromkeys(programmes.get(profile_id, ()))))


def _entry(reading: ListImport, file: str, party: XmlElement, profile: XmlElement, values: _Values) -> ListEntry | None:
    number = party.attributes.get("FixedRef") or profile.attributes.get("ID", "")
    kind = values.kind(profile.attributes.get("PartySubTypeID", ""))
    draft = EntryDraft(reading, file, f"line {party.line}", number, kind)
    for identity in profile.all("Identity"):
        _names(draft, identity, values)
    for feature in profile.all("Feature"):
        _feature(draft, feature, values)
    return draft.finish()


def _names(draft: EntryDraft, identity: XmlElement, values: _Values) -> None:
    types = {
        group.attributes.get("ID", ""): values.text("NamePartType", group.attributes.get("NamePartTypeID")).casefold()
        for group in identity.all("NamePartGroups", "MasterNamePartGroup", "NamePartGroup")
    }
    aliases = identity.all("Alias")
    for alias in sorted(aliases, key=lambda alias: alias.attributes.get("Primary") != "true"):
        weak = alias.attributes.get("LowQuality") == "true"
        primary = alias.attributes.get("Primary") == "true"
        for name in alias.all("DocumentedName"):
            parts = [
                (types.get(part.attributes.get("NamePartGroupID", ""), ""), part.text.strip())
                for part in name.all("DocumentedNamePart", "NamePartValue")
            ]
            parts.sort(key=lambda part: _NAME_ORDER.index(part[0]) if part[0] in _NAME_ORDER else len(_NAME_ORDER))
            draft.name(" ".join(text for _, text in parts), "weak" if weak else "primary" if primary else "strong")


def _feature(draft: EntryDraft, feature: XmlElement, values: _Values) -> None:
    kind = values.text("FeatureType", feature.attributes.get("FeatureTypeID"))
    folded = kind.casefold()
    if folded.startswith(_CURRENCY):
        for detail in feature.all("FeatureVersion", "VersionDetail"):
            draft.address(kind.rpartition("-")[2], detail.text)
    elif folded == "birthdate":
        for period in feature.all("FeatureVersion", "DatePeriod"):
            _birth(draft, period)
    elif folded in _PLACES:
        for place in feature.all("FeatureVersion", "VersionLocation"):
            draft.country(values.country_of_location.get(place.attributes.get("LocationID", ""), ""))


def _birth(draft: EntryDraft, period: XmlElement) -> None:
    """Add the date of birth of a period: start and end each range from a day to a day; a full year is its two ends."""
    first = _day(period, "Start", "From")
    last = _day(period, "End", "To") or _day(period, "Start", "To") or first
    if first is None or last is None:
        draft.odd("BIRTH_DATE", "a date of birth has no year, month and day that can be")
        return
    circa = any(edge.attributes.get("Approximate") == "true" for tag in ("Start", "End") for edge in period.all(tag))
    found = span(first, last, circa=circa)
    if found and first.endswith("-01-01") and last == f"{first[:4]}-12-31":
        found = BirthDate(first[:4], first[:4], circa)
    draft.born(found)


def _day(period: XmlElement, edge: str, side: str) -> str | None:
    year, month, day = (period.words(edge, side, tag) for tag in ("Year", "Month", "Day"))
    return partial(year, month, day)
