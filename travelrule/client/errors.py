"""The errors of requests to the hub: whose fault each is, and what to do about it (``errors.md`` sections 1 to 3).

::

    HubError
    ├── HubRefused        the request was read and refused: 4xx, or a counterparty's 503 that names our fault
    │   └── QuotaRefused  KYT does not serve us: not registered, quota exceeded, or disabled
    ├── HubUnavailable    the hub or the counterparty failed while it had the request: 408, 429, 5xx
    ├── BadAnswer         an answer outside the documented shapes: not JSON, wrong fields, too large, a redirect
    └── NoAnswer          no answer: refused connection, broken connection, time limit

Each error has ``operation``, ``status`` (0 without an answer), ``error_code`` (stable; one of ``errors.md`` if the
answer names one), ``fault`` (whose), ``action`` (what to do) and ``maybe_acted`` (the counterparty may have processed
the request, so the same request must be repeated or finished, never silently replaced). ``machine.retry_policy``
decides the retry schedule from the same facts.

Errors hold no text of the hub or of a counterparty (``errorMsg``, a body): it may be personal data.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from travelrule.errors import TravelRuleError

Fault = Literal["ours", "hub", "counterparty", "network"]


class Action(StrEnum):
    """What the sender does about an error (``errors.md`` section 1, the names without ``A-``)."""

    FIX = "fix"
    RETRY = "retry"
    KEY = "key"
    STOP = "stop"
    WAIT = "wait"
    OPERATOR = "operator"


class HubError(TravelRuleError):
    """A request to the hub that did not end in an answer of the documented shape."""

    code = "HUB_ERROR"

    def __init__(
        self,
        operation: str,
        *,
        status: int,
        code: str,
        fault: Fault,
        action: Action,
        maybe_acted: bool,
        retry_after_s: float | None = None,
    ) -> None:
        self.operation = operation
        self.status = status
        self.error_code = code
        self.fault: Fault = fault
        self.action = action
        self.maybe_acted = maybe_acted
        self.retry_after_s = retry_after_s
        super().__init__(f"{operation}: {code or 'no code'} (HTTP {status}), fault: {fault}, to do: {action}")


class HubRefused(HubError):  # noqa: N818 -- the names state what happened, as those of HTTP do
    """The request was read and refused. A repeat would be refused too, unless ``action`` is ``retry`` or ``key``."""


class QuotaRefused(HubRefused):
    """KYT does not serve us: not registered, quota exceeded, or disabled; the code does not tell which.

    No KYT operation is called for a while, whatever the transaction.
    """


class HubUnavailable(HubError):  # noqa: N818
    """The hub or the counterparty could not serve now.

    ``retry_after_s``: the seconds to wait that the answer names.
    """


class BadAnswer(HubError):  # noqa: N818
    """An answer that cannot be read. ``reason`` is what is wrong with it, without its content."""

    def __init__(self, operation: str, status: int, reason: str) -> None:
        self.reason = reason
        super().__init__(
            operation,
            status=status,
            code="BAD_ANSWER",
            fault="hub",
            action=Action.RETRY,
            maybe_acted=True,
        )


class NoAnswer(HubError):  # noqa: N818
    """No answer arrived.

    ``sent_maybe`` False: the connection was never made, so the request was not received.
    """

    def __init__(self, operation: str, *, sent_maybe: bool) -> None:
        self.sent_maybe = sent_maybe
        super().__init__(
            operation,
            status=0,
            code="NO_ANSWER" if sent_maybe else "NOT_SENT",
            fault="network",
            action=Action.RETRY,
            maybe_acted=sent_maybe,
        )
