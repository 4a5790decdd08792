"""What the gateway needs of the other rooms, as protocols; bootstrap gives the concrete things."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

from schemas.hub.bodies import PublicKey
from schemas.ivms101 import IvmsPerson
from travelrule.deposits.served_requests.received_request import WithdrawalFacts
from travelrule.engine.callback_urls import SearchRecord
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.queries.served_withdrawals import SentWithdrawal
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input
from travelrule.store.directory import StoredVasp
from travelrule.store.search_rows import ExchangeRecord, Payment, WalletRecord

Clock = Callable[[], datetime]
"""The present moment, aware UTC."""

Randomness = Callable[[int], bytes]
"""So many random bytes from the system's generator."""

RefreshKeys = Callable[[str], Awaitable[Sequence[PublicKey]]]
"""Ask the hub for the current keys of one entity (4.A.2) and store them; empty: the hub does not know it.

Raises what the client raises if the hub cannot be asked, or refuses (``INVALID_TARGET_VASP_ID``: no such entity).
"""

NamedBeneficiaries = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[dict[str, Any]]]]]
"""The ``beneficiaryPersons`` of stored authorizations for these account numbers, one list each (D37)."""


RaiseAlert = Callable[[str, Alert], Awaitable[None]]
"""Raises an alert about a subject (``engine.apply.engine.Engine.alert``)."""


async def no_alert(subject: str, alert: Alert) -> None:
    """Raise nothing: for a gateway without an engine."""


class IntakePort(Protocol):
    """The one way in for everything that changes something (``engine.intake.Intake``)."""

    def submit(self, item: Input) -> Awaitable[InputOutcome]:
        """Apply one input and give its outcome after the commit; raise if the database fails."""


class Reads(Protocol):
    """Queries that change nothing (``store.search_rows.SearchRepository``)."""

    async def wallets_at(self, asked: Sequence[str]) -> Sequence[WalletRecord]:
        """Give the own deposit addresses that the texts (``address[:tag]``) may mean, whole or left of the colon."""

    async def outgoing_exchange(self, transfer_id: str, counterparty: str) -> ExchangeRecord | None:
        """Give an exchange that we started with that counterparty."""

    async def ready(self) -> bool:
        """Say whether the database answers."""


class Withdrawals(Protocol):
    """Our own withdrawals by what they paid (``engine.queries.served_withdrawals.ServedWithdrawals``)."""

    async def sent(self, asked: Sequence[Payment]) -> Sequence[SentWithdrawal]:
        """Give the withdrawals that the payments mean."""

    async def facts(self, payment: Payment) -> tuple[WithdrawalFacts, ...]:
        """Give the same for one payment, with what is known of each sender's KYC."""


class Searches(Protocol):
    """The searches that may be called back (``engine.callback_urls.Searches``)."""

    async def find(self, operation: str, token: str) -> SearchRecord | None:
        """Give the search that a token stands for."""


class Directory(Protocol):
    """The stored VASP list (``store.directory.Directory``)."""

    async def get(self, entity_id: str) -> StoredVasp | None:
        """Give the entry of one VASP, None if it was never listed."""


class Screen(Protocol):
    """Sanctions screening on local lists. None means: not known, which is never taken for clean."""

    async def sanctioned(self, asked: Sequence[str], wallets: Sequence[WalletRecord]) -> bool | None:
        """Say whether one of the addresses or of the wallets' owners is on a list."""

    async def persons_sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:
        """Say whether one of the persons that a request names is on a list."""


class NoLists:
    """The screen of an installation without lists: it knows nothing."""

    async def sanctioned(self, asked: Sequence[str], wallets: Sequence[WalletRecord]) -> bool | None:  # noqa: ARG002
        """Say that it is not known."""
        return None

    async def persons_sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:  # noqa: ARG002
        """Say that it is not known."""
        return None
