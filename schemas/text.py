"""Text, numbers and times as they stand on the wire.

Every text refuses U+0000 (PostgreSQL cannot store it) and lone surrogates (no UTF-8 has them). Amounts are
decimal numbers in JSON strings: at most 30 digits before the point and 36 behind it, no sign, no leading zeros.
The form with an exponent (``1E-5``, as Java's ``BigDecimal`` writes small and round numbers) is read if the plain form
fits, and is never written. A JSON number is refused because a parser may already have rounded it.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, PlainValidator, StringConstraints, WithJsonSchema

from schemas.faults import fault
from schemas.forms import (
    JsonSchema,
    Read,
    absent,
    absent_is_none,
    any_case_pattern,
    anything,
    lower,
    or_absent,
    upper,
    widened,
)

TEXT_PATTERN = r"^[^\x00]*$"
LINE_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*$"
SOLID_PATTERN = r"^[^\x00-\x20\x7f-\xa0]*$"  # a line without blanks
COUNTRY_PATTERN = r"^[A-Za-z]{2}$"
INTEGER_DIGITS_MAX = 30
FRACTION_DIGITS_MAX = 36
INDEX_DIGITS_MAX = 10
INDEX_PATTERN = rf"^[0-9]{{1,{INDEX_DIGITS_MAX}}}$"
DECIMAL_PATTERN = rf"^(0|[1-9][0-9]{{0,{INTEGER_DIGITS_MAX - 1}}})(\.[0-9]{{1,{FRACTION_DIGITS_MAX}}})?$"
EXPONENT_MAX = 1000
EXPONENT_PATTERN = r"[eE][+-]?[0-9]{1,3}"
AMOUNT_PATTERN = rf"{DECIMAL_PATTERN[:-1]}({EXPONENT_PATTERN})?$"
DATE_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
TIME_PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$"
)
INTEGER_MAX = 2**63 - 1
"""The largest whole number that every reader of JSON takes."""

_DECIMAL = re.compile(DECIMAL_PATTERN, re.ASCII)
_SCIENTIFIC = re.compile(
    rf"(?P<digits>(?:0|[1-9][0-9]{{0,{INTEGER_DIGITS_MAX - 1}}})(?:\.[0-9]{{1,{FRACTION_DIGITS_MAX}}})?)"
    rf"{EXPONENT_PATTERN}",
    re.ASCII,
)
_DATE = re.compile(DATE_PATTERN, re.ASCII)
_TIME = re.compile(TIME_PATTERN, re.ASCII)


def _digits_to_text(value: Any) -> Any:
    """Turn a JSON integer into text: nodes give output indexes as numbers, the protocol wants strings."""
    if value and isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else absent_is_none(value)


def _or_index(inner: JsonSchema) -> JsonSchema:
    return or_absent(widened(inner, {"type": "integer", "minimum": 0, "maximum": 10**INDEX_DIGITS_MAX - 1}))


def _whole(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise fault("WRONG_TYPE", "must be a whole number")
    return value


Text = Annotated[str, StringConstraints(strict=True, pattern=TEXT_PATTERN, max_length=4000)]
"""Free text, may be empty and may have several lines."""

NonEmpty = Annotated[str, StringConstraints(strict=True, pattern=TEXT_PATTERN, min_length=1, max_length=4000)]
"""Free text that says something."""

Id = Annotated[str, StringConstraints(strict=True, pattern=LINE_PATTERN, min_length=1, max_length=200)]
"""An identifier of anybody's making: 1 to 200 characters, no control characters, compared exactly."""

Address = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=300)]
"""A blockchain address, with or without ``:tag``; never changed, compared by ``identity.account_numbers``."""

Txid = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=200)]
"""A transaction id exactly as the node printed it."""

Currency = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=50), upper]
"""A coin symbol; case does not matter on the wire, so it is kept in upper case."""

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
MaybeLine50 = Annotated[Line50 | None, absent]
MaybeLine70 = Annotated[Line70 | None, absent]
MaybeLine100 = Annotated[Line100 | None, absent]
MaybeCountry = Annotated[Country | None, absent]

Payload = Annotated[str, StringConstraints(strict=True, pattern=SOLID_PATTERN, min_length=1, max_length=1_000_000)]
"""An encrypted IVMS101 object, base64; what it holds is only known after opening it."""

MaybePayload = Annotated[Payload | None, absent]

Vout = Annotated[
    Annotated[str, StringConstraints(strict=True, pattern=INDEX_PATTERN)] | None,
    Read(_digits_to_text, _or_index),
]
"""An output index as text; a JSON integer is read as well."""

_whole_number = Read(_whole, dict)
OutputIndex = Annotated[Annotated[str, StringConstraints(strict=True, pattern=INDEX_PATTERN)] | None, absent]
"""The same in a request of a peer: text alone, as the protocol documents it."""

Whole = Annotated[int, Field(ge=-INTEGER_MAX, le=INTEGER_MAX), _whole_number]
"""A JSON integer; neither a text nor a boolean is one."""

Counted = Annotated[int, Field(ge=0, le=INTEGER_MAX), _whole_number]
"""A number of things: an integer >= 0."""

