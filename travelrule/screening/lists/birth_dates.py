"""Dates of birth in the forms that lists print."""

from __future__ import annotations

import re
from datetime import date

from travelrule.screening.lists.list_entries import BirthDate

_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)  # noqa: SIM905
}
_CIRCA = re.compile(r"^(?:circa|approximately|approx\.?|about|c\.?|ca\.?)\s+", re.IGNORECASE)
_SPAN = re.compile(r"^(?:between\s+)?(.+?)\s+(?:to|and|-|–)\s+(.+)$", re.IGNORECASE)
_YEARS = re.compile(r"^(\d{4})\s*[-–/]\s*(\d{4})$")
_ISO = re.compile(r"^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[TZ+].*)?)?)?$")
_SLASHED = re.compile(r"^(\d{2}|dd)[/.](\d{2}|mm)[/.](\d{4})$", re.IGNORECASE)
_WORDS = re.compile(r"^(?:(\d{1,2})\s+)?([A-Za-z]{3,9})\.?,?\s+(\d{4})$")


def birth_date(text: str) -> BirthDate | None:
    """Read ``21 Sep 1979``, ``Sep 1979``, ``1979``, ``circa 1979``, ``1979 to 1981``, ``1979-09-21``, ``21/09/1979``,
    ``00/00/1979`` or ``dd/mm/1979``. Return None for a text that is no date, or one that does not exist.
    """
    rest = text.strip().rstrip(".")
    circa = False
    if found := _CIRCA.match(rest):
        circa, rest = True, rest[found.end() :]
    if years := _YEARS.match(rest):
        return span(years[1], years[2], circa=circa)
    if one := _one(rest):
        return BirthDate(one, one, circa)
    if both := _SPAN.match(rest):
        first, last = (_one(_CIRCA.sub("", part)) for part in both.groups())
        return span(first, last, circa=circa or "circa" in rest.lower()) if first and last else None
    return None


def span(first: str, last: str, *, circa: bool = False) -> BirthDate | None:
    """Return the span from ``first`` to ``last``, ISO dates that may be partial; None if they are no dates in order."""
    if not (_one(first) and _one(last)):
        return None
    found = BirthDate(first, last, circa)
    return found if found.earliest <= found.latest else None


def partial(year: str, month: str = "", day: str = "") -> str | None:
    """Return the ISO date of numbers, without a month or day that is empty or zero; None if no such date exists."""
    if max(len(year), len(month), len(day)) > 4:  # noqa: PLR2004 -- four digits
        return None
    if not year.isdecimal() or not (month or "0").isdecimal() or not (day or "0").isdecimal():
        return None
    numbers = [int(year), int(month or 0), int(day or 0)]
    if not 1000 <= numbers[0] <= 9999:  # noqa: PLR2004 -- four digits
        return None
    if not numbers[1]:
        return f"{numbers[0]:04d}"
    try:
        date(numbers[0], numbers[1], numbers[2] or 1)
    except ValueError:
        return None
    return "-".join(f"{number:02d}" for number in numbers if number)


def _one(text: str) -> str | None:
    if found := _ISO.match(text):
        return partial(found[1], found[2] or "", found[3] or "")
    if found := _SLASHED.match(text):
        return partial(found[3], found[2].strip("mM"), found[1].strip("dD"))
    if found := _WORDS.match(text):
        month = _MONTHS.get(found[2][:3].lower())
        return partial(found[3], str(month), found[1] or "") if month else None
    return None
