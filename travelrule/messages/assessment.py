"""What a withdrawal, a deposit or a wallet and the assessment of its risk tell each other (``SendMessage``).

Whoever wants to know a risk tells ``assessment:<asker>/<n>`` and goes on when the answer comes. The assessment asks the
own lists and the hub, polls, keeps the time limits and alerts; it never decides what follows from a risk: that is the
asker's, by its policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from schemas.events.verdicts import Risk
from schemas.wire_model import Wire
from travelrule.policy.sections import TimeLimits

AssessmentKind = Literal["lists", "wallet", "transaction", "kyt", "ownership"]
"""``lists``: parties and address against the sanctions lists. ``wallet``, ``transaction``, ``kyt``: the hub's rating
(4.B.1 to 4.B.4). ``ownership``: the customer proves that a wallet is his own (4.B.5, P.4)."""


class Party(Wire):
    """Somebody to look for in the lists: every spelling of the name, what he is, and what tells namesakes apart."""

    names: tuple[str, ...]
    kind: Literal["person", "organisation"]
    date_of_birth: str | None = None
    country: str | None = None


class AssessmentWanted(Wire):
    """A risk is to be found out. ``asker`` is the subject that gets the answer.

    ``network`` is a name of 4.A.3, ``network_example`` its ``addressExample`` where it is known (screening.md 11).
    ``address`` is without tag. ``screened_parties`` are the people to screen. ``asset``, ``customer_id`` and
    ``widget_origin``
    are for ``ownership``, and ``sent_currency`` and ``sent_network`` (empty: not named) say what is to be sent to the
    wallet. ``force`` (``kyt``) costs quota.
    """

    asker: str
    kind: AssessmentKind
    network: str = ""
    network_example: str = ""
    address: str | None = None
    txid: str | None = None
    parties: tuple[Party, ...] = ()
    asset: str = ""
    customer_id: str = ""
    widget_origin: str = ""
    sent_currency: str = ""
    sent_network: str = ""
    force: bool = False


class AssessmentDropped(Wire):
    """The asker needs no answer any more."""

    asker: str


class AssessmentSession(Wire):
    """``ownership``: the session that the platform shows to its customer; ``token`` serves once."""

    assessment: str
    token: str
    wallet_verification_id: str
    expires_at: datetime | None = None


class AssessmentEnded(Wire):
    """The answer. ``assessment`` is the subject that gives it.

    ``risk`` is never ``clean`` for what was not checked; ``pending`` and ``unknown`` mean that the limit passed, or
    that nobody can tell. ``sanctioned``: the own lists name a party or the address. ``reason`` is a stable code.
    ``proven`` is set for ``ownership`` alone, ``checked_by_us`` tells whether the signature was verified here.
    ``facts`` hold no personal data and no address.
    """

    assessment: str
    kind: AssessmentKind
    risk: Risk
    sanctioned: bool = False
    reason: str = ""
    proven: bool | None = None
    checked_by_us: bool = False
    verified_at: datetime | None = None
    hub_request_id: str = ""
    status: str = ""
    error: str = ""
    facts: dict[str, Any] = Field(default_factory=dict)


REPEATS = 1
"""How often the same assessment is asked again before another one is asked in its place."""


def answer_limit(kind: AssessmentKind, limits: TimeLimits) -> int:
    """Give the seconds after which an asker asks again: twice as long as an assessment takes at most."""
    if kind == "kyt":
        return 2 * limits.kyt_limit
    # A session has the time of the proof again when it is opened, and is asked about once more at the end.
    longest = 2 * limits.ownership + limits.screening if kind == "ownership" else limits.screening
    return 2 * longest


ASSESSING: dict[str, type[Wire]] = {
    "assessment.wanted": AssessmentWanted,
    "assessment.dropped": AssessmentDropped,
    "assessment.session": AssessmentSession,
    "assessment.ended": AssessmentEnded,
}
"""Which model a message between an asker and an assessment is."""


@dataclass(frozen=True, slots=True)
class Gate:
    """An assessment that is waited for: its subject, what it finds out, and how often it was asked."""

    subject: str
    kind: AssessmentKind
    asked: int = 1
