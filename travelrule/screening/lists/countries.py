"""Names of countries as the lists write them, to ISO 3166-1 alpha-2 (and XK for Kosovo, as the lists use it)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

_SPELLINGS = """
AX Aland Islands; BS Bahamas, The; BO Bolivia (Plurinational State of); BN Brunei; CV Cape Verde; CG Congo, Republic of
the|Congo (Republic); CD Congo, Democratic Republic of the|Democratic Republic of the Congo|Congo (Democratic
Republic)|DRC; CI Cote d'Ivoire|Cote d Ivoire|Ivory Coast; CW Curacao; SZ Swaziland; FK Falkland Islands; GM Gambia,
The|The Gambia; GW Guinea Bissau; HK Hong Kong S.A.R.; IR Iran (Islamic Republic of); IM Man, Isle of; KP Korea,
North|DPRK; KR Korea, South|Republic of Korea; XK XK|Kosovo; LY Libyan Arab Jamahiriya; MO Macau; FM Micronesia; MM
Burma|Myanmar (Burma); NL The Netherlands; MK North Macedonia, The Republic of|Macedonia|Macedonia, The Former Yugoslav
Republic of; PS Palestinian|West Bank|Region: Gaza|Palestine|State of Palestine|Palestinian Territory, Occupied|Occupied
Palestinian Territories; RU Russia; KN St. Kitts and Nevis; LC St. Lucia; VC St. Vincent and the Grenadines; RS Serbia
and Montenegro; SX Sint Maarten; SD The Sudan; TL East Timor; TR Turkey|Turkiye; AE UAE; GB Great Britain|UK; US USA; VA
Vatican City|Holy See; VE Venezuela (Bolivarian Republic of); VI US Virgin Islands
"""
"""Spellings of the publishers that ISO 3166-1 does not have."""


def country_code(text: str) -> str:
    """Return the code of a country, or the text itself if it is not known, so that nothing is lost."""
    return codes().get(text.strip().rstrip(".").replace("’", "'").casefold(), text)


@cache
def codes() -> Mapping[str, str]:
    """Return the codes by name or code, in folded case."""
    import pycountry  # noqa: PLC0415 - only imports of lists need it, and it reads its data when it is imported

    found = {name.casefold(): country.alpha_2 for country in pycountry.countries for name in _names(country)}
    for line in " ".join(_SPELLINGS.split()).split("; "):
        code, _, names = line.partition(" ")
        found |= dict.fromkeys((name.casefold() for name in names.split("|")), code)
    return MappingProxyType(found)


def _names(country: object) -> Iterator[str]:
    """The names of ISO 3166-1: not every country has a common and an official one."""
    return (
        name for kind in ("alpha_2", "name", "common_name", "official_name") if (name := getattr(country, kind, None))
    )
