"""Wrappers that apply faults: to calls to members, to the hub's answers, to callbacks and to connections."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import NoReturn

import orjson
from starlette.types import Receive, Scope, Send

from schemas.operations import Operation
from travelrule.hub import body_shapes
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall, Responder
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.ports import (
    CallbackCall,
    CallbackTransport,
    MemberAnswer,
    MemberCall,
    MemberTransport,
    NoMemberAnswer,
)
from travelrule.hub.runtime.app import OperationService
from travelrule.hub.runtime.call_admission import HubRequest
from travelrule.sandbox.faults.fault_book import FaultBook
from travelrule.sandbox.faults.fault_spec import CUT_OFF, FaultSpec, Pause

ABORT = "travelrule.abort"
"""Extension of the ASGI scope that closes the caller's connection."""

GARBAGE = b"<html>502 Bad Gateway</html>"
_OK = 200
_ERROR_TYPES = {
    403: "ACCESS_DENIED",
    404: "NOT_FOUND",
    408: "BENEFICIARY_VASP_REQUEST_TIMEOUT",
    422: "INVALID_MSG_FIELD_VALUE",
    429: "TOO_MANY_REQUESTS",
    503: "VASP_BACKEND_INTERNAL_ERROR",
}
_KYT_ERROR_TYPES = {
    400: "BAD_REQUEST",
    422: "INVALID_ORIGIN",
    500: "INTERNAL_SERVER_ERROR",
    503: "SERVICE_UNAVAILABLE",
}
"""KYT has its own codes (screening.md section 7); its 422 is the quota."""


class CallerCutOffError(Exception):
    """The caller's connection is to be closed without an answer."""


@dataclass(frozen=True, slots=True)
class LostAnswer(HubAnswer):
    """An answer that is not sent: the connection is closed instead."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI
        """Close the connection.

        Raises ``ConnectionResetError`` if there is none, as in a call within the process.
        """
        abort = scope.get("extensions", {}).get(ABORT)
        if abort is None:
            raise ConnectionResetError("the answer was dropped by a fault of the sandbox")
        abort["now"]()
        while (await receive())["type"] != "http.disconnect":
            continue


class FaultyTransport:
    """``MemberTransport`` that applies faults."""

    def __init__(self, inner: MemberTransport, book: FaultBook, pause: Pause = asyncio.sleep) -> None:
        self._inner = inner
        self._book = book
        self._pause = pause

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        """Deliver the call unless a fault prevents it; the record shows what reached the member."""
        plan = self._book.plan(call.operation.label, member.entity_id)
        if not plan.names:
            return await self._inner.forward(member, call)
        call.record.fault = plan.names
        call.record.reached = False
        await self._pause(plan.delay_seconds)
        fault = plan.fault
        match fault and fault.fault:
            case "status":
                _refuse(fault, call.operation)
            case "drop-before":
                _lose(fault, call.operation, reached=False)
            case "hang":
                await asyncio.Event().wait()
        call.record.reached = True
        answer = await self._inner.forward(member, call)
        body = body_shapes.parse_object(answer.body)
        call.record.note_answer(answer.status, body)
        match fault and fault.fault:
            case "drop-after":
                _lose(fault, call.operation, reached=True)
            case "garbage":
                return MemberAnswer(_OK, GARBAGE)
            case "missing-field":
                return MemberAnswer(_OK, _without_first(call.operation, answer.body))
        return answer


class FaultyAnswers:
    """``Responder`` that applies faults to the hub's answers (directory, searches, risk, unhosted wallets).

    ``hang_seconds`` is how long a hanging call keeps its connection.
    """

    def __init__(self, inner: Responder, book: FaultBook, hang_seconds: float, pause: Pause = asyncio.sleep) -> None:
        self._inner = inner
        self._book = book
        self._hang_seconds = hang_seconds
        self._pause = pause

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the answer unless a fault prevents it."""
        plan = self._book.plan(call.operation.label, call.caller.entity_id)
        if not plan.names:
            return await self._inner.answer(call)
        call.record.fault = plan.names
        await self._pause(plan.delay_seconds)
        match plan.fault and plan.fault.fault:
            case "status":
                _refuse(plan.fault, call.operation)
            case "drop-before":
                raise CallerCutOffError
            case "hang":
                await self._pause(self._hang_seconds)
                raise CallerCutOffError
        answer = await self._inner.answer(call)
        match plan.fault and plan.fault.fault:
            case "drop-after":
                raise CallerCutOffError
            case "garbage":
                return HubAnswer(_OK, GARBAGE)
            case "missing-field":
                return HubAnswer(_OK, _without_first(call.operation, answer.body))
        return answer


class FaultyCallbacks:
    """``CallbackTransport`` that applies faults: a callback may be late, sent twice, or lost."""

    def __init__(self, inner: CallbackTransport, book: FaultBook, pause: Pause = asyncio.sleep) -> None:
        self._inner = inner
        self._book = book
        self._pause = pause

    async def post_callback(self, call: CallbackCall) -> int:
        """Send the callback as often as the faults determine; no fault changes an answer, because none is read."""
        copies = self._book.callback_copies(call.search, call.receiver)
        plan = self._book.plan(Operation.CALLBACK, call.receiver)
        kind = plan.fault.fault if plan.fault is not None else ""
        multiplied = {0: "lose-callback", 2: "duplicate-callback"}.get(copies, "")
        call.record.fault = "+".join(name for name in (plan.names, multiplied) if name)
        await self._pause(plan.delay_seconds)
        if not copies or kind in ("status", "drop-before", "hang"):
            raise NoMemberAnswer(reached=False)
        status = await self._inner.post_callback(call)
        if copies > 1:
            status = await self._inner.post_callback(call)
        if kind == "drop-after":
            raise NoMemberAnswer(reached=True)
        return status


class FaultyService:
    """The hub's service; a fault may close the caller's connection instead of answering."""

    def __init__(self, inner: OperationService) -> None:
        self._inner = inner

    async def serve(self, operation: HubOperation, request: HubRequest) -> HubAnswer:
        """Return the answer to one request, or one that closes its connection."""
        try:
            return await self._inner.serve(operation, request)
        except CallerCutOffError:
            return LostAnswer(0, b"")


def _refuse(fault: FaultSpec | None, operation: HubOperation) -> NoReturn:
    status = (fault and fault.status) or int(HTTPStatus.INTERNAL_SERVER_ERROR)
    known = _ERROR_TYPES | _KYT_ERROR_TYPES if operation.kyt else _ERROR_TYPES
    error_type = (fault and fault.error_type) or known.get(status, "CODE_SERVER_INTERNAL_ERROR")
    wait_seconds = 1 if status == HTTPStatus.TOO_MANY_REQUESTS else 0
    raise HubFault(status, error_type, "a fault of the sandbox", wait_seconds)


def _lose(fault: FaultSpec | None, operation: HubOperation, *, reached: bool) -> NoReturn:
    # The hub's own calls have no caller whose connection could be closed.
    if fault is not None and fault.status == CUT_OFF and not operation.from_hub:
        raise CallerCutOffError
    raise NoMemberAnswer(reached=reached)


def _without_first(operation: HubOperation, answer: bytes) -> bytes:
    body = body_shapes.parse_object(answer) or {}
    body.pop(operation.answer.required[0], None)
    return orjson.dumps(body)
