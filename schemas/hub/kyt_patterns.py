"""Numbers and patterns of a KYT report (screening.md 5): evidence, of which nothing is required."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AliasChoices, ConfigDict, Field, PlainSerializer, PlainValidator, WithJsonSchema

from schemas.field_faults import fault
from schemas.input_forms import absent, absent_is_none, several
from schemas.moments import MaybeTimestamp
from schemas.numbers import Whole
from schemas.texts import MaybeText
from schemas.wire_model import Wire

EXPONENT_MAX = 60
"""No amount of any coin has more digits; a longer one is an attack on the program that prints it."""


def _number(value: Any) -> Decimal | None:
    """Return a JSON number or its text as a number; amounts of a report are evidence, never transferred."""
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
    """Return the JSON number of the protocol: an integer if the value is whole."""
    if number is None:
        return None
    return int(number) if number == number.to_integral_value() else float(number)


Number = Annotated[
    Decimal | None,
    PlainValidator(_number),
    PlainSerializer(_json_number, return_type=int | float | None, when_used="json"),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}),
]
Count = Annotated[Whole | None, absent]
Truth = Annotated[bool | None, absent]


class Snake(Wire):
    """The inner objects of a report have snake_case names on the wire."""

    model_config = ConfigDict(alias_generator=None)


class Movement(Snake):
    """One hop of a quick chain of transfers."""

    address: MaybeText = None
    """Address that passed the coins on.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    receive_tx: MaybeText = None
    """Transaction that brought the coins to the address.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    send_tx: MaybeText = None
    """Transaction that took the coins from the address.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    receive_time: MaybeTimestamp = None
    """Moment at which the coins came: ISO 8601, UTC if no zone is given.
    Example: "2026-02-01T10:00:00"
    """
    send_time: MaybeTimestamp = None
    """Moment at which the coins left: ISO 8601, UTC if no zone is given.
    Example: "2026-02-01T10:00:08"
    """
    time_diff_seconds: Number = None
    """Time between the two transactions, in seconds.
    Example: 8
    """
    receive_amount: Number = None
    """Quantity of the coin that came.
    Example: 1.5
    """


class PathSummary(Snake):
    """Where a quick chain began and ended, and how long it took."""

    start_address: MaybeText = None
    """Address from which the chain of transfers began.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    end_address: MaybeText = None
    """Address at which the chain of transfers ended.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    total_time_seconds: Number = None
    """Time from the first to the last hop, in seconds.
    Example: 42
    """
    avg_hop_time_seconds: Number = None
    """Mean time from one hop to the next one, in seconds.
    Example: 14
    """


class MovementPath(Snake):
    """A quick chain of transfers."""

    path_length: Count = None
    """Number of hops in the chain.
    Example: 3
    """
    movements: Annotated[tuple[Movement, ...], several] = ()
    """The hops in the order in which they happened."""
    summary: Annotated[PathSummary | None, absent] = None
    """Ends and duration of the chain."""


class SwiftMovement(Snake):
    """Value that was passed on within seconds."""

    addresses_count: Count = None
    """Number of addresses that passed value on.
    Example: 2
    """
    movement_count: Count = None
    """Number of hops in all chains together.
    Example: 3
    """
    threshold_seconds: Number = None
    """Time below which a hop counts as quick, in seconds.
    Example: 60
    """
    path_count: Count = None
    """Number of chains that were found.
    Example: 1
    """
    paths: Annotated[tuple[MovementPath, ...], several] = ()
    """The chains that were found."""


