"""The entries of a sanctions list, in one form for all formats."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

EntryKind = Literal["person", "organisation", "vessel", "aircraft", "other"]
NameQuality = Literal["primary", "strong", "weak", "original-script", "opaque"]
"""``primary``: the name of the entry. ``strong``: an alias that the list grades as good, or does not grade. ``weak``: a
low-quality alias. ``original-script``: a name that is not in Latin letters. ``opaque``: text of a row that cannot be
interpreted, retained so that nothing is lost.
"""

KINDS: tuple[EntryKind, ...] = get_args(EntryKind)
QUALITIES: tuple[NameQuality, ...] = get_args(NameQuality)


@dataclass(frozen=True, slots=True)
class ListName:
    """A name in written order: given names first."""

    text: str
    quality: NameQuality


@dataclass(frozen=True, slots=True)
class BirthDate:
    """A date of birth, or a span. ``first`` and ``last`` are ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``, equal unless the
    list has a span. ``circa``: the list marks it as approximate.
    """

    first: str
    last: str
    circa: bool = False

    @property
    def earliest(self) -> date:
        """The first possible day."""
        year, month, day = _parts(self.first)
        return date(year, month or 1, day or 1)

    @property
    def latest(self) -> date:
        """The last possible day."""
        year, month, day = _parts(self.last)
        if day is not None and month is not None:
            return date(year, month, day)
        if month is None or month == 12:  # noqa: PLR2004 -- December
            return date(year, 12, 31)
        return date(year, month + 1, 1) - timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ListAddress:
    """A blockchain address as printed. ``symbol`` is the list's name of the currency, empty if it has none. It is not
    the chain: one EVM address may be listed under ETH, USDT or BSC.
    """

    symbol: str
    address: str


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One entry of a list. ``countries`` are ISO 3166 alpha-2 codes, or the list's text for an unknown country."""

    list: str
    id: str
    kind: EntryKind
    names: tuple[ListName, ...]
    birth_dates: tuple[BirthDate, ...] = ()
    countries: tuple[str, ...] = ()
    programmes: tuple[str, ...] = ()
    addresses: tuple[ListAddress, ...] = ()

    @property
    def name(self) -> str:
        """The first name, for display; the id if the entry has none."""
        return self.names[0].text if self.names else self.id


def _parts(text: str) -> tuple[int, int | None, int | None]:
    year, *rest = (int(part) for part in text.split("-"))
    month = rest[0] if rest else None
    day = rest[1] if len(rest) > 1 else None
    return year, month, day
