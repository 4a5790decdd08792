"""The KYT report (screening.md 5). Only ``verdict`` is required: it decides, the rest is evidence."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from schemas.base import Wire
from schemas.faults import fault
from schemas.hub_screening import Texts, none_is_empty
from schemas.text import MaybeText, MaybeTimestamp, Text, UpperText, absent_is_none

EXPONENT_MAX = 60
"""No amount of any coin has more digits than this; a longer one is an attack on whoever writes it out."""


def _number(value: Any) -> Decimal | None:
    """Read a JSON number or its text; amounts of a report are evidence, never money to be moved."""
    if absent_is_none(value) is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise fault("WRONG_TYPE", "must be a number")
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        raise fault("INVALID_AMOUNT", "must be a number") from None
    if not number.is_finite() or abs(number.adjusted()) > EXPONENT_MAX:
        raise fault("INVALID_AMOUNT", "must be a number of a size that exists")
    return number


def _json_number(number: Decimal | None) -> int | float | None:
    """Write the JSON number of the protocol: whole where it is whole."""
    if number is None:
        return None
    return int(number) if number == number.to_integral_value() else float(number)


def _unreadable_is(empty: Callable[[], Any]) -> WrapValidator:
    """Keep the rest of a report, and its verdict, when a part has another shape than documented."""

    def read_or_leave(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
        try:
            return read(value)
        except ValidationError:
            return empty()

    return WrapValidator(read_or_leave)


Number = Annotated[
    Decimal | None,
    PlainValidator(_number),
    PlainSerializer(_json_number, return_type=int | float | None, when_used="json"),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}),
]
detail = _unreadable_is(lambda: None)
details = _unreadable_is(tuple)
detail_map = _unreadable_is(dict)
Count = Annotated[int | None, BeforeValidator(absent_is_none)]
Truth = Annotated[bool | None, BeforeValidator(absent_is_none)]


class _Snake(Wire):
    """The inner objects of a report have snake_case names on the wire."""

    model_config = ConfigDict(alias_generator=None)


class Movement(_Snake):
    """One hop of a quick chain of transfers."""

    address: MaybeText = None
    receive_tx: MaybeText = None
    send_tx: MaybeText = None
    receive_time: MaybeTimestamp = None
    send_time: MaybeTimestamp = None
    time_diff_seconds: Number = None
    receive_amount: Number = None


class PathSummary(_Snake):
    """Where a quick chain began and ended, and how long it took."""

    start_address: MaybeText = None
    end_address: MaybeText = None
    total_time_seconds: Number = None
    avg_hop_time_seconds: Number = None


class MovementPath(_Snake):
    """A quick chain of transfers."""

    path_length: Count = None
    movements: Annotated[tuple[Movement, ...], BeforeValidator(none_is_empty)] = ()
    summary: Annotated[PathSummary | None, BeforeValidator(absent_is_none)] = None


class SwiftMovement(_Snake):
    """Value that was passed on within seconds."""

    addresses_count: Count = None
    movement_count: Count = None
    threshold_seconds: Number = None
    path_count: Count = None
    paths: Annotated[tuple[MovementPath, ...], BeforeValidator(none_is_empty)] = ()


class DormantWallet(_Snake):
    """A wallet that slept. ``hold_end`` is None as well for the text ``still holding``."""

    address: MaybeText = None
    holding_type: MaybeText = None
    holding_period_days: Number = None
    hold_start: MaybeTimestamp = None
    hold_end: MaybeTimestamp = None
    hold_start_tx: MaybeText = None
    hold_end_tx: MaybeText = None


class DormantStatus(_Snake):
    """Wallets that slept longer than the threshold."""

    pattern: MaybeText = None
    is_suspicious: Truth = None
    addresses_count: Count = None
    threshold_days: Number = None
    wallets: Annotated[tuple[DormantWallet, ...], BeforeValidator(none_is_empty)] = ()


class HighValueItem(_Snake):
    """A transaction of high value; ``amount`` in the native coin."""

    tx_hash: MaybeText = None
    amount: Number = None
    amount_usd: Number = None
    symbol: MaybeText = None


class HighValueTransaction(_Snake):
    """Transactions above a value in dollars."""

    pattern: MaybeText = None
    is_suspicious: Truth = None
    count: Count = None
    total_usd: Number = None
    threshold_usd: Number = None
    transactions: Annotated[tuple[HighValueItem, ...], BeforeValidator(none_is_empty)] = ()


class HighGasItem(_Snake):
    """A transaction that paid an odd fee."""

    tx_hash: MaybeText = None
    gas_used: Count = None
    gas_cost: Number = None
    gas_cost_symbol: MaybeText = None
    tx_amount: Number = None
    gas_percentage: Number = None
    exceeds_absolute_threshold: Truth = None
    exceeds_ratio_threshold: Truth = None
    threshold_used: Number = None


class HighGasFee(_Snake):
    """Transactions whose fee is out of proportion."""

    pattern: MaybeText = None
    is_suspicious: Truth = None
    count: Count = None
    total_gas_cost: Number = None
    avg_gas_percentage: Number = None
    transactions: Annotated[tuple[HighGasItem, ...], BeforeValidator(none_is_empty)] = ()


class BehavioralPatterns(_Snake):
    """What addresses did."""

    swift_movement: Annotated[SwiftMovement | None, BeforeValidator(absent_is_none)] = None


class TransactionPatterns(_Snake):
    """What transactions looked like; one key has a blank in it."""

    dormant_status: Annotated[
        DormantStatus | None,
        BeforeValidator(absent_is_none),
        Field(
            validation_alias=AliasChoices("dormant status", "dormant_status"),
            serialization_alias="dormant status",
        ),
    ] = None
    high_value_transaction: Annotated[HighValueTransaction | None, BeforeValidator(absent_is_none)] = None
    high_gas_fee: Annotated[HighGasFee | None, BeforeValidator(absent_is_none)] = None


def _none_is_no_map(value: Any) -> Any:
    return {} if absent_is_none(value) is None else value


class RiskIndicators(Wire):
    """Why a transaction was rated as it was; labels and feature names are open texts."""

    blacklisted_addresses: Annotated[Texts, details] = ()
    suspicious_services: Annotated[dict[Text, Text], BeforeValidator(_none_is_no_map), detail_map] = Field(
        default_factory=dict
    )
    behavioral_patterns: Annotated[BehavioralPatterns | None, BeforeValidator(absent_is_none), detail] = None
    transaction_patterns: Annotated[TransactionPatterns | None, BeforeValidator(absent_is_none), detail] = None
    ml_features: Annotated[dict[Text, Count], BeforeValidator(_none_is_no_map), detail_map] = Field(
        default_factory=dict
    )


class Annotation(Wire):
    """What is known about an address on the way: ``whitelist``, ``graylist`` or ``blacklist``."""

    annotation: MaybeText = None
    security_category: MaybeText = None


class TokenAmounts(Wire):
    """The traced amounts of one token."""

    total: Number = None
    malicious: Number = None
    suspicious: Number = None


class KytReport(Wire):
    """The analysis of a transaction. ``total_amount`` may be rounded against ``by_token``."""

    report_id: Annotated[Count, detail] = None
    verdict: UpperText
    total_amount: Annotated[Number, detail] = None
    malicious_amount: Annotated[Number, detail] = None
    suspicious_amount: Annotated[Number, detail] = None
    receiver: Annotated[MaybeText, detail] = None
    generated_at: Annotated[MaybeTimestamp, detail] = None
    senders: Annotated[Texts, details] = ()
    risk_indicators: Annotated[RiskIndicators | None, BeforeValidator(absent_is_none), detail] = None
    annotations: Annotated[dict[Text, Annotation], BeforeValidator(_none_is_no_map), detail_map] = Field(
        default_factory=dict
    )
    by_token: Annotated[dict[Text, TokenAmounts], BeforeValidator(_none_is_no_map), detail_map] = Field(
        default_factory=dict
    )


class KytReportResponse(Wire):
    """Answer of 4.B.4, also the callback."""

    request_id: int
    status: UpperText
    error: MaybeText = None
    submitted_at: Annotated[MaybeTimestamp, detail] = None
    report: Annotated[KytReport | None, BeforeValidator(absent_is_none)] = None
