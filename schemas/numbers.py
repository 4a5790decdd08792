"""Numbers on the wire: amounts, prices, indexes, counts.

An amount is a decimal number in a JSON string: at most 30 digits before the point and 36 behind it, no sign, no
leading zeros. The form with an exponent (``1E-5``, as Java's ``BigDecimal`` writes small and round numbers) is read if
the plain form fits, and is never written. A JSON number is refused because a parser may already have rounded it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, PlainValidator, StringConstraints, WithJsonSchema

from schemas.field_faults import fault
from schemas.input_forms import InputForm, JsonSchema, absent, absent_is_none, or_absent, widened

INTEGER_DIGITS_MAX = 30
FRACTION_DIGITS_MAX = 36
INDEX_DIGITS_MAX = 10
INDEX_PATTERN = rf"^[0-9]{{1,{INDEX_DIGITS_MAX}}}$"
DECIMAL_PATTERN = rf"^(0|[1-9][0-9]{{0,{INTEGER_DIGITS_MAX - 1}}})(\.[0-9]{{1,{FRACTION_DIGITS_MAX}}})?$"
EXPONENT_MAX = 1000
EXPONENT_PATTERN = r"[eE][+-]?[0-9]{1,3}"
AMOUNT_PATTERN = rf"{DECIMAL_PATTERN[:-1]}({EXPONENT_PATTERN})?$"

INTEGER_MAX = 2**63 - 1
"""The largest whole number that every JSON parser accepts."""

_DECIMAL = re.compile(DECIMAL_PATTERN, re.ASCII)
_SCIENTIFIC = re.compile(
    rf"(?P<digits>(?:0|[1-9][0-9]{{0,{INTEGER_DIGITS_MAX - 1}}})(?:\.[0-9]{{1,{FRACTION_DIGITS_MAX}}})?)"
    rf"{EXPONENT_PATTERN}",
    re.ASCII,
)


def _digits_to_text(value: Any) -> Any:
    """Return a JSON integer as text: nodes print output indexes as numbers, the protocol uses strings."""
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


Vout = Annotated[
    Annotated[str, StringConstraints(strict=True, pattern=INDEX_PATTERN)] | None,
    InputForm(_digits_to_text, _or_index),
]
"""An output index as text; a JSON integer is accepted too."""

_whole_number = InputForm(_whole, dict)

OutputIndex = Annotated[Annotated[str, StringConstraints(strict=True, pattern=INDEX_PATTERN)] | None, absent]
"""An output index in a request of a peer: text only, as the protocol documents it."""

Whole = Annotated[int, Field(ge=-INTEGER_MAX, le=INTEGER_MAX), _whole_number]
"""A JSON integer; neither a text nor a boolean is one."""

Counted = Annotated[int, Field(ge=0, le=INTEGER_MAX), _whole_number]
"""A number of things: an integer >= 0."""

Sequence = Annotated[int, Field(ge=1, le=INTEGER_MAX), _whole_number]
"""A position in an order that begins at 1."""


def read_decimal(value: Any) -> Decimal:
    """Return the decimal number >= 0 of a text; a Decimal from our code must meet the same rules."""
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
    """Return a number with an exponent in its plain form, None if it is no such number or its plain form is too long.

    The pattern allows at most three digits of exponent, which bounds the length of the plain form.
    """
    if _SCIENTIFIC.fullmatch(value) is None:
        return None
    plain = decimal_text(Decimal(value))
    if not Decimal(value):
        plain = "0"
    return plain if _DECIMAL.fullmatch(plain) else None


def read_amount(value: Any) -> Decimal:
    """Return the decimal number > 0 of a text."""
    number = read_decimal(value)
    if not number:
        raise fault("INVALID_AMOUNT", "must be more than zero")
    return number


def decimal_text(number: Decimal) -> str:
    """Return a decimal number as text, with the digits that were read and without an exponent."""
    return format(number, "f")


_decimal_out = PlainSerializer(decimal_text, return_type=str, when_used="json")
_price_schema: JsonSchema = {"type": "string", "pattern": AMOUNT_PATTERN}
_amount_schema: JsonSchema = {**_price_schema, "allOf": [{"pattern": "^[0-9.]*[1-9]"}]}

DecimalText = Annotated[Decimal, PlainValidator(read_amount), _decimal_out, WithJsonSchema(_amount_schema)]
"""An amount of coins: a decimal number > 0 in a JSON string. The digits sent are the digits written."""

PriceText = Annotated[Decimal, PlainValidator(read_decimal), _decimal_out, WithJsonSchema(_price_schema)]
"""A price: a decimal number >= 0 in a JSON string."""
