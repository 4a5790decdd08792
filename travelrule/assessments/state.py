"""The state of an assessment: frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from travelrule.machine.transition_table import NEW
from travelrule.messages.assessment import AssessmentEnded, AssessmentSession, AssessmentWanted


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the hub, under one id of ours.

    ``call_id`` names its first call, ``hub_id`` is the hub's own name for it (KYT ``requestId``,
    ``walletVerificationId``; empty: not accepted yet). ``asks_at`` is the time of the newest call (None: no call
    follows). ``asked`` counts the calls, ``hastened`` those that a callback moved forward; ``called_back``: a callback
    came before the ``hub_id``. ``last``: no further call follows.
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
    """An assessment. ``subject`` is its own name, ``wanted`` the request, in one form for both kinds of subject
    (``asker`` empty: the platform).

    ``chain`` is the code of the operation for the network. ``hub_id`` is the hub's newest name for it. ``searches``
    counts the analyses, ``forced`` those forced after a failure; ``force``: the newest one is forced. ``failures``
    counts the unusable answers in a row. ``pending``: the hub still works on it. ``error`` is the hub's last text about
    a failed analysis. ``alerted`` are the alerts raised, each once. ``ended`` is the answer.
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
