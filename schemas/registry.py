"""Topics and event types as data: topics, codec, documents and exports are derived from this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from schemas.events import (
    alerts,
    audit,
    callbacks,
    decisions,
    deposits,
    exchanges,
    screenings,
    txids,
    verdicts,
    wallets,
)
from schemas.events import withdrawals as withdrawal_events
from schemas.wire_model import Wire

Direction = Literal["in", "out"]

PARTITIONS_EMBEDDED = 4
PARTITIONS_REAL = 12
RECORD_BYTES = 1_048_588
"""Kafka's default limit: a mebibyte and its frame."""
DEAD_LETTER_BYTES = 2 * 1_048_576
"""A dead letter contains a whole record, sealed and with more headers."""

SUBJECT_KINDS = (
    "withdrawal",
    "deposit",
    "wallet",
    "owner",
    "screening",
    "assessment",
    "exchange",
    "vasp",
    "arrival",
    "data-request",
    "disclosure",
)
"""The kinds that a qualified subject may begin with: ``<kind>:<id>``."""

KeyOf = Callable[[Wire], str]
Model = type[Wire]


@dataclass(frozen=True, slots=True)
class EventSpec:
    """One event type: its topic (without prefix), the model of ``data``, the wire name of its key field.

    ``subject_kind`` qualifies the key of an input; it is empty where ``data`` names its subject itself.
    """

    type: str
    topic: str
    model: Model
    key_field: str
    key_of: KeyOf
    subject_kind: str = ""


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """One topic: ``name`` without the prefix of the settings, its direction, retention and key."""

    name: str
    direction: Direction
    key_field: str
    compacted: bool = False
    types: tuple[str, ...] = ()
    partitions_embedded: int = PARTITIONS_EMBEDDED
    partitions_real: int = PARTITIONS_REAL
    bytes_max: int = RECORD_BYTES
    """The largest record that the topic must accept, its key and headers included."""


def bare_id(subject: str) -> str:
    """Return a subject without its kind; a bare id is unchanged."""
    kind, separator, rest = subject.partition(":")
    return rest if separator and kind in SUBJECT_KINDS else subject


def is_qualified(subject: str) -> bool:
    """Whether a subject has a kind and an id."""
    return bool(bare_id(subject)) and bare_id(subject) != subject


def _field(attribute: str) -> KeyOf:
    def key_of(data: Wire) -> str:
        return str(getattr(data, attribute))

    return key_of


def _bare_subject(data: Wire) -> str:
    return bare_id(str(getattr(data, "subject")))  # noqa: B009 - a field of several models


def _exchange_key(data: Wire) -> str:
    if not isinstance(data, exchanges.ExchangeBody):
        raise TypeError("exchange.changed.v1 needs an ExchangeBody")
    beneficiary = data.side == "beneficiary"
    return f"{data.counterparty}/{data.transfer_id}" if beneficiary else data.transfer_id


def _inputs(topic: str, kind: str, key_field: str, attribute: str, **models: type[Wire]) -> list[EventSpec]:
    return [
        EventSpec(f"{name.replace('_', '.')}.v1", topic, model, key_field, _field(attribute), kind)
        for name, model in models.items()
    ]


def _outputs(topic: str, models: dict[str, type[Wire]]) -> list[EventSpec]:
    return [EventSpec(f"{name}.v1", topic, model, "subject", _bare_subject) for name, model in models.items()]


