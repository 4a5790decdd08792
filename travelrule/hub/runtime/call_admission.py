"""Admission of a call: the first half of the check order of hub-api.md section 10, in that order.

1. required headers, 2. origin syntax, 3. origin known, 4. public key registered and unexpired, nonce an
integer, time within the tolerance, 5. signature over the exact body bytes, 6. nonce (and in strict mode
signature) unused, 7. rate.

The body is read between 4 and 5. Before it, the form of the signature is checked, and for limited operations with a
body the rate of the source, so that headers alone refuse what they can. A sender that copies a member's headers can
still send bodies, which ``listener.body_room`` bounds. No state of a caller is stored before its signature is verified:
otherwise any sender could use up another VASP's nonces (auth.md section 4).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.moments import read_time
from travelrule.crypto import exact_base64
from travelrule.crypto.signing import SIGNATURE_BYTES, signed_bytes, verify_message
from travelrule.hub.header_names import CONTENT_TYPE, DATETIME, NONCE, ORIGIN, PUBLIC_KEY, REMOTE_KEY, SIGNATURE
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.members.member import Member
from travelrule.hub.operations import HubOperation
from travelrule.hub.ports import HubState
from travelrule.hub.records import ID_CHARACTERS_MAX, CallRecord
from travelrule.hub.runtime.rate_limiter import RateLimiter
from travelrule.listener import media_type

_ALWAYS = (DATETIME, NONCE, PUBLIC_KEY, SIGNATURE, ORIGIN)
SIGNED_HEADERS = (*_ALWAYS, REMOTE_KEY)
SINGLE_HEADERS = (*SIGNED_HEADERS, CONTENT_TYPE)
"""Headers that may be sent once only: two parsers may disagree on which one counts."""

_ORIGIN_FORM = re.compile(r"([^\s:]+):([^\s:]+)")
_NONCE_FORM = re.compile(r"[0-9]{1,10}", re.ASCII)
_NONCE_LIMIT = 2**32


@dataclass(slots=True)
class HubRequest:
    """A received request: header names in lower case, what the path names, the source IP, the body on demand.

    ``target`` is the entity in the path, ``request_id`` the search. ``verified_body`` is set once the signature over
    it is verified; then ``belongs_to`` is called with the sender and may raise ``HubFault``.
    """

    headers: Mapping[str, str]
    target: str
    source: str
    read_body: Callable[[], Awaitable[bytes]]
    request_id: str = ""
    verified_body: bytes = b""
    belongs_to: Callable[[str], None] = lambda _member: None


@dataclass(frozen=True, slots=True)
class AdmittedCall:
    """An authenticated caller, and the bytes that it signed."""

    caller: Member
    body: bytes


class CallAdmission:
    """Steps 1 to 7. Without ``tolerance_seconds`` the time is not checked (lenient mode, auth.md section 5)."""

    def __init__(self, state: HubState, limiter: RateLimiter, tolerance_seconds: float | None) -> None:
        self._state = state
        self._limiter = limiter
        self._tolerance = timedelta(seconds=tolerance_seconds) if tolerance_seconds is not None else None

    async def admit(
        self, operation: HubOperation, request: HubRequest, now: datetime, record: CallRecord
    ) -> AdmittedCall:
        """Return the caller and its body. Raises ``HubFault`` 422 or 429 for the first step that fails."""
        headers = request.headers
        self._require(operation, headers)
        alliance, entity_id = _origin(headers[ORIGIN])
        record.caller = entity_id[:ID_CHARACTERS_MAX]
        caller = await self._state.member(entity_id)
        if caller is None or caller.alliance.lower() != alliance.lower():
            raise HubFault(422, "INVALID_ORIGIN", "X-Request-Origin names no registered VASP")
        if not caller.holds(headers[PUBLIC_KEY], now):
            raise HubFault(422, "INVALID_HEADER_SIGNATURE", "X-Code-Req-PubKey is not a current key of the origin")
        nonce = record.nonce = _nonce(headers[NONCE])
        self._check_time(headers[DATETIME], now)
        signature = _signature(headers)
        if operation.limited and operation.request is not None:
            await self._limiter.check(request.source, now)
        body = await request.read_body()
        _verify(headers, nonce, body, signature)
        request.verified_body = body
        request.belongs_to(entity_id)
        if not await self._state.first_use(entity_id, nonce, signature, now):
            raise HubFault(422, "DUPLICATED_HEADER_NONCE", "X-Code-Req-Nonce was used before: sign with another")
        if operation.limited:
            await self._limiter.take(request.source, now)
        return AdmittedCall(caller, body)

    @staticmethod
    def _require(operation: HubOperation, headers: Mapping[str, str]) -> None:
        needed = SIGNED_HEADERS if operation.remote_key else _ALWAYS
        for name in (*needed, CONTENT_TYPE) if operation.request else needed:
            if not headers.get(name):
                raise HubFault(422, "MISSING_HEADER_FIELD", f"{name} is missing")
        if operation.request and not media_type.is_json(headers[CONTENT_TYPE]):
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", f"{CONTENT_TYPE}: {media_type.FIX}")

    def _check_time(self, text: str, now: datetime) -> None:
        # The signature covers time and body without a separator, so the time must be a time in every mode.
        sent = read_time(text)
        if sent is None:
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "X-Code-Req-Datetime is not an ISO 8601 time")
        if self._tolerance is not None and abs(sent - now) > self._tolerance:
            raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "X-Code-Req-Datetime is too far from the present time")


def _origin(text: str) -> tuple[str, str]:
    form = _ORIGIN_FORM.fullmatch(text)
    if form is None:
        raise HubFault(422, "ILLEGAL_FORMAT_OF_ORIGIN", "X-Request-Origin must be allianceName:vaspEntityId")
    return form[1], form[2]


def _nonce(text: str) -> int:
    if _NONCE_FORM.fullmatch(text) is None or (nonce := int(text)) >= _NONCE_LIMIT:
        raise HubFault(422, "INVALID_MSG_FIELD_VALUE", "X-Code-Req-Nonce must be an integer from 0 to 4294967295")
    return nonce


def _signature(headers: Mapping[str, str]) -> bytes:
    signature = exact_base64.decode(headers[SIGNATURE])
    if signature is None or len(signature) != SIGNATURE_BYTES:
        raise HubFault(422, "INVALID_HEADER_SIGNATURE", "X-Code-Req-Signature must be base64 of 64 bytes")
    return signature


def _verify(headers: Mapping[str, str], nonce: int, body: bytes, signature: bytes) -> None:
    # The key in the header equals a registered one here.
    message = signed_bytes(headers[DATETIME], body, nonce)
    if not verify_message(headers[PUBLIC_KEY], message, signature):
        raise HubFault(422, "INVALID_HEADER_SIGNATURE", "X-Code-Req-Signature does not fit time, body and nonce")
