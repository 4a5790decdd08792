"""The service of a call: checks in the order of hub-api.md section 10, the answer, the record.

For every call:

1. the checks run in the fixed order, and the first that fails determines the answer;
2. the forwarded bytes are the signed bytes;
3. a call that fails a check is not forwarded;
4. the call is recorded when it ends, also if the answer was not sent or the member did not answer;
5. no record, log line or error text contains a payload, a key or personal data.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

from schemas.events.cloudevents import traceparent_or_none
from travelrule.hub import body_shapes
from travelrule.hub.header_names import REMOTE_KEY
from travelrule.hub.hub_answer import HubAnswer, HubFault
from travelrule.hub.hub_call import HubCall, Responder
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.ports import Clock, HubState, Journal
from travelrule.hub.records import ID_CHARACTERS_MAX, CallRecord
from travelrule.hub.runtime.call_admission import AdmittedCall, CallAdmission, HubRequest
from travelrule.hub.runtime.rate_limiter import RateLimiter


class HubService:
    """Serves operations 4.A.1 to 4.A.10, 4.B.1 to 4.B.5 and P.1 to P.4 over its ports.

    ``own`` is the hub's entry in the directory. ``own_answers`` answers operations that are not forwarded,
    ``forwarding`` the others. Without ``tolerance_seconds`` the time is not checked (lenient mode).
    ``rate_limit_per_minute`` counts per source IP; 0 is no limit. Without ``journal`` calls are not recorded.
    """

    def __init__(
        self,
        *,
        own: Member,
        state: HubState,
        own_answers: Responder,
        forwarding: Responder,
        clock: Clock,
        tolerance_seconds: float | None = 300,
        rate_limit_per_minute: int = 40,
        journal: Journal | None = None,
    ) -> None:
        self._own = own
        self._state = state
        self._own_answers = own_answers
        self._forwarding = forwarding
        self._clock = clock
        self._admission = CallAdmission(state, RateLimiter(rate_limit_per_minute), tolerance_seconds)
        self._journal = journal

    async def serve(self, operation: HubOperation, request: HubRequest) -> HubAnswer:
        """Return the answer to one request; a fault is an answer too."""
        began = time.perf_counter()
        now = self._clock()
        record = CallRecord(
            at=now,
            operation=operation.label,
            target=request.target[:ID_CHARACTERS_MAX],
            request_id=request.request_id[:ID_CHARACTERS_MAX],
        )
        record.traceparent = traceparent_or_none(request.headers.get("traceparent")) or ""
        try:
            answer = await self._answer(operation, request, now, record)
            record.status = answer.status
        except HubFault as fault:
            record.error_type = fault.error_type
            _note_refused(request, record)
            answer = fault.answer()
            record.status = answer.status
        finally:
            record.seconds = time.perf_counter() - began
            if self._journal is not None:
                self._journal.record(record)
        return answer

    async def _answer(
        self, operation: HubOperation, request: HubRequest, now: datetime, record: CallRecord
    ) -> HubAnswer:
        admitted = await self._admission.admit(operation, request, now, record)
        target = await self._target(operation, request, now)
        shape = operation.shape(affiliated=target.affiliated)
        fields = shape.read(admitted.body) if shape is not None else {}
        if shape is not None:
            record.note_request(fields)
        call = _call(operation, admitted, target, request, record, fields)
        answering = self._forwarding if operation.forwarded else self._own_answers
        return await answering.answer(call)

    async def _target(self, operation: HubOperation, request: HubRequest, now: datetime) -> Member:
        if not operation.unknown_target:
            return self._own
        target = await self._state.member(request.target)
        if target is None:
            raise HubFault(422, operation.unknown_target, "the path names no registered VASP")
        # Only the target of a forwarded call reads with this key. A request for the current key must work with an old
        # one.
        remote_key = request.headers.get(REMOTE_KEY)
        if operation.forwarded and remote_key and not target.holds(remote_key, now):
            raise HubFault(422, "INVALID_RECEIVER_PUBLIC_KEY", "X-Code-Req-Remote-PubKey is not a current key")
        return target


def _call(
    operation: HubOperation,
    admitted: AdmittedCall,
    target: Member,
    request: HubRequest,
    record: CallRecord,
    fields: dict[str, Any],
) -> HubCall:
    return HubCall(
        operation, admitted.caller, target, request.headers, admitted.body, record, fields, request.request_id
    )


def _note_refused(request: HubRequest, record: CallRecord) -> None:
    """Record the ids of a call that was refused before its fields were read."""
    if not record.transfer_id and request.verified_body:
        record.note_request(body_shapes.parse_object(request.verified_body) or {})
