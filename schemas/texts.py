"""Texts, identifiers, codes and flags on the wire.

Every text refuses U+0000 (PostgreSQL cannot store it) and lone surrogates (UTF-8 has none).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import PlainSerializer, PlainValidator, StringConstraints, WithJsonSchema

from schemas.field_faults import fault
from schemas.input_forms import absent, any_case_pattern, upper

TEXT_PATTERN = r"^[^\x00]*$"
LINE_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*$"
SOLID_PATTERN = r"^[^\x00-\x20\x7f-\xa0]*$"  # a line without blanks
COUNTRY_PATTERN = r"^[A-Za-z]{2}$"

Text = Annotated[str, StringConstraints(strict=True, pattern=TEXT_PATTERN, max_length=4000)]
"""Free text; may be empty and may have several lines."""

NonEmpty = Annotated[str, StringConstraints(strict=True, pattern=TEXT_PATTERN, min_length=1, max_length=4000)]
"""Free text that is not empty."""

Id = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=200)]
"""An identifier of any origin: 1 to 200 characters, no control characters, compared exactly."""

Address = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=300)]
"""A blockchain address, with or without ``:tag``; never changed, compared by ``identity.account_numbers``."""

Txid = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=200)]
"""A transaction id exactly as the node prints it."""

Currency = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=50), upper]
"""A coin symbol; the protocol ignores its case, so it is stored in upper case."""

Line16 = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=16)]
Line35 = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=35)]
Line50 = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=50)]
Line70 = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=70)]
Line100 = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=100)]

Country = Annotated[str, StringConstraints(strict=True, pattern=COUNTRY_PATTERN, to_upper=True)]
"""ISO 3166-1 alpha-2."""

Code = Annotated[str, StringConstraints(strict=True, pattern=r"^[A-Z][A-Z0-9_]*$", max_length=100)]
"""A stable code such as ``COUNTERPARTY_UNKNOWN``."""

Word = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z][a-z0-9-]*$", max_length=100)]
"""A stable lower-case word such as ``operator-decision``."""

MaybeText = Annotated[Text | None, absent]
MaybeId = Annotated[Id | None, absent]
MaybeAddress = Annotated[Address | None, absent]
MaybeTxid = Annotated[Txid | None, absent]
MaybeLine16 = Annotated[Line16 | None, absent]
MaybeLine35 = Annotated[Line35 | None, absent]
MaybeLine70 = Annotated[Line70 | None, absent]
MaybeLine100 = Annotated[Line100 | None, absent]
MaybeCountry = Annotated[Country | None, absent]

Payload = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=1_000_000)]
"""An encrypted IVMS101 object, base64; its content is known only after opening it."""

MaybePayload = Annotated[Payload | None, absent]

TradeCurrency = Literal["KRW", "USD", "EUR", "JPY", "CNY", "GBP", "CAD", "AUD", "HKD", "SGD"]
"""The ten currencies of ``tradePrice`` (hub-api.md 4.A.5)."""

ChainCode = Annotated[NonEmpty, upper]
"""A code of a chain, compared without case and stored in upper case."""

UpperText = Annotated[Text, upper]

MaybeUpper = Annotated[Text | None, absent, upper]
"""An open code of the protocol (``reasonType``), compared without case and stored in upper case."""


def _read_flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        return value.lower() == "true"
    raise fault("INVALID_VALUE", 'must be "true" or "false"')


_flag_in = PlainValidator(_read_flag)
_flag_schema = WithJsonSchema(
    {"anyOf": [{"type": "string", "pattern": any_case_pattern("true", "false")}, {"type": "boolean"}]}
)

Flag = Annotated[bool, _flag_in, _flag_schema]
"""A boolean, read from a JSON boolean or from ``"true"``/``"false"`` in any case, written as a boolean."""

FlagText = Annotated[
    bool,
    _flag_in,
    PlainSerializer(lambda flag: "true" if flag else "false", return_type=str, when_used="json"),
    _flag_schema,
]
"""A ``Flag`` that is written as text: the form of ``isExceedingThreshold`` (D7)."""
