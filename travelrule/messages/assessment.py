"""Messages between an assessment and the withdrawal or deposit that requests it (``SendMessage``).

The requesting subject (the asker) sends ``assessment.wanted`` to ``assessment:<asker>/<n>`` and continues after
``assessment.ended``. The assessment queries our lists and the hub, polls, keeps the time limits and raises alerts. It
never decides what follows from a risk: the asker does, by its policy.
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
(4.B.1 to 4.B.4). ``ownership``: the customer proves the ownership of a wallet (4.B.5, P.4)."""


class Party(Wire):
    """A party to screen: every spelling of the name, the kind, and what distinguishes namesakes."""

    names: tuple[str, ...]
    kind: Literal["person", "organisation"]
    date_of_birth: str | None = None
    country: str | None = None


class AssessmentWanted(Wire):
    """A risk is to be assessed. ``asker`` is the subject that receives the answer.

    ``network`` is a name of 4.A.3, ``network_example`` its ``addressExample`` where it is known (screening.md 11).
    ``address`` is without tag. ``parties`` are the parties to screen. ``asset``, ``customer_id`` and
    ``widget_origin`` are for ``ownership``; ``sent_currency`` and ``sent_network`` (empty: not named) are what is to be
    sent to the wallet. ``force`` (``kyt``) costs quota.
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
    """The asker needs no answer."""

    asker: str


class AssessmentSession(Wire):
    """``ownership``: the session that the platform shows to its customer; ``token`` is for one use."""

    assessment: str
    token: str
    wallet_verification_id: str
    expires_at: datetime | None = None


class AssessmentEnded(Wire):
    """The answer of the subject ``assessment``.

    ``risk`` is never ``clean`` for what was not checked; ``pending`` and ``unknown`` mean that the limit passed or that
    no source has a rating. ``sanctioned``: our lists name a party or the address. ``reason`` is a stable code.
    ``proven`` is set for ``ownership`` alone; ``checked_by_us``: the signature was verified here.
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
"""How often the same assessment is requested again before a new one replaces it."""


def answer_limit(kind: AssessmentKind, limits: TimeLimits) -> int:
    """Return the seconds after which an asker repeats its request: twice the longest time of an assessment."""
    if kind == "kyt":
        return 2 * limits.kyt_limit
    # The time of the proof starts again with the session, and its result is requested once more at the end.
    longest = 2 * limits.ownership + limits.screening if kind == "ownership" else limits.screening
    return 2 * longest


ASSESSMENT_MESSAGES: dict[str, type[Wire]] = {
    "assessment.wanted": AssessmentWanted,
    "assessment.dropped": AssessmentDropped,
    "assessment.session": AssessmentSession,
    "assessment.ended": AssessmentEnded,
}
"""The model of each message type."""


@dataclass(frozen=True, slots=True)
class Gate:
    """An assessment that a subject waits for: the assessment's subject, its kind, and how often it was requested."""

    subject: str
    kind: AssessmentKind
    asked: int = 1