class DormantWallet(Snake):
    """A wallet that did not move its coins for a long time."""

    address: MaybeText = None
    """Address of the wallet on the chain that was analysed.
    Example: "0x52908400098527886E0F7030069857D2E4169EE7"
    """
    holding_type: MaybeText = None
    """How the wallet held: ``long_hold_then_sent``, ``still_holding`` or ``never_sent``; an open list.
    Example: "still_holding"
    """
    holding_period_days: Number = None
    """How long the coins did not move, in days.
    Example: 412.5
    """
    hold_start: MaybeTimestamp = None
    """Moment from which the coins did not move: ISO 8601, UTC if no zone is given.
    Example: "2024-12-01 10:00:00"
    """
    hold_end: MaybeTimestamp = None
    """Moment at which the coins moved again; absent as well for the text ``still holding``.
    Example: "2026-01-17 22:00:00"
    """
    hold_start_tx: MaybeText = None
    """Transaction that brought the coins.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    hold_end_tx: MaybeText = None
    """Transaction that moved the coins again; absent while they are held.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """


class DormantStatus(Snake):
    """Wallets that did not move their coins for longer than a threshold."""

    pattern: MaybeText = None
    """Name of the pattern at the provider.
    Example: "dormant_account"
    """
    is_suspicious: Truth = None
    """Whether the provider counts the pattern as suspicious."""
    addresses_count: Count = None
    """Number of wallets that were found.
    Example: 1
    """
    threshold_days: Number = None
    """Time from which on a wallet counts as dormant, in days.
    Example: 365
    """
    wallets: Annotated[tuple[DormantWallet, ...], several] = ()
    """The dormant wallets that were found, in no order."""


class HighValueItem(Snake):
    """A transaction of high value."""

    tx_hash: MaybeText = None
    """Id of the transaction on the chain.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    amount: Number = None
    """Quantity of the native coin.
    Example: 120.5
    """
    amount_usd: Number = None
    """Value in US dollars at the time.
    Example: 250000
    """
    symbol: MaybeText = None
    """Symbol of the coin that was moved.
    Example: "ETH"
    """


class HighValueTransaction(Snake):
    """Transactions above a value in dollars."""

    pattern: MaybeText = None
    """Name of the pattern at the provider.
    Example: "high_value_transaction"
    """
    is_suspicious: Truth = None
    """Whether the provider counts the pattern as suspicious."""
    count: Count = None
    """Number of transactions that were found.
    Example: 1
    """
    total_usd: Number = None
    """Value of all of them together, in US dollars.
    Example: 250000
    """
    threshold_usd: Number = None
    """Value from which on a transaction counts, in US dollars.
    Example: 100000
    """
    transactions: Annotated[tuple[HighValueItem, ...], several] = ()
    """The transactions that were found, in no order."""


class HighGasItem(Snake):
    """A transaction that paid an odd fee."""

    tx_hash: MaybeText = None
    """Id of the transaction on the chain.
    Example: "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
    """
    gas_used: Count = None
    """Units of gas that the transaction used up, a whole number.
    Example: 21000
    """
    gas_cost: Number = None
    """Fee that was paid, in the coin of ``gas_cost_symbol``.
    Example: 0.4
    """
    gas_cost_symbol: MaybeText = None
    """Symbol of the coin that the fee was paid in.
    Example: "ETH"
    """
    tx_amount: Number = None
    """Quantity of the native coin that was moved.
    Example: 3.2
    """
    gas_percentage: Number = None
    """Fee in percent of the quantity that was moved.
    Example: 12.5
    """
    exceeds_absolute_threshold: Truth = None
    """Whether the fee alone is above its threshold."""
    exceeds_ratio_threshold: Truth = None
    """Whether the fee is above its threshold in percent."""
    threshold_used: Number = None
    """The threshold that was compared with.
    Example: 10
    """


class HighGasFee(Snake):
    """Transactions whose fee is out of proportion."""

    pattern: MaybeText = None
    """Name of the pattern at the provider.
    Example: "high_gas_fee"
    """
    is_suspicious: Truth = None
    """Whether the provider counts the pattern as suspicious."""
    count: Count = None
    """Number of transactions that were found.
    Example: 1
    """
    total_gas_cost: Number = None
    """Fees of all of them together, in the native coin.
    Example: 0.4
    """
    avg_gas_percentage: Number = None
    """Mean fee in percent of the quantity that was moved.
    Example: 12.5
    """
    transactions: Annotated[tuple[HighGasItem, ...], several] = ()
    """The transactions that were found, in no order."""


class BehavioralPatterns(Snake):
    """Findings about the behaviour of addresses."""

    swift_movement: Annotated[SwiftMovement | None, absent] = None
    """Value that was passed on within seconds; absent if none was found."""


class TransactionPatterns(Snake):
    """Findings about the form of transactions; one of the names has a blank in it."""

    dormant_status: Annotated[
        DormantStatus | None,
        absent,
        Field(
            validation_alias=AliasChoices("dormant status", "dormant_status"),
            serialization_alias="dormant status",
        ),
    ] = None
    """Wallets that did not move their coins for a long time; absent if none was found."""
    high_value_transaction: Annotated[HighValueTransaction | None, absent] = None
    """Transactions above a value in dollars; absent if none was found."""
    high_gas_fee: Annotated[HighGasFee | None, absent] = None
    """Transactions whose fee is out of proportion; absent if none was found."""
