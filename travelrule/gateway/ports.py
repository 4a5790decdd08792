"""The protocols of what the gateway uses of other rooms; bootstrap passes the implementations."""

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
"""Returns a number of random bytes from the system's generator."""

RefreshKeys = Callable[[str], Awaitable[Sequence[PublicKey]]]
"""Fetches the current keys of one entity from the hub (4.A.2) and stores them; empty: the hub has none.

Raises what the client raises if the hub cannot be reached, or refuses (``INVALID_TARGET_VASP_ID``: no such entity).
"""

NamedBeneficiaries = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[dict[str, Any]]]]]
"""The ``beneficiaryPersons`` of stored authorizations for these account numbers, one list each (D37)."""


RaiseAlert = Callable[[str, Alert], Awaitable[None]]
"""Raises an alert about a subject (``engine.apply.engine.Engine.alert``)."""


async def no_alert(subject: str, alert: Alert) -> None:
    """Raise nothing: for a gateway without an engine."""


class IntakePort(Protocol):
    """The intake of every input (``engine.intake.Intake``)."""

    def submit(self, item: Input) -> Awaitable[InputOutcome]:
        """Apply one input and return its outcome after the commit; raise if the database fails."""


class Reads(Protocol):
    """Queries that change nothing (``store.search_rows.SearchRepository``)."""

    async def wallets_at(self, asked: Sequence[str]) -> Sequence[WalletRecord]:
        """Return our deposit addresses that the texts (``address[:tag]``) may mean, whole or left of the colon."""

    async def outgoing_exchange(self, transfer_id: str, counterparty: str) -> ExchangeRecord | None:
        """Return an exchange that we started with that counterparty."""

    async def ready(self) -> bool:
        """Return whether the database answers."""


class Withdrawals(Protocol):
    """Our withdrawals by what they paid (``engine.queries.served_withdrawals.ServedWithdrawals``)."""

    async def sent(self, asked: Sequence[Payment]) -> Sequence[SentWithdrawal]:
        """Return the withdrawals that the payments mean."""

    async def facts(self, payment: Payment) -> tuple[WithdrawalFacts, ...]:
        """Return the withdrawals that one payment means, with the KYC facts of each sender."""


class Searches(Protocol):
    """The searches that may be called back (``engine.callback_urls.CallbackUrls``)."""

    async def find(self, operation: str, token: str) -> SearchRecord | None:
        """Return the search of a token."""


class Directory(Protocol):
    """The stored VASP list (``store.directory.DirectoryRepository``)."""

    async def get(self, entity_id: str) -> StoredVasp | None:
        """Return the entry of one VASP, None if it was never listed."""


class Screen(Protocol):
    """Sanctions screening on local lists. None: without result, which never counts as clean."""

    async def sanctioned(self, asked: Sequence[str], wallets: Sequence[WalletRecord]) -> bool | None:
        """Return whether one of the addresses or of the wallets' owners is on a list."""

    async def persons_sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:
        """Return whether one of the persons that a request names is on a list."""


class NoLists:
    """The screen of an installation without lists: it has no results."""

    async def sanctioned(self, asked: Sequence[str], wallets: Sequence[WalletRecord]) -> bool | None:  # noqa: ARG002
        """Return no result."""
        return None

    async def persons_sanctioned(self, persons: Sequence[IvmsPerson]) -> bool | None:  # noqa: ARG002
        """Return no result."""
        return None