_SPECS = [
    *_inputs(
        "withdrawals",
        "withdrawal",
        "withdrawalId",
        "withdrawal_id",
        withdrawal_requested=withdrawal_events.WithdrawalRequested,
        withdrawal_amended=withdrawal_events.WithdrawalAmended,
        withdrawal_cancelled=withdrawal_events.WithdrawalCancelled,
        withdrawal_recorded=withdrawal_events.WithdrawalRecorded,
    ),
    *_inputs(
        "txids",
        "withdrawal",
        "withdrawalId",
        "withdrawal_id",
        withdrawal_broadcast=txids.WithdrawalBroadcast,
        withdrawal_mined=txids.WithdrawalMined,
        withdrawal_settled=txids.WithdrawalSettled,
    ),
    *_inputs(
        "deposits",
        "deposit",
        "depositId",
        "deposit_id",
        deposit_detected=deposits.DepositDetected,
        deposit_confirmed=deposits.DepositConfirmed,
        deposit_retracted=deposits.DepositRetracted,
        deposit_settled=deposits.DepositSettled,
    ),
    *_inputs(
        "wallets",
        "wallet",
        "walletId",
        "wallet_id",
        wallet_registered=wallets.WalletRegistered,
        wallet_removed=wallets.WalletRemoved,
    ),
    *_inputs(
        "screenings",
        "screening",
        "requestId",
        "request_id",
        screening_requested=screenings.ScreeningRequested,
        ownership_requested=screenings.OwnershipRequested,
    ),
    EventSpec("decision.recorded.v1", "decisions", decisions.DecisionRecorded, "subject", _bare_subject),
    *_outputs(
        "verdicts",
        {
            "withdrawal.verdict": verdicts.WithdrawalVerdict,
            "deposit.verdict": verdicts.DepositVerdict,
            "screening.verdict": verdicts.ScreeningVerdict,
            "ownership.verdict": verdicts.OwnershipVerdict,
        },
    ),
    *_outputs(
        "callbacks",
        {
            "txid-search.result": callbacks.TxidSearchFound,
            "wallet-search.result": callbacks.WalletSearchFound,
            "kyt.result": callbacks.KytResult,
            "ownership.session": callbacks.OwnershipSession,
            "ownership.result": callbacks.OwnershipResult,
        },
    ),
    EventSpec("exchange.changed.v1", "exchanges", exchanges.ExchangeChanged, "transferId", _exchange_key),
    *_outputs("alerts", {"operator.alert": alerts.OperatorAlert}),
    EventSpec("audit.root.v1", "audit", audit.AuditRoot, "vasp", _field("vasp")),
]

EVENTS: dict[str, EventSpec] = {spec.type: spec for spec in _SPECS}
"""Every event type that a topic carries as a CloudEvent, by its ``type``."""

TOMBSTONES: dict[str, EventSpec] = {"wallets": EVENTS["wallet.removed.v1"]}
"""The event that a record without value means, by topic; its key is the id."""


def _types(topic: str) -> tuple[str, ...]:
    return tuple(spec.type for spec in _SPECS if spec.topic == topic)


_COMPACTED = frozenset({"wallets", "exchanges"})
_TOPICS: tuple[tuple[str, Direction, str], ...] = (
    ("withdrawals", "in", "withdrawalId"),
    ("txids", "in", "withdrawalId"),
    ("deposits", "in", "depositId"),
    ("wallets", "in", "walletId"),
    ("screenings", "in", "requestId"),
    ("decisions", "in", "the subject's id"),
    ("verdicts", "out", "the subject's id"),
    ("callbacks", "out", "the subject's id"),
    ("exchanges", "out", "transferId, or <origin>/<transferId> on the beneficiary side"),
    ("alerts", "out", "the subject's id"),
    ("deadletters", "out", "the original key"),
    ("audit", "out", "the own entity id"),
)
TOPICS: dict[str, TopicSpec] = {
    name: TopicSpec(
        name,
        direction,
        key_field,
        name in _COMPACTED,
        _types(name),
        bytes_max=DEAD_LETTER_BYTES if name == "deadletters" else RECORD_BYTES,
    )
    for name, direction, key_field in _TOPICS
}
"""Every topic, by its name without prefix."""


def model_of(event_type: str) -> type[Wire] | None:
    """Return the model of an event type's data, None for a type that is not in the table."""
    spec = EVENTS.get(event_type)
    return spec.model if spec else None


def subject_of(event_type: str, data: Wire) -> str:
    """Return the qualified subject of an input, for example ``withdrawal:ID``.

    The subject of an operator's decision is returned as the event names it, perhaps a bare id. Raises ``KeyError`` for
    a type that is no input.
    """
    spec = EVENTS[event_type]
    if isinstance(data, decisions.DecisionRecorded):
        return data.subject
    if not spec.subject_kind:
        raise KeyError(event_type)
    return f"{spec.subject_kind}:{spec.key_of(data)}"
