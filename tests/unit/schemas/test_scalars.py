from __future__ import annotations

import re
import tracemalloc
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from schemas import moments, numbers, texts
from schemas.field_faults import field_faults

AMOUNT = TypeAdapter(numbers.DecimalText)
PRICE = TypeAdapter(numbers.PriceText)
WHEN = TypeAdapter(moments.Timestamp)
MAYBE_WHEN = TypeAdapter(moments.MaybeTimestamp)
DAY = TypeAdapter(moments.Day)


def code_of(adapter: TypeAdapter[Any], value: object) -> str:
    with pytest.raises(ValidationError) as refused:
        adapter.validate_python(value)
    (fault,) = field_faults(refused.value)
    return fault.code


@pytest.mark.parametrize(
    "sent", ["250.50", "1", "0.000000000000000001", "9" * 30 + "." + "9" * 36, "100000000000000000000000000000"]
)
def test_an_amount_is_written_with_exactly_the_digits_it_came_with(sent: str) -> None:
    amount = AMOUNT.validate_json(f'"{sent}"')
    assert amount == Decimal(sent)
    assert AMOUNT.dump_json(amount) == f'"{sent}"'.encode()


@pytest.mark.parametrize(
    "sent",
    ["", "0", "0.0", "-1", "+1", "0E-8", "-1E3", "NaN", "Infinity", ".5", "5.", "01", "1,000", " 1", "1 ", "1\n",
     "٣", "1_000", "1" * 31, "0." + "1" * 37, "0x10"],
)  # fmt: skip
def test_what_is_no_plain_positive_decimal_is_no_amount(sent: str) -> None:
    assert code_of(AMOUNT, sent) == "INVALID_AMOUNT"


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("1E-5", "0.00001"),  # what Java's BigDecimal writes
        ("1e-05", "0.00001"),
        ("1.50E+1", "15.0"),
        ("2E+3", "2000"),
        ("2.5E3", "2500"),
        ("100E-2", "1.00"),
        ("0.5E+1", "5"),
        ("9E+29", "9" + "0" * 29),
        ("1E-36", "0." + "0" * 35 + "1"),
    ],
)
def test_an_amount_with_an_exponent_is_read_and_written_without(sent: str, written: str) -> None:
    amount = AMOUNT.validate_python(sent)
    assert amount == Decimal(sent)
    assert AMOUNT.dump_json(amount) == f'"{written}"'.encode()
    assert AMOUNT.validate_python(written) == amount


@pytest.mark.parametrize(
    "sent",
    ["1E+999999999", "1E-999999999", "1E+999", "1E-999", "1E1000", "1E+30", "1E-37", "1.5E-36", "1" * 31 + "E-5",
     "01E5", ".5E5", "5.E5", "1E", "1E+", "1E1.0", "1E 5", "1E5 ", "1E5\n", "1E٣", "E5", "0.0E+2"],
)  # fmt: skip
def test_an_exponent_that_leads_out_of_range_is_refused_before_anything_expands(sent: str) -> None:
    tracemalloc.start()
    try:
        assert code_of(AMOUNT, sent) == "INVALID_AMOUNT"
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0))
@example(Decimal("1E+999999"))
@example(Decimal("1E-999999"))
def test_every_form_of_a_number_is_the_number_or_refused(number: Decimal) -> None:
    """Whatever form a peer's language writes: what is read is equal, and what is written is plain and reads back."""
    try:
        read = PRICE.validate_python(str(number))
    except ValidationError:
        digits = max(number.adjusted() + 1, -number.as_tuple().exponent)
        assert digits > numbers.INTEGER_DIGITS_MAX
        return
    assert read == number
    written = PRICE.dump_json(read).decode().strip('"')
    assert re.fullmatch(numbers.DECIMAL_PATTERN, written)
    assert PRICE.validate_python(written) == number


@pytest.mark.parametrize("sent", [1, 2.5, True, None, [], {}, b"1"])
def test_an_amount_that_is_not_text_is_a_wrong_type(sent: object) -> None:
    assert code_of(AMOUNT, sent) == "WRONG_TYPE"


