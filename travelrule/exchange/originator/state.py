"""The state of a withdrawal: frozen data. Dicts in a state are replaced, never changed in place."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from schemas.events.withdrawals import WithdrawalRequested
from travelrule.machine.case import Case
from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentKind, Gate

Owed = Literal["none", "owed", "missed", "accepted", "closed", "failed", "dropped"]
"""The state of a txid report or a finish. ``missed``: a report whose tries are used up by a transient failure; it is
repeated later. ``closed``: the counterparty has no record of the transfer, so none is waiting. ``dropped``: a report
that a chain failure made obsolete."""

Chain = Literal["none", "broadcast", "mined", "final", "failed"]
CHAIN_ORDER: tuple[Chain, ...] = ("none", "broadcast", "mined", "final")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange with one counterparty under one wire ``transferId``.

    ``give_up`` is the finish code with which the attempt ends once its answer is known or lost: the withdrawal was
    cancelled or amended while a call was pending. ``reports`` counts the txid reports that were started. ``payload`` is
    the opened answer. ``unbound`` counts the answers that did not match the authorization, since ``unbound_since``.
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

    ``searches`` counts the searches, repeated because the one before found no VASP. ``asks_at`` is when the newest
    question for the result is sent (None: the hub has not accepted the search yet), ``asked_at`` when the one before
    was; ``called_back``: a callback arrived before the first one. ``over``: the result is known, and further answers
    under this id are ignored.
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
    tries to reach the counterparty since the last success, ``restarts`` the attempts that replaced one whose
    ``transferId`` was refused as known. ``gate`` is the pending assessment, ``gates`` counts all of them, ``passed``
    are the kinds that the current facts have passed.
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
        """The current attempt: the last one."""
        return self.attempts[-1] if self.attempts else None

    def find(self, transfer_id: str) -> Attempt | None:
        """Return the attempt with this ``transferId``."""
        return next((one for one in self.attempts if one.transfer_id == transfer_id), None)


def reached(state: WithdrawalState, moment: Chain) -> bool:
    """Whether the transaction has reached ``moment`` (``broadcast``, ``mined``, ``final``) and did not fail."""
    if state.chain == "failed":
        return False
    return CHAIN_ORDER.index(state.chain) >= CHAIN_ORDER.index(moment)
