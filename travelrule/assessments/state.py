"""The state of an assessment: frozen, and nothing but data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession, AssessmentWanted


@dataclass(frozen=True, slots=True)
class Question:
    """What the hub is asked about, under one id of ours.

    ``call_id`` names the call that began it, ``hub_id`` is the hub's own name for it (KYT ``requestId``,
    ``walletVerificationId``; empty: it did not take it yet). ``asks_at`` is when the newest call is made (None: none is
    made any more). ``asked`` counts the calls, ``hastened`` those that a callback moved forward; ``called_back``:
    somebody called back before there was a ``hub_id``. ``last``: no further call follows.
    """

    call_id: str
    asks_at: datetime | None
    hub_id: str = ""
    asked: int = 1
    hastened: int = 0
    called_back: bool = False
    last: bool = False


@dataclass(frozen=True, slots=True)
class AssessmentState:
    """An assessment. ``subject`` is its own name, ``wanted`` what is to be found out, in one form for both kinds of
    subject (``asker`` empty: the platform asked).

    ``chain`` is the code of the operation for the network. ``hub_id`` is the newest name that the hub gave it.
    ``searches``, ``forced``: how often an analysis was begun, and how often a failed one was forced; ``force``: whether
    the newest one is. ``failures`` counts the answers in a row that said nothing. ``pending``: the hub says that it
    still works on it. ``error`` is what it said last of an analysis that failed. ``alerted`` are the codes that were
    said once. ``ended`` is the answer.
    """

    subject: str
    fingerprint: str
    wanted: AssessmentWanted = field(repr=False)
    status: str = NEW
    chain: str = ""
    question: Question | None = None
    hub_id: str = ""
    searches: int = 0
    forced: int = 0
    force: bool = False
    failures: int = 0
    pending: bool = False
    error: str = ""
    alerted: tuple[str, ...] = ()
    session: AssessmentSession | None = field(default=None, repr=False)
    ended: AssessmentEnded | None = None
    timers: dict[str, datetime] = field(default_factory=dict)

    @property
    def request_id(self) -> str:
        """The id in the subject: the platform's ``requestId``."""
        return self.subject.partition(":")[2]