Sequence = Annotated[int, Field(ge=1, le=INTEGER_MAX), _whole_number]
"""A place in an order that begins at 1."""

TradeCurrency = Literal["KRW", "USD", "EUR", "JPY", "CNY", "GBP", "CAD", "AUD", "HKD", "SGD"]
"""The ten currencies of ``tradePrice`` (hub-api.md 4.A.5)."""

ChainCode = Annotated[NonEmpty, upper]
"""A code of a chain, compared without case and kept in capitals."""

LowerText = Annotated[Text, lower]
UpperText = Annotated[Text, upper]
MaybeUpper = Annotated[Text | None, absent, upper]
"""An open code of the protocol (``reasonType``), compared without case and kept in capitals."""


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
"""The same, written as text: the form of ``isExceedingThreshold`` (D7)."""


def read_decimal(value: Any) -> Decimal:
    """Read a decimal number >= 0 from its text; a Decimal (our own code) passes through the same rules."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < EXPONENT_MAX:
        value = decimal_text(value)
    elif isinstance(value, Decimal):
        raise fault("INVALID_AMOUNT", "out of range")
    if not isinstance(value, str):
        raise fault("WRONG_TYPE", "must be a decimal number in a JSON string, not a JSON number")
    plain = value if _DECIMAL.fullmatch(value) else _expanded(value)
    if plain is None:
        raise fault("INVALID_AMOUNT", "decimal text: at most 30 digits, a point, at most 36 digits")
    return Decimal(plain)


def _expanded(value: str) -> str | None:
    """Write a number with an exponent without it; None for what is no such number, or too long without.

    The exponent has at most three digits before anything is computed, so the longest text that can arise is bounded.
    """
    if _SCIENTIFIC.fullmatch(value) is None:
        return None
    plain = decimal_text(Decimal(value))
    if not Decimal(value):
        plain = "0"
    return plain if _DECIMAL.fullmatch(plain) else None


def read_amount(value: Any) -> Decimal:
    """Read a decimal number > 0 from its text."""
    number = read_decimal(value)
    if not number:
        raise fault("INVALID_AMOUNT", "must be more than zero")
    return number


def decimal_text(number: Decimal) -> str:
    """Write a decimal number as it was read: every digit, never an exponent."""
    return format(number, "f")


_decimal_out = PlainSerializer(decimal_text, return_type=str, when_used="json")
_price_schema: JsonSchema = {"type": "string", "pattern": AMOUNT_PATTERN}
_amount_schema: JsonSchema = {**_price_schema, "allOf": [{"pattern": "^[0-9.]*[1-9]"}]}

DecimalText = Annotated[Decimal, PlainValidator(read_amount), _decimal_out, WithJsonSchema(_amount_schema)]
"""An amount of coins: a decimal number > 0 in a JSON string. The digits sent are the digits written."""

PriceText = Annotated[Decimal, PlainValidator(read_decimal), _decimal_out, WithJsonSchema(_price_schema)]
"""A price: a decimal number >= 0 in a JSON string."""


def read_time(value: Any) -> datetime | None:
    """Read a moment leniently (D35): with or without seconds, colon and zone (then UTC); else None."""
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    else:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None  # an offset that leads before year 1 or past year 9999


def time_text(moment: datetime) -> str:
    """Write a moment as the network wants it: ``YYYY-MM-DDTHH:MM:SSZ``."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _documented(text: str) -> bool:
    """Whether a moment is written in a form of ``TIME_PATTERN``; the usual one is told by its signs."""
    usual = len(text) == len("YYYY-MM-DDTHH:MM:SSZ") and text[4::3] == "--T::Z"
    return usual or _TIME.fullmatch(text) is not None


def _timestamp(value: Any) -> datetime:
    moment = read_time(value) if not isinstance(value, str) or _documented(value) else None
    if moment is None:
        raise fault("INVALID_TIME", "must be a moment such as 2026-11-20T09:00:00Z in a JSON string")
    return moment


_time_out = PlainSerializer(time_text, return_type=str, when_used="json")

Timestamp = Annotated[
    datetime, PlainValidator(_timestamp), _time_out, WithJsonSchema({"type": "string", "pattern": TIME_PATTERN})
]
"""An aware UTC moment. Read in the forms of ``TIME_PATTERN`` (D35), written to the second."""

MaybeTime = Annotated[Timestamp | None, absent]
"""The same where it may be left out, as in events of ours."""

MaybeTimestamp = Annotated[
    Annotated[
        datetime | None,
        PlainSerializer(lambda moment: moment and time_text(moment), return_type=str | None, when_used="json"),
        WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}),
    ],
    anything(read_time),
]
"""A moment that a peer may write as it likes: what cannot be read is unknown (None), never an error (D35)."""


def _calendar_day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise fault("WRONG_TYPE", "must be a date in a JSON string")
    if _DATE.fullmatch(value) is None:
        raise fault("INVALID_DATE", "must be a calendar day YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise fault("INVALID_DATE", "must be a day that exists, YYYY-MM-DD") from None


Day = Annotated[
    date,
    PlainValidator(_calendar_day),
    PlainSerializer(date.isoformat, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date", "pattern": DATE_PATTERN}),
]
"""A calendar day, ``YYYY-MM-DD``."""
