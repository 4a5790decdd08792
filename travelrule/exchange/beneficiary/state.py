"""The state of an exchange that another VASP began with us: frozen, nothing but data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from travelrule.machine.transition_table import NEW
from travelrule.messages.inbound_request import AuthorizationReceived

SeenChain = Literal["none", "broadcast", "mined", "final", "failed", "retracted"]
"""What the own node saw of a transaction; ``retracted``: it was there, and a reorganisation took it back."""


@dataclass(frozen=True, slots=True)
class ExchangeState:
    """A transfer that was asked of us. ``subject`` is ``ORIGIN/TRANSFERID``.

    ``request`` is what was asked, without the looked-up facts; ``answer`` the plain reply, which a repeated request
    gets again; ``fingerprint`` recognises it. ``wallet_ids`` and ``customer_ids`` are the own addresses and owners it
    named; ``tagged``: the first of them has a tag. ``chain`` is what the own node saw, apart from ``status`` (D40);
    ``deposit_id`` the deposit that brought the value; ``credited`` that the customer was paid. ``asked`` counts the
    status searches; ``asking``: one of them is not answered yet.
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
