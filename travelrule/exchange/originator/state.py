"""The states of the machines: frozen, and nothing but data.

Dicts in a state are never changed in place; whoever needs another one makes another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from schemas.events.withdrawals import WithdrawalRequested
from travelrule.machine.case import Case
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentKind, Gate

Owed = Literal["none", "owed", "missed", "accepted", "closed", "failed", "dropped"]
"""A txid report or a finish. ``missed``: a report whose tries are used up for a reason that may pass; it is begun anew
later. ``closed``: the counterparty knows nothing of the transfer, so nothing waits there. ``dropped``: a report that a
chain failure made pointless."""

Chain = Literal["none", "broadcast", "mined", "final", "failed"]
CHAIN_ORDER: tuple[Chain, ...] = ("none", "broadcast", "mined", "final")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange with one counterparty under one wire ``transferId``.

    ``give_up`` is the finish code with which it ends as soon as its answer is known or lost: the withdrawal was
    cancelled or amended while a question was on its way. ``internal_inputs`` counts how often the txid report was
    begun. ``payload`` is the opened answer. ``unbound`` counts the answers that did not fit the authorization, since
    ``unbound_since``.
    """

    transfer_id: str
    counterparty: str
    status: str = NEW
    country: str | None = None
    alliance: str | None = None
    reason: str = ""
    give_up: str = ""
    report: Owed = "none"
    reports: int = 0
    finish: Owed = "none"
    payload: dict[str, Any] | None = field(default=None, repr=False)
    unbound: int = 0
    unbound_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class WalletSearch:
    """A search for the VASP behind an address (P.2, P.3).

    ``searches`` counts the ones that were begun because the one before found nobody. ``asks_at`` is when the newest
    question for the result is asked (None: we do not know yet that the hub searches), ``asked_at`` when the one before
    was; ``called_back``: somebody called back before there was one. ``over``: the result is known, and nothing more is
    heard under this id.
    """

    request_id: str
    began_at: datetime
    searches: int = 1
    called_back: bool = False
    asks_at: datetime | None = None
    asked_at: datetime | None = None
    over: bool = False


@dataclass(frozen=True, slots=True)
class WithdrawalState:
    """A withdrawal. ``request`` holds the current facts, after amendments; ``fingerprint`` the first request's.

    ``recorded``: it was sent without an exchange; there is no verdict. ``failing_since`` and ``failures`` count the
    tries to reach the counterparty since the last success, ``restarts`` the attempts begun anew because a
    ``transferId`` was refused as known. ``gate`` is the assessment that is waited for, ``gates`` how many there were,
    ``passed`` what the current facts were assessed for.
    """

    withdrawal_id: str
    fingerprint: str
    request: WithdrawalRequested = field(repr=False)
    recorded: bool = False
    attempts: tuple[Attempt, ...] = ()
    case: Case = field(default_factory=Case)
    chain: Chain = "none"
    txid: str | None = None
    vout: str | None = None
    timers: dict[str, datetime] = field(default_factory=dict)
    failing_since: datetime | None = None
    failures: int = 0
    restarts: int = 0
    search: WalletSearch | None = None
    gate: Gate | None = None
    gates: int = 0
    passed: tuple[AssessmentKind, ...] = ()

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that counts: the last one."""
        return self.attempts[-1] if self.attempts else None

    def find(self, transfer_id: str) -> Attempt | None:
        """Find an attempt by its wire id."""
        return next((one for one in self.attempts if one.transfer_id == transfer_id), None)


def reached(state: WithdrawalState, moment: Chain) -> bool:
    """Whether the chain came as far as ``moment`` (``broadcast``, ``mined``, ``final``), and did not fail."""
    if state.chain == "failed":
        return False
    return CHAIN_ORDER.index(state.chain) >= CHAIN_ORDER.index(moment)
