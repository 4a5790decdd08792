"""The state of a deposit: frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from schemas.events.deposits import DepositDetected
from travelrule.deposits.deposit_context import ContextWallet
from travelrule.identity.account_numbers import address_and_tag
from travelrule.machine.case import Case
from travelrule.machine.transition_table import NEW
from travelrule.messages.arrival import DepositMatched
from travelrule.messages.assessment import Gate
from travelrule.policy.causes import Cause

Chain = Literal["mined", "final", "retracted"]
"""``mined``: our node saw it, in a block or before; only ``final`` counts."""

Outcome = Literal["", "credited", "returned", "seized"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An open authorization for the deposit's address. ``gone``: it announces another transaction, or none."""

    subject: str
    entity_id: str
    transfer_id: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class RunningSearch:
    """A running TXID search. ``accepted``: by the hub; ``hastened``: a callback moved the first poll forward."""

    request_id: str
    started_at: datetime
    accepted: bool = False
    hastened: bool = False
    polls: int = 0


@dataclass(frozen=True, slots=True)
class FoundVasp:
    """The VASP that claims the deposit. ``request_id`` of the search is the ``transferId`` of the data request;
    ``alliance`` is its network.
    """

    entity_id: str
    request_id: str
    alliance: str = ""


@dataclass(frozen=True, slots=True)
class DepositState:
    """A deposit.

    ``place`` is its rendezvous, ``sighting`` counts the registrations there; ``unannounced``: no exchange is there.
    ``told`` is the last stage sent to the matched exchange. ``looked_up``: the local look-up was answered. ``searches``
    counts TXID searches; ``missed``: one data request ended in ``NOT_FOUND_TXID``. ``received`` is the opened answer of
    a data request that passed. ``held_for`` is why it is ``held``, ``missing`` the fields to fill. ``refused``: an
    operator denied it. ``unreachable``, ``failing_since`` and ``failures``: a VASP cannot be reached, with ``hub_away``
    the hub. ``gate`` is the pending assessment, ``gates`` counts them, ``risks`` holds the result of each kind.
    """

    deposit_id: str
    fingerprint: str
    detected: DepositDetected = field(repr=False)
    status: str = NEW
    chain: Chain = "mined"
    case: Case = field(default_factory=Case)
    outcome: Outcome = ""
    refused: bool = False
    place: str = ""
    sighting: int = 0
    unannounced: bool = False
    match: DepositMatched | None = None
    told: str = ""
    looked_up: bool = False
    wallet: ContextWallet | None = field(default=None, repr=False)
    candidates: tuple[Candidate, ...] = ()
    asking_since: datetime | None = None
    search: RunningSearch | None = None
    searches: int = 0
    found: FoundVasp | None = None
    missed: bool = False
    received: dict[str, Any] | None = field(default=None, repr=False)
    held_for: Cause | None = None
    missing: tuple[str, ...] = ()
    unreachable: bool = False
    hub_away: bool = False
    failing_since: datetime | None = None
    failures: int = 0
    timers: dict[str, datetime] = field(default_factory=dict)
    gate: Gate | None = None
    gates: int = 0
    risks: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> tuple[str, str | None]:
        """Address and tag, also where the platform joined them (D45)."""
        return address_and_tag(self.detected.address, self.detected.tag)

    @property
    def counterparty(self) -> str:
        """The VASP that sent it, if known."""
        if self.match is not None:
            return self.match.counterparty
        return self.found.entity_id if self.found is not None else ""
