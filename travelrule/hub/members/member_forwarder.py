"""Forwarding of a call to a member, and the check of its answer (hub-api.md section 10, auth.md section 7).

The member receives the caller's body bytes unchanged and the headers it needs, without the signature. Its answer is
passed on unchanged if it is usable: 200 with the required fields, or 503. Any other answer becomes an error of the hub.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from travelrule.hub import body_shapes
from travelrule.hub.header_names import DATETIME, NONCE, ORIGIN, PUBLIC_KEY, REMOTE_KEY
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall
from travelrule.hub.ports import MemberAnswer, MemberCall, MemberTransport, NoMemberAnswer

_PASSED_ON = (
    (DATETIME, "X-Code-Req-Datetime"),
    (NONCE, "X-Code-Req-Nonce"),
    (PUBLIC_KEY, "X-Code-Req-PubKey"),
    (REMOTE_KEY, "X-Code-Req-Remote-PubKey"),
    (ORIGIN, "X-Request-Origin"),
    ("traceparent", "traceparent"),
)
_OK = 200
_UNAVAILABLE = 503


class MemberForwarder:
    """``Responder`` that forwards a call to its target. ``timeout_seconds`` limits the whole exchange."""

    def __init__(self, transport: MemberTransport, timeout_seconds: float) -> None:
        self._transport = transport
        self._timeout_seconds = timeout_seconds

    async def answer(self, call: HubCall) -> HubAnswer:
        """Return the member's answer. Raises ``HubFault`` 408 or 500."""
        member_call = MemberCall(call.operation, member_headers(call.headers), call.body, call.record)
        call.record.reached = True
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await self._transport.forward(call.target, member_call)
        except TimeoutError:
            raise _no_answer() from None
        except NoMemberAnswer as silence:
            call.record.reached = silence.reached
            raise _no_answer() from None
        return _read(call, answer)


def member_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers for the member: those of the caller's that it needs, never the signature."""
    passed = {name: headers[key] for key, name in _PASSED_ON if headers.get(key)}
    passed["Content-Type"] = headers.get("content-type") or "application/json"
    return passed


def _read(call: HubCall, answer: MemberAnswer) -> HubAnswer:
    body = body_shapes.parse_object(answer.body)
    call.record.note_answer(answer.status, body)
    if answer.status == _UNAVAILABLE:
        return HubAnswer(_UNAVAILABLE, answer.body)
    if answer.status != _OK or body is None:
        raise HubFault(500, "RECEIVED_WRONG_JSON_MESSAGE", "the member's answer cannot be read")
    missing = call.operation.missing_in(body)
    if missing is not None:
        raise HubFault(500, "RECEIVED_MSG_MISSING_FIELD", f"the member's answer lacks {missing}")
    return HubAnswer(_OK, answer.body)


def _no_answer() -> HubFault:
    return HubFault(408, "BENEFICIARY_VASP_REQUEST_TIMEOUT", "the member did not answer in time")
