"""The columns and rows of a subject outside its sealed state: what SQL finds and sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class WithdrawalRow:
    """The columns of a withdrawal that SQL finds or sums. ``customer_id`` and ``address`` are written only as
    blind indexes; ``address`` is the canonical key of ``identity.account_numbers`` without the tag.
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
    """One attempt of one exchange, for status searches and metrics. ``currency`` (upper case) and ``amount`` are those
    that an inbound exchange announces: a deposit is matched by them.
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
    """A deposit address of a customer. ``address`` is canonical and written as a blind index; ``owner`` is sealed.
    ``removed`` deletes the row. ``revision``, ``screened_lists`` and ``sanctioned`` are the result of screening the
    owner (``customers.owner``).
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
    """The columns of a subject outside its sealed state, derived from the state alone.

    ``due_at`` and ``due_timer`` are the time and the name of the subject's earliest timer.
    """

    status: str = ""
    verdict: str = ""
    chain: str = ""
    counterparty: str = ""
    due_at: datetime | None = None
    due_timer: str = ""
    rows: tuple[WithdrawalRow | ExchangeRow | WalletRow, ...] = ()


def earliest(timers: Mapping[str, datetime]) -> tuple[str, datetime | None]:
    """Return name and time of the timer that comes due first."""
    if not timers:
        return "", None
    due_at, name = min((due, name) for name, due in timers.items())
    return name, due_at
