"""A list entry under construction: cleans texts, drops repetitions, applies limits and notes irregularities."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from travelrule.screening.lists.birth_dates import birth_date
from travelrule.screening.lists.countries import country_code
from travelrule.screening.lists.import_report import ImportNotes
from travelrule.screening.lists.limits import LIMITS, ListLimits
from travelrule.screening.lists.list_entries import (
    QUALITIES,
    BirthDate,
    EntryKind,
    ListAddress,
    ListEntry,
    ListName,
    NameQuality,
)

ADDRESS_CHARACTERS = 256
"""OFAC's addresses have up to 256 characters (FAQ 563)."""
DATE_CHARACTERS = 100
LATIN_END = 0x250
"""Latin letters with accents are below this code point."""
LATIN_MORE = range(0x1E00, 0x1F00)


def clean(text: str) -> str:
    """Return a text without control and format characters, and with single blanks."""
    if not text.isprintable():
        kinds = ((character, unicodedata.category(character)) for character in text)
        text = "".join(" " if kind in ("Cc", "Zl", "Zp") else character for character, kind in kinds if kind != "Cf")
    return " ".join(text.split())


def in_latin(text: str) -> bool:
    """Whether any letter is Latin, or the text has no letter."""
    letters = [character for character in text if character.isalpha()]
    return not letters or any(ord(letter) < LATIN_END or ord(letter) in LATIN_MORE for letter in letters)


@dataclass(slots=True)
class ListImport:
    """The context of an import: the list's code, the limits, and the notes about unread places."""

    code: str
    limits: ListLimits = LIMITS
    notes: ImportNotes = field(default_factory=ImportNotes)


class EntryDraft:
    """The draft of an entry at ``place`` of ``file``."""

    def __init__(self, reading: ListImport, file: str, place: str, entry_id: str, kind: EntryKind = "other") -> None:
        self._reading = reading
        self._file = file
        self._place = place
        self.id = clean(entry_id)[:128]
        self.kind: EntryKind = kind
        self._names: dict[str, NameQuality] = {}
        self._birth_dates: dict[BirthDate, None] = {}
        self._countries: dict[str, None] = {}
        self._programmes: dict[str, None] = {}
        self._addresses: dict[ListAddress, None] = {}

    @property
    def empty(self) -> bool:
        """Whether the entry has neither a name nor an address."""
        return not self._names and not self._addresses

    def odd(self, code: str, reason: str) -> None:
        """Note an irregularity of this entry."""
        self._reading.notes.note(self._file, self._place, code, reason)

    def name(self, text: str, quality: NameQuality = "strong") -> None:
        """Add a name; of a repeated name the better quality counts. An empty name is ignored."""
        text = clean(text)
        limits = self._reading.limits
        if not text:
            return
        if len(text) > limits.name_characters:
            self.odd("NAME_TOO_LONG", f"a name is indexed by its first {limits.name_characters} characters")
            text = text[: limits.name_characters]
        if quality != "opaque" and not in_latin(text):
            quality = "original-script"
        known = self._names.get(text)
        if known is None and len(self._names) >= limits.names_per_entry:
            self.odd("TOO_MANY_NAMES", f"an entry may have {limits.names_per_entry} names; the rest is left out")
        elif known is None or QUALITIES.index(quality) < QUALITIES.index(known):
            self._names[text] = quality

    def birth(self, text: str) -> None:
        """Add a date of birth as printed; an unreadable one is noted, an empty one ignored."""
        if not (text := clean(text)[:DATE_CHARACTERS]):
            return
        found = birth_date(text)
        if found is None:
            self.odd("BIRTH_DATE", "a date of birth is not written in a way that is known here")
        else:
            self._birth_dates[found] = None

    def born(self, found: BirthDate | None) -> None:
        """Add a parsed date of birth."""
        if found is not None:
            self._birth_dates[found] = None

    def country(self, text: str) -> None:
        """Add a country by name or code."""
        if text := clean(text)[:100]:
            self._countries[country_code(text)] = None

    def programme(self, text: str) -> None:
        """Add a programme that the entry is listed for."""
        if text := clean(text)[:200]:
            self._programmes[text] = None

    def address(self, symbol: str, text: str) -> None:
        """Add an address on chain as printed, valid or not."""
        text = clean(text)
        limits = self._reading.limits
        if not text:
            return
        if len(text) > ADDRESS_CHARACTERS:
            self.odd("ADDRESS_TOO_LONG", f"an address is kept by its first {ADDRESS_CHARACTERS} characters")
        if len(self._addresses) >= limits.addresses_per_entry:
            self.odd("TOO_MANY_ADDRESSES", f"an entry may have {limits.addresses_per_entry}; the rest is left out")
            return
        self._addresses[ListAddress(clean(symbol)[:40], text[:ADDRESS_CHARACTERS])] = None

    def finish(self) -> ListEntry | None:
        """Return the entry; None, with a note, if it has neither a name nor an address."""
        if self.empty:
            self.odd("NO_NAME", "neither a name nor an address: there is nothing to find the entry by")
            return None
        return ListEntry(
            self._reading.code,
            self.id,
            self.kind,
            tuple(ListName(text, quality) for text, quality in self._names.items()),
            tuple(self._birth_dates),
            tuple(self._countries),
            tuple(self._programmes),
            tuple(self._addresses),
        )


def has_letters(text: str) -> bool:
    """Whether the text can be a name."""
    return any(character.isalpha() for character in text)


def opaque(reading: ListImport, file: str, place: str, entry_id: str, texts: list[str]) -> ListEntry | None:
    """Return an entry for a row that cannot be interpreted: every text with letters is one of its names."""
    draft = EntryDraft(reading, file, place, entry_id)
    for text in filter(has_letters, texts):
        draft.name(text, "opaque")
    entry = draft.finish()
    reading.notes.opaque += entry is not None
    return entry
