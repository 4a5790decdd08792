"""What a decision consists of: the next state and the effects, as data. Nothing here does anything.

The engine turns effects into rows in the same SQL transaction as the state (design section 2): ``Emit`` and ``Alert``
become outbox rows, ``CallHub`` becomes a call row, ``Reply`` is stored with the input and returned to whoever waits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from schemas.base import Wire

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Emit:
    """An event for a downstream topic. The engine adds ``sequence`` to ``data`` and the CloudEvents envelope."""

    topic: Literal["verdicts", "callbacks", "exchanges", "alerts"]
    key: str
    type: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallHub:
    """A request to the hub. ``clear`` are the body's clear fields; ``payload`` is the inner ``ivms101`` object that is
    sealed to the target's key at the moment of sending, or None for operations without payload.
    """

    operation: Literal[
        "address-search",
        "transfer-authorization",
        "txid-report",
        "finish",
        "status-search",
        "txid-search",
        "txid-search-result",
        "data-request",
        "wallet-search",
        "wallet-search-result",
        "wallet-screening",
        "transaction-screening",
        "kyt-search",
        "kyt-report",
        "unhosted-token",
        "unhosted-result",
        "look-up",
    ]
    target: str
    transfer_id: str
    clear: dict[str, Any] = field(repr=False)
    payload: dict[str, Any] | None = field(default=None, repr=False)
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """An input for another subject of ours. It is applied after the commit, exactly once, in the order in which this
    subject spoke; it arrives with ``source`` ``/subjects``.
    """

    subject: str
    type: str
    data: Wire = field(repr=False)


OWN_STORE = "(own store)"
"""The ``target`` of look-ups. No entity id has parentheses."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """A read of the own store. The answer arrives as ``call.answered`` with a ``CallReport`` whose ``operation`` is
    ``look-up``, ``transfer_id`` the question, and ``body`` what was found (it may hold personal data, sealed like every
    input). It has a place of its own among the calls, ``OWN_STORE``: it needs no hub, and waits for none.
    """

    question: Literal["deposit-context", "screening"]
    parameters: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class AcceptAnswer:
    """The sealed answer of a call was acted on for ``transfer_id``; the same bytes are no answer for another one.

    ``seal`` is ``CallReport.answer_seal``.
    """

    seal: str
    transfer_id: str


@dataclass(frozen=True, slots=True)
class DropCalls:
    """Calls of this subject that must not be sent any more, by operation (``()`` means all)."""

    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndUnsent:
    """A call of this subject that is not wanted any more, but must be answered if the counterparty may have it.

    As long as no try may have reached the counterparty it is not sent: it is reported as failed, ``CALL_ENDED``.
    """

    operation: str


@dataclass(frozen=True, slots=True)
class Alert:
    """Something an operator must see. ``code`` names the runbook ``docs/runbooks/<code>.md``."""

    code: str
    severity: Literal["warning", "critical"] = "warning"
    counterparty: str | None = None
    attempts: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer for a synchronous caller: a plain body, sealed at rest, encrypted to the peer by the gateway."""

    body: dict[str, Any] = field(repr=False)


Effect = Emit | CallHub | Tell | LookUp | AcceptAnswer | DropCalls | EndUnsent | Alert | Reply

OutcomeStatus = Literal["applied", "duplicate", "rejected", "parked"]


@dataclass(frozen=True, slots=True)
class Decision(Generic[State]):
    """The result of ``decide``. ``status`` ``rejected`` leaves the state as it was and remembers nothing, so that the
    message can be replayed; ``parked`` keeps the input until its subject arrives. ``rule`` names the line of the law
    that was applied, for ``travelrule explain``.
    """

    state: State
    effects: tuple[Effect, ...] = ()
    status: OutcomeStatus = "applied"
    code: str = ""
    field: str = ""
    fix: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawalRow:
    """What SQL must be able to find or sum about a withdrawal. ``customer_id`` and ``address`` are written only as
    blind indexes; ``address`` is the canonical key of ``identity.addresses`` without the tag.
    """

    withdrawal_id: str
    currency: str
    network: str
    amount: Decimal
    fiat_minor: int
    fiat_currency: str
    customer_id: str = field(repr=False)
    address: str = field(repr=False)
    txid: str | None
    vout: str | None


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """One attempt of one exchange, as status search and the metrics see it. ``currency`` (upper case) and ``amount``
    are what an inbound one announces: a deposit finds it by them.
    """

    side: Literal["originating", "beneficiary"]
    counterparty: str
    transfer_id: str
    status: str
    chain: str
    txid: str | None
    vout: str | None
    address: str = field(default="", repr=False)
    currency: str = ""
    amount: Decimal | None = None


@dataclass(frozen=True, slots=True)
class WalletRow:
    """A deposit address of an own customer. ``address`` is canonical and written as a blind index; ``owner`` is
    sealed. ``removed`` deletes the row. ``revision``, ``screened_lists`` and ``sanctioned`` tell how far the owner was
    screened (``exchange.owners``).
    """

    wallet_id: str
    address: str = field(repr=False)
    tag: str = field(repr=False)
    currencies: tuple[str, ...]
    networks: tuple[str, ...]
    customer_id: str = field(repr=False)
    kyc: bool
    owner: dict[str, Any] | None = field(repr=False, hash=False)
    removed: bool = False
    revision: int = 0
    screened_lists: str = ""
    sanctioned: bool | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """The columns of a subject that stand outside its sealed state, derived from the state and nothing else.

    ``due_at`` and ``due_timer`` are the time and the name of the subject's earliest timer.
    """

    status: str = ""
    verdict: str = ""
    chain: str = ""
    counterparty: str = ""
    due_at: datetime | None = None
    due_timer: str = ""
    rows: tuple[WithdrawalRow | ExchangeRow | WalletRow, ...] = ()
