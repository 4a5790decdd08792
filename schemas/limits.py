"""Limits of the lists in one message, for events and for IVMS101 payloads (ADR 0022).

The protocol states no maxima for its lists. An event limit bounds what we send, a payload limit what we accept; each
payload limit allows the largest message that an event leads to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REPRESENTATIVES_MAX: Final = 100
"""Natural persons who act for one company, in an event."""

ADDRESS_LINES_MAX: Final = 20
"""Lines of one postal address, in an event and in a payload. IVMS101 has at most seven."""

PERSONS_MAX: Final = REPRESENTATIVES_MAX + 1
"""Entries of ``originatorPersons`` or ``beneficiaryPersons``: a company and its representatives."""

LEGAL_PERSONS_MAX: Final = 2
"""Companies among the persons of one side. One is allowed; a second one is answered as a wrong order of persons."""

NAME_IDENTIFIERS_MAX: Final = 10
"""Entries of one array of names of one person. IVMS101 has five types of names."""

NAMES_MAX: Final = 250
"""Names of all persons of one side together: a company with 100 representatives has 202, each in two languages."""

NAME_CHARACTERS_MAX: Final = 250
"""Characters of one part of a name: a whole name in ``primaryIdentifier`` is two parts of 100 with what joins them."""

GEOGRAPHIC_ADDRESSES_MAX: Final = 10
"""Addresses of one person."""

ORIGINATOR_ACCOUNTS_MAX: Final = 100
"""``accountNumber`` of the originator: its wallets, which are stored and not looked up."""

BENEFICIARY_ACCOUNTS_MAX: Final = 20
"""``accountNumber`` of the beneficiary: one deposit address in all known messages; each is looked up and screened."""

WALLET_CURRENCIES_MAX: Final = 1000
"""Currencies that one deposit address takes: every token of a chain."""

WALLET_NETWORKS_MAX: Final = 1000
"""Networks on which one deposit address takes them."""

VALUES_MAX: Final = 20_000
"""JSON values in one body or payload, in known fields or not: every later step visits all of them."""


@dataclass(frozen=True, slots=True)
class LimitRow:
    """One row of ``docs/generated/limits.md``: what is counted, the maximum, its field in an event and in a payload
    (empty: none), and the reason.
    """

    what: str
    most: int
    event: str
    payload: str
    reason: str


ROWS: tuple[LimitRow, ...] = (
    LimitRow(
        "representatives of a company", REPRESENTATIVES_MAX, "legal.representatives", "", "all of them have to be named"
    ),
    LimitRow(
        "persons of one side",
        PERSONS_MAX,
        "",
        "originatorPersons, beneficiaryPersons",
        "a company and its representatives",
    ),
    LimitRow(
        "companies of one side",
        LEGAL_PERSONS_MAX,
        "",
        "originatorPersons, beneficiaryPersons",
        "one is allowed; a second one is answered as a wrong order of persons",
    ),
    LimitRow(
        "names in one array",
        NAME_IDENTIFIERS_MAX,
        "",
        "nameIdentifier, localNameIdentifier, phoneticNameIdentifier",
        "IVMS101 has five types of names",
    ),
    LimitRow(
        "names of one side",
        NAMES_MAX,
        "",
        "originatorPersons, beneficiaryPersons",
        "a company with 100 representatives has 202, each in two languages",
    ),
    LimitRow(
        "characters of a name",
        NAME_CHARACTERS_MAX,
        "",
        "primaryIdentifier, secondaryIdentifier, legalPersonName",
        "two parts of 100, the length that the schema gives where it gives one, and what joins them",
    ),
    LimitRow(
        "addresses of a person", GEOGRAPHIC_ADDRESSES_MAX, "", "geographicAddress", "home, business, and some to spare"
    ),
    LimitRow("lines of an address", ADDRESS_LINES_MAX, "address.lines", "addressLine", "IVMS101 has at most seven"),
    LimitRow(
        "accounts of an originator", ORIGINATOR_ACCOUNTS_MAX, "", "Originator.accountNumber", "its wallets; only stored"
    ),
    LimitRow(
        "accounts of a beneficiary",
        BENEFICIARY_ACCOUNTS_MAX,
        "",
        "Beneficiary.accountNumber",
        "one in all known messages; each is looked up and screened",
    ),
    LimitRow(
        "currencies of a deposit address",
        WALLET_CURRENCIES_MAX,
        "currencies",
        "",
        "every token that a chain's address takes",
    ),
    LimitRow("networks of a deposit address", WALLET_NETWORKS_MAX, "networks", "", "as many as currencies"),
    LimitRow(
        "values in a body or payload, in known fields or not",
        VALUES_MAX,
        "",
        "",
        "the largest message that an event leads to has fewer than half of them",
    ),
)
