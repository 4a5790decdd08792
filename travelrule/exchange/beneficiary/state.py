"""The state of an inbound exchange: frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from travelrule.machine.transition_table import NEW
from travelrule.messages.inbound_request import AuthorizationReceived

SeenChain = Literal["none", "broadcast", "mined", "final", "failed", "retracted"]
"""The transaction as seen by our node; ``retracted``: a reorganisation removed it."""


@dataclass(frozen=True, slots=True)
class ExchangeState:
    """An inbound transfer. ``subject`` is ``ORIGIN/TRANSFERID``.

    ``request`` is the authorization without the looked-up facts; ``answer`` is the plain reply, returned again for a
    repeated request, which ``fingerprint`` identifies. ``wallet_ids`` and ``customer_ids`` are our addresses and owners
    that it names; ``tagged``: the first address has a tag. ``chain`` is the transaction as seen by our node, apart from
    ``status`` (D40); ``deposit_id`` is the deposit of the value; ``credited``: the customer was credited. ``asked``
    counts the status searches; ``asking``: one of them is not answered yet.
    """

    subject: str
    transfer_id: str
    counterparty: str
    fingerprint: str
    request: AuthorizationReceived = field(repr=False)
    answer: dict[str, Any] = field(repr=False)
    status: str = NEW
    reason: str = ""
    wallet_ids: tuple[str, ...] = ()
    customer_ids: tuple[str, ...] = field(default=(), repr=False)
    chain: SeenChain = "none"
    credited: bool = False
    txid: str | None = None
    vout: str | None = None
    finish_reason: str = ""
    asked: int = 0
    asking: bool = False
    tagged: bool = False
    deposit_id: str | None = None
    timers: dict[str, datetime] = field(default_factory=dict)
