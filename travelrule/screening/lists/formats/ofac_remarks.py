"""The remarks column of OFAC's CSV files: items between semicolons, one sentence to the end.

``DOB 21 Sep 1979; nationality Iran; Digital Currency Address - XBT 149w...; a.k.a. 'Ensaniyat'.`` A second and later
item of a kind begins with ``alt.``. The remarks, not ``alt.csv``, contain the weak aliases of the SDN list.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from travelrule.screening.lists.entry_draft import EntryDraft

_CURRENCY = re.compile(r"Digital\s*Currency\s*Address\s*-?\s*([A-Z0-9]{2,12})\s*:?\s+(\S+)")
"""The address ends at the next blank: CashAddr prefixes, ``-`` and ``_`` are part of it."""
_ALIAS = re.compile(r"[afn]\.k\.a\.,? ['\"](.*)['\"]")
_COUNTRIES = ("nationality ", "citizen ")


def read_remarks(remarks: str, draft: EntryDraft, written: Callable[[str], str]) -> None:
    """Add the items of the remarks to ``draft``; ``written`` returns a name of the form ``LAST, First`` in order."""
    for item in remarks.strip().removesuffix(".").split(";"):
        text = item.strip().removeprefix("alt. ")
        if "CurrencyAddress" in text.replace(" ", ""):
            _address(text, draft)
        elif found := _ALIAS.fullmatch(text):
            draft.name(written(found[1]), "weak")
        elif text.startswith("DOB "):
            draft.birth(text.removeprefix("DOB "))
        elif text.startswith(_COUNTRIES):
            draft.country(text.partition(" ")[2])
        elif text.startswith("POB ") and "," in text:
            draft.country(text.rpartition(",")[2])


def _address(text: str, draft: EntryDraft) -> None:
    if found := _CURRENCY.search(text):
        draft.address(found[1], found[2])
        return
    draft.odd("CURRENCY_ADDRESS", "a digital currency address is not written as usual; its last word is kept")
    draft.address("", text.rsplit(maxsplit=1)[-1])
