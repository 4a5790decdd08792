"""Fan-out of a search: one call to each member, all at once (hub-api.md section 10, "Fan-out").

The hub calls as itself, entity ``codevasp``: members must not learn who searches, and none may refuse it (auth.md
section 7).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import datetime

import orjson

from schemas.hub.bodies import PublicKey
from schemas.moments import time_text
from travelrule import logs
from travelrule.crypto.errors import CryptoError
from travelrule.crypto.peer_keys import choose_key
from travelrule.crypto.sealing import NONCE_BYTES, seal
from travelrule.crypto.signing import SigningKey
from travelrule.hub import body_shapes
from travelrule.hub.hub_call import HubCall
from travelrule.hub.members.call_failures import failures_recorded
from travelrule.hub.members.member import HUB_ALLIANCE, HUB_ENTITY, Member
from travelrule.hub.operations import OPERATIONS
from travelrule.hub.ports import (
    Clock,
    HubState,
    Journal,
    MemberAnswer,
    MemberCall,
    MemberTransport,
    NoMemberAnswer,
)
from travelrule.hub.records import CallRecord
from travelrule.hub.searches.search_kinds import FOUND, UNAVAILABLE, MemberResult, MemberSearchKind

log = logs.get("hub")

_OK = 200
_HEADER_NONCE_BYTES = 4


class SearchFanout:
    """Calls members for a search.

    ``key`` is the hub's key, ``budget_seconds`` the limit for one member. ``randomness(n)`` returns n bytes.
    """

    def __init__(
        self,
        key: SigningKey,
        state: HubState,
        transport: MemberTransport,
        clock: Clock,
        randomness: Callable[[int], bytes],
        *,
        budget_seconds: float,
        journal: Journal | None = None,
    ) -> None:
        self._key = key
        self._state = state
        self._transport = transport
        self._clock = clock
        self._randomness = randomness
        self._budget_seconds = budget_seconds
        self._journal = journal

    async def results(self, kind: MemberSearchKind, call: HubCall) -> list[MemberResult]:
        """Call every member that is up and concerned, except the caller; return the results in the list's order."""
        others = (HUB_ENTITY, call.caller.entity_id)
        asked = [
            member
            for member, up in await self._state.members()
            if up and member.entity_id not in others and kind.concerns(member, call.fields)
        ]
        results = await asyncio.gather(*(self._result_of(kind, call, member) for member in asked))
        return [MemberResult(member.entity_id, result) for member, result in zip(asked, results, strict=True)]

    async def _result_of(self, kind: MemberSearchKind, call: HubCall, member: Member) -> str:
        began = time.perf_counter()
        record = CallRecord(
            at=self._clock(), operation=kind.check, caller=HUB_ENTITY, target=member.entity_id, reached=True
        )
        record.note_request(call.fields)
        record.traceparent = call.record.traceparent
        result = UNAVAILABLE
        try:
            with failures_recorded(record):
                async with asyncio.timeout(self._budget_seconds):
                    answer = await self._transport.forward(member, self._question(kind, call, member, record))
                record.status = answer.status
                result = _result(kind, answer, record)
        except Exception as error:  # noqa: BLE001 -- the edge to a transport: one failure must not end the search
            log.error("search-ask-failed", member=member.entity_id, error=error)  # noqa: TRY400 -- no texts in logs
        finally:
            record.seconds = time.perf_counter() - began
            if self._journal is not None:
                self._journal.record(record)
        return result

    def _question(self, kind: MemberSearchKind, call: HubCall, member: Member, record: CallRecord) -> MemberCall:
        now = self._clock()
        check = OPERATIONS[kind.check]
        remote_key = _sealing_key(member, now) if check.remote_key else ""
        if check.remote_key and not remote_key:
            raise NoMemberAnswer(reached=False)
        record.nonce = int.from_bytes(self._randomness(_HEADER_NONCE_BYTES), "big")
        headers = {
            "X-Code-Req-Datetime": time_text(now),
            "X-Code-Req-Nonce": str(record.nonce),
            "X-Code-Req-PubKey": self._key.public_base64,
            "X-Code-Req-Remote-PubKey": remote_key,
            "X-Request-Origin": f"{HUB_ALLIANCE}:{HUB_ENTITY}",
            "traceparent": record.traceparent,
            "Content-Type": "application/json",
        }
        body = kind.question(call.fields, member, lambda ivms101: self._sealed(ivms101, remote_key))
        sent = {name: value for name, value in headers.items() if value}
        return MemberCall(check, sent, orjson.dumps(body), record)

    def _sealed(self, ivms101: dict[str, object], remote_key: str) -> str:
        plain = orjson.dumps({"ivms101": ivms101})
        try:
            return seal(self._key, remote_key, plain, self._randomness(NONCE_BYTES))
        except CryptoError:
            # The registered text is no key: nothing can be sealed for that member.
            raise NoMemberAnswer(reached=False) from None


def _sealing_key(member: Member, now: datetime) -> str:
    """Return the member's key to seal with; empty if it has no usable one."""
    listed = [PublicKey(pubkey=key.pubkey, expires_at=key.expires) for key in member.pubkeys]
    chosen = choose_key(listed, now)
    return chosen.pubkey if chosen is not None else ""


def _result(kind: MemberSearchKind, answer: MemberAnswer, record: CallRecord) -> str:
    body = body_shapes.parse_object(answer.body)
    record.note_answer(answer.status, body)
    result = body.get("result") if body is not None else None
    lowered = result.lower() if isinstance(result, str) else ""
    if answer.status == _OK and lowered == "valid":
        return FOUND
    if answer.status == _OK and lowered == "invalid":
        return kind.not_found
    record.error_type = record.member_error_type or "RECEIVED_WRONG_JSON_MESSAGE"
    return UNAVAILABLE