def test_our_own_decimals_pass_the_same_rules() -> None:
    assert AMOUNT.validate_python(Decimal("1E+3")) == Decimal(1000)
    assert code_of(AMOUNT, Decimal("1E+999999999")) == "INVALID_AMOUNT"
    assert code_of(AMOUNT, Decimal("NaN")) == "INVALID_AMOUNT"
    assert code_of(AMOUNT, Decimal("-0.5")) == "INVALID_AMOUNT"


def test_a_price_may_be_zero_but_not_negative() -> None:
    assert PRICE.validate_python("0.00") == 0
    assert PRICE.validate_python("0E-8") == 0
    assert PRICE.dump_json(PRICE.validate_python("0E-8")) == b'"0"'
    assert code_of(PRICE, "-0.01") == "INVALID_AMOUNT"


@pytest.mark.parametrize(
    ("sent", "moment"),
    [
        ("2024-03-04T15:10Z", datetime(2024, 3, 4, 15, 10, tzinfo=UTC)),
        ("2024-03-04T15:10:28+0000", datetime(2024, 3, 4, 15, 10, 28, tzinfo=UTC)),
        ("2024-03-04T15:10:28.512Z", datetime(2024, 3, 4, 15, 10, 28, 512000, tzinfo=UTC)),
        ("2024-03-04T15:10:28", datetime(2024, 3, 4, 15, 10, 28, tzinfo=UTC)),
        ("2024-03-04 15:10:28", datetime(2024, 3, 4, 15, 10, 28, tzinfo=UTC)),
        ("2024-03-04T15:10:28+09:00", datetime(2024, 3, 4, 6, 10, 28, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_every_form_that_the_network_uses(sent: str, moment: datetime) -> None:
    assert moments.read_time(sent) == moment
    assert WHEN.validate_python(sent) == moment


@pytest.mark.parametrize(
    "sent",
    ["2022-06-31T23:59:59Z", "yesterday", "", "still holding", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
     None, 1700000000, {}, "2024-03-04T15:10\ud800"],
)  # fmt: skip
def test_an_unreadable_time_is_unknown_where_that_is_allowed_and_a_fault_elsewhere(sent: object) -> None:
    assert MAYBE_WHEN.validate_python(sent) is None
    assert code_of(WHEN, sent) == "INVALID_TIME"


def test_times_are_written_in_utc_to_the_second() -> None:
    seoul = datetime(2024, 3, 4, 15, 10, 28, 999999, tzinfo=timezone(timedelta(hours=9)))
    assert moments.time_text(seoul) == "2024-03-04T06:10:28Z"
    assert WHEN.dump_json(seoul) == b'"2024-03-04T06:10:28Z"'


def test_a_day_is_a_day_that_exists() -> None:
    assert DAY.validate_python("1990-02-03") == date(1990, 2, 3)
    assert DAY.dump_json(date(1990, 2, 3)) == b'"1990-02-03"'
    assert DAY.validate_python(date(1990, 2, 3)) == date(1990, 2, 3)
    for wrong in ("1990-02-30", "1990-2-3", "19900203", "1990-W06-6", "1990-02-03T00:00:00", "٢٠٢٤-01-01"):
        assert code_of(DAY, wrong) == "INVALID_DATE"
    for odd in (19900203, None, datetime(1990, 2, 3, tzinfo=UTC)):
        assert code_of(DAY, odd) == "WRONG_TYPE"


ALL_TEXTS = [
    texts.Text,
    texts.NonEmpty,
    texts.Id,
    texts.Address,
    texts.Txid,
    texts.Currency,
    texts.Line35,
    texts.Payload,
]


@pytest.mark.parametrize("kind", ALL_TEXTS)
@pytest.mark.parametrize("sent", ["a\x00b", "a\ud800", "\udfffz"])
def test_no_text_lets_u0000_or_half_a_surrogate_pair_in(kind: Any, sent: str) -> None:
    assert code_of(TypeAdapter(kind), sent) == "INVALID_TEXT"


@pytest.mark.parametrize("kind", [texts.Id, texts.Address, texts.Txid, texts.Line35])
@pytest.mark.parametrize("sent", ["a\nb", "a\r", "\x1b[2J", "a\x85b"])
def test_identifiers_and_names_have_no_control_characters(kind: Any, sent: str) -> None:
    assert code_of(TypeAdapter(kind), sent) == "INVALID_TEXT"


def test_letters_of_every_script_and_the_astral_planes_are_text() -> None:
    for sent in ("김서연", "Łukasz", "Ó Súilleabháin", "𠮷野", "مريم"):
        assert TypeAdapter(texts.Line100).validate_python(sent) == sent


def test_identifiers_are_bounded() -> None:
    assert TypeAdapter(texts.Id).validate_python("x" * 200) == "x" * 200
    assert code_of(TypeAdapter(texts.Id), "x" * 201) == "TOO_LONG"
    assert code_of(TypeAdapter(texts.Id), "") == "EMPTY_VALUE"


def test_addresses_and_txids_keep_their_case_and_currencies_do_not() -> None:
    assert TypeAdapter(texts.Address).validate_python("rEb8TK:tag") == "rEb8TK:tag"
    assert TypeAdapter(texts.Txid).validate_python("0xAbC") == "0xAbC"
    assert TypeAdapter(texts.Currency).validate_python("xrp") == "XRP"
    assert TypeAdapter(texts.Country).validate_python("se") == "SE"


@pytest.mark.parametrize(("sent", "read"), [("0", "0"), (7, "7"), ("", None), (None, None)])
def test_an_output_index_is_text_even_if_it_comes_as_a_number(sent: object, read: str | None) -> None:
    assert TypeAdapter(numbers.Vout).validate_python(sent) == read


@pytest.mark.parametrize("sent", ["-1", -1, "1.0", 1.5, True, "x", "1" * 11])
def test_what_is_no_output_index_is_refused(sent: object) -> None:
    assert code_of(TypeAdapter(numbers.Vout), sent) in {"INVALID_VALUE", "WRONG_TYPE"}


@pytest.mark.parametrize(
    ("sent", "flag"), [(True, True), ("true", True), ("TRUE", True), ("False", False), (False, False)]
)
def test_a_flag_is_read_as_boolean_or_text_and_written_as_its_form(sent: object, flag: bool) -> None:
    as_text = TypeAdapter(texts.FlagText)
    as_boolean = TypeAdapter(texts.Flag)
    assert as_text.validate_python(sent) is as_boolean.validate_python(sent) is flag
    assert as_text.dump_json(flag) == (b'"true"' if flag else b'"false"')
    assert as_boolean.dump_json(flag) == (b"true" if flag else b"false")


@pytest.mark.parametrize("sent", [1, 0, "1", "yes", "", None, []])
def test_nothing_else_is_a_flag(sent: object) -> None:
    assert code_of(TypeAdapter(texts.FlagText), sent) == "INVALID_VALUE"


def test_our_own_moments_and_unknown_ones_are_written() -> None:
    assert MAYBE_WHEN.dump_json(None) == b"null"
    assert MAYBE_WHEN.validate_python(datetime(2024, 3, 4, tzinfo=UTC)) == datetime(2024, 3, 4, tzinfo=UTC)
    assert MAYBE_WHEN.dump_json(datetime(2024, 3, 4, tzinfo=UTC)) == b'"2024-03-04T00:00:00Z"'


@pytest.mark.parametrize("symbol", ["ß" * 50, "ŉ" * 50, "币安", "ſ"])
def test_a_currency_that_was_read_can_be_read_again(symbol: str) -> None:
    """Capitals may be longer than the text: what was accepted must not be stored in a form that is refused."""
    read = TypeAdapter(texts.Currency).validate_python(symbol)
    assert TypeAdapter(texts.Currency).validate_python(read) == read == symbol


@pytest.mark.parametrize("sent", [True, False, "5", " 5 ", "1_0", 1.5, None, 2**63])
def test_what_is_no_whole_number_is_refused(sent: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(numbers.Whole).validate_python(sent)


def test_a_whole_number_may_have_a_point_and_zeros() -> None:
    """JSON has one kind of numbers, and JSON Schema counts ``5.0`` as an integer."""
    assert TypeAdapter(numbers.Whole).validate_json("5.0") == 5
    assert TypeAdapter(numbers.Vout).validate_json("5.0") == "5"


@pytest.mark.parametrize(
    "sent", ["2026-W47-5", "2026-W47-5T09:00:00Z", "20261120T090000Z", "2026-11-20T09:00:00Z\n", " 2026-11-20"]
)
def test_a_moment_in_a_form_that_the_schema_does_not_name_is_no_moment_of_an_event(sent: str) -> None:
    assert code_of(WHEN, sent) == "INVALID_TIME"
