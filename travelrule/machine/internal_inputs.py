"""Inputs of the engine itself: results of calls and timers.

They carry every fact that a pure decision needs, so that the decision can be recomputed from the stored input.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from schemas.wire_model import Wire

Outcome = Literal["answered", "failed", "troubled", "deferred"]


class CoinFacts(Wire):
    """A coin to be sent, as the hub's table of networks (4.A.3) has it: ``listed``, on these ``networks``.

    ``network`` is the one to send on, None if none was named; ``table_at`` is when the table was fetched.
    """

    currency: str
    network: str | None = None
    listed: bool
    networks: tuple[str, ...] = ()
    table_at: datetime


class SentBody(Wire):
    """The body that a call sent: the clear fields, and the inner ``ivms101`` object that was sealed."""

    clear: dict[str, Any] = Field(repr=False)
    payload: dict[str, Any] | None = Field(default=None, repr=False)


class CallResult(Wire):
    """The result of a call to the hub. The input's type is ``call.<outcome>``.

    ``answered``: a readable answer, good or bad, after which nothing more is sent. ``failed``: given up. ``troubled``:
    still repeated, an alert is due. ``deferred``: not sent because the VASP is down; the call waits.

    ``correlation_id`` is that of the call; stored inputs name it ``transferId``.

    ``status`` is the HTTP status (0: none). ``code`` is the cause: an ``errorType``, or a code of ``retry_table``.
    ``message_code`` is the ``reasonType`` of a 200 answer. ``body`` are the answer's clear fields, ``payload`` its
    opened inner ``ivms101`` object, None if there was none or it could not be opened. ``maybe_acted``: the counterparty
    may have received and acted on the call. ``counterparty_country`` and ``counterparty_alliance`` are the target's
    directory entry, set at least for ``address-search``. ``unasked``: a search omitted a listed VASP of our network,
    because it was down. ``coin``: the call was not made, because the
    hub's table does not have the coin, or not on that network.

    The last five bind an answer to its request (``answer_check``); they are filled for answers with a payload.
    ``sent`` is the request. ``request_seal`` and ``answer_seal`` are keyed hashes of the sealed bytes that were sent
    and received; ``own_words``: we sealed the bytes that were received. ``accepted_for`` is the ``transferId`` for
    which the same bytes were accepted before; the engine looks it up while it holds the subject's lock.
    """

    operation: str
    correlation_id: str = Field(alias="transferId")
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
    """A timer of the subject came due. A timer that was moved or dropped since is ignored."""

    name: str
    due_at: datetime


CALL_AND_TIMER_INPUTS: dict[str, type[Wire]] = {
    "call.answered": CallResult,
    "call.failed": CallResult,
    "call.troubled": CallResult,
    "call.deferred": CallResult,
    "timer.due": TimerDue,
}
"""The model of each type of these inputs."""


def normalized_field(body: dict[str, object], name: str) -> str:
    """Return a text field of an answer in lower case; empty if it is missing or no text."""
    value = body.get(name)
    return value.strip().lower() if isinstance(value, str) else ""
