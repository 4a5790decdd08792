"""Effects of a decision, as data. The engine turns each into rows in the transaction of the state (design section 2).

``Emit`` and ``Alert`` become outbox rows, ``CallHub`` a call row; ``Reply`` is stored with the input and returned to
the synchronous caller.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

from schemas.operations import Operation
from schemas.wire_model import Wire

Topic = Literal["verdicts", "callbacks", "exchanges", "alerts"]
Severity = Literal["warning", "critical"]


@dataclass(frozen=True, slots=True)
class Emit:
    """An event for a downstream topic. The engine adds ``sequence`` to ``data`` and the CloudEvents envelope."""

    topic: Topic
    key: str
    type: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallHub:
    """A request to the hub. ``clear`` are the body's clear fields; ``payload`` is the inner ``ivms101`` object that is
    sealed to the target's key at the moment of sending, or None for operations without payload. ``correlation_id``
    identifies the call for its result: the ``transferId``, the ``requestId`` of a search, or another id of ours.
    """

    operation: Operation
    target: str
    correlation_id: str
    clear: dict[str, Any] = field(repr=False)
    payload: dict[str, Any] | None = field(default=None, repr=False)
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SendMessage:
    """An input for another subject. It is applied after the commit, exactly once, in the order in which this subject
    sent its messages; its ``source`` is ``/subjects``.
    """

    subject: str
    type: str
    data: Wire = field(repr=False)


LOCAL_STORE = "(own store)"
"""The ``target`` of look-ups. No entity id has parentheses."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """A read of the local store; ``parameters`` are JSON-able. The machine receives a ``LookUpResult``
    (``machine.look_up``). The answer may hold personal data; it is sealed like every input.
    """

    operation: ClassVar[Literal["look-up"]] = "look-up"
    """The operation of the stored row and input."""

    question: Literal["deposit-context", "screening"]
    parameters: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class AcceptAnswer:
    """The sealed answer of a call was acted on for ``transfer_id``; the same bytes are refused for another one.

    ``seal`` is ``CallResult.answer_seal``.
    """

    seal: str
    transfer_id: str


@dataclass(frozen=True, slots=True)
class DropCalls:
    """Calls of this subject that must no longer be sent, by operation (``()`` means all)."""

    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndUnsent:
    """A call of this subject that is no longer needed, but must be answered if the counterparty may have it.

    While no try may have reached the counterparty, the call is not sent and is reported as failed, ``CALL_ENDED``.
    """

    operation: str


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert for an operator. ``code`` names the runbook ``docs/runbooks/<code>.md``."""

    code: str
    severity: Severity = "warning"
    counterparty: str | None = None
    attempts: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer for a synchronous caller: a plain body, sealed at rest, encrypted to the peer by the gateway."""

    body: dict[str, Any] = field(repr=False)


Effect = Emit | CallHub | SendMessage | LookUp | AcceptAnswer | DropCalls | EndUnsent | Alert | Reply
