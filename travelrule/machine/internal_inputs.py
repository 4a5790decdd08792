"""The inputs that no platform sends: results of calls, timers, inbound requests, changes of the directory.

They are made by the caller, the engine's timers, the gateway and the directory refresher, and carry every fact a pure
decision needs, so that the decision can be computed again from the stored input.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from schemas.wire_model import Wire

Outcome = Literal["answered", "failed", "troubled", "deferred"]


class CoinFacts(Wire):
    """What the hub's table of networks (4.A.3) says of a coin that is to be sent: ``listed``, on these ``networks``.

    ``network`` is the one to be sent on, None if none was named; ``table_at`` when the table was fetched.
    """

    currency: str
    network: str | None = None
    listed: bool
    networks: tuple[str, ...] = ()
    table_at: datetime


class SentBody(Wire):
    """What a call sent: the clear fields, and the inner ``ivms101`` object that was sealed."""

    clear: dict[str, Any] = Field(repr=False)
    payload: dict[str, Any] | None = Field(default=None, repr=False)


class CallResult(Wire):
    """What became of a call to the hub. The input's type is ``call.<outcome>``.

    ``answered``: a readable answer, good or bad, after which nothing more is sent. ``failed``: given up. ``troubled``:
    still being tried, an operator should know. ``deferred``: not sent because the VASP is down; the call waits.

    ``status`` is the HTTP status (0: none). ``code`` says why: an ``errorType``, or one of ``retry_policy``' own codes.
    ``message_code`` is the ``reasonType`` of a 200 answer. ``body`` are the answer's clear fields, ``payload`` its
    opened inner ``ivms101`` object, None if there was none or it could not be opened. ``maybe_acted``: the counterparty
    may have received and acted on the call. ``counterparty_country`` and ``counterparty_alliance`` are the target's
    directory entry; the caller fills them at least for ``address-search``. ``unasked``: a listed VASP of the own
    network is not among those that a search asked, because it was down. ``coin``: the call was not made, because the
    hub's table does not have the coin, or not on that network.

    The last five bind an answer to its request (``answer_binding``); they are filled for answers with a payload.
    ``sent`` is the request. ``request_seal`` and ``answer_seal`` are keyed hashes of the sealed bytes that were sent
    and received; ``own_words``: we sealed the bytes that were received. ``accepted_for`` is the ``transferId`` for
    which the same bytes were accepted before; the engine looks it up while it holds the subject's lock.
    """

    operation: str
    transfer_id: str
    target: str
    outcome: Outcome
    status: int = 0
    code: str = ""
    message_code: str = ""
    body: dict[str, Any] | None = None
    payload: dict[str, Any] | None = None
    attempts: int = 0
    maybe_acted: bool = False
    counterparty_country: str | None = None
    counterparty_alliance: str | None = None
    unasked: bool = False
    coin: CoinFacts | None = None
    sent: SentBody | None = None
    request_seal: str = ""
    answer_seal: str = ""
    own_words: bool = False
    accepted_for: str = ""


class TimerDue(Wire):
    """A subject's own timer came due. A timer that was moved or dropped since is ignored."""

    name: str
    due_at: datetime


INTERNAL: dict[str, type[Wire]] = {
    "call.answered": CallResult,
    "call.failed": CallResult,
    "call.troubled": CallResult,
    "call.deferred": CallResult,
    "timer.due": TimerDue,
}
"""Which model an internal input's data are."""


def normalized_field(body: dict[str, object], name: str) -> str:
    """Read a word of an answer without case."""
    value = body.get(name)
    return value.strip().lower() if isinstance(value, str) else ""
