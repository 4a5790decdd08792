"""Effect of a date of birth and a country on a match: they explain and order matches, and never remove one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from travelrule.screening.names.listed_names import ListedName

_SAME_DAY_GAIN = 0.02
_OTHER_YEAR_COST = 0.15
_OTHER_DAY_COST = 0.05
_OTHER_COUNTRY_COST = 0.03
_YEARS_OF_DOUBT = 1
"""Years of birth in lists are often approximate."""


def weighed(listed: ListedName, birth_date: date | None, country: str | None) -> tuple[float, tuple[str, ...]]:
    """Return the change of the rank, and the texts for the reason."""
    change, said = 0.0, []
    if birth_date is not None and listed.birth_dates:
        step, words = _birth(listed.birth_dates, birth_date)
        change += step
        said.append(words)
    if country and listed.countries and country.upper() not in listed.countries:
        change -= _OTHER_COUNTRY_COST
        said.append("the list names other countries")
    return change, tuple(said)


def _birth(listed: Sequence[str], born: date) -> tuple[float, str]:
    if born.isoformat() in listed:
        return _SAME_DAY_GAIN, "same date of birth"
    if any(born.isoformat().startswith(known) for known in listed if known):
        return 0.0, "date of birth agrees as far as the list knows it"
    years = [int(known[:4]) for known in listed if known[:4].isdecimal()]
    if any(abs(year - born.year) <= _YEARS_OF_DOUBT for year in years):
        return -_OTHER_DAY_COST, "another date of birth, about the same year"
    return -_OTHER_YEAR_COST, "another date of birth"
