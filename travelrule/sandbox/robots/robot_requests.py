"""Requests to a robot, read as a VASP's server reads them (member-api.md section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from travelrule.crypto.errors import SealError
from travelrule.crypto.fingerprint import json_fingerprint
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.hub import body_shapes
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.ports import MemberAnswer, MemberCall

_UNAVAILABLE = 503


class RobotFault(Exception):  # noqa: N818 -- the protocol's word
    """A request that cannot be processed: answered 503 with ``code`` (member-api.md section 1)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    def answer(self) -> MemberAnswer:
        """Return the 503."""
        body = {"errorType": self.code, "errorMsg": self.message}
        return MemberAnswer(_UNAVAILABLE, orjson.dumps(body))


@dataclass(frozen=True, slots=True)
class SealedRequest:
    """A request with its opened payload. The answer is sealed with the same pair of keys."""

    body: dict[str, Any]
    ivms101: dict[str, Any]
    own: SigningKey
    peer_key: str

    def fingerprint(self) -> str:
        """Return a digest that is equal for equal content only, whatever the ciphertext (member-api.md section 9)."""
        clear = {name: value for name, value in self.body.items() if name != "payload"}
        return json_fingerprint([clear, self.ivms101])

    def sealed_answer(self, ivms101: dict[str, Any], nonce24: bytes) -> str:
        """Return the ``payload`` of an answer that only the requester can read."""
        return seal(self.own, self.peer_key, orjson.dumps({"ivms101": ivms101}), nonce24)


def read_origin(call: MemberCall) -> str:
    """Return the origin of a call. Raises ``RobotFault`` if the header is missing."""
    origin = call.headers.get("X-Request-Origin", "")
    if not origin:
        raise RobotFault("MISSING_HEADER_FIELD", "X-Request-Origin is missing")
    return origin


def read_body(call: MemberCall, *, affiliated: bool = False) -> dict[str, Any]:
    """Return the body with its required fields. Raises ``RobotFault``.

    ``affiliated``: the robot is of an affiliated network, for which some requests need more fields.
    """
    shape = call.operation.shape(affiliated=affiliated)
    if shape is None:
        return {}
    try:
        return shape.read(call.body)
    except HubFault as fault:
        raise RobotFault(fault.error_type, fault.message) from None


def read_sealed(call: MemberCall, keys: KeyRing, *, affiliated: bool = False) -> SealedRequest:
    """Return the body with its payload opened. Raises ``RobotFault``.

    The hub checked the caller's key against the directory, and the robot lives in the hub's process.
    """
    body = read_body(call, affiliated=affiliated)
    peer_key = call.headers.get("X-Code-Req-PubKey", "")
    if not peer_key:
        raise RobotFault("MISSING_HEADER_FIELD", "X-Code-Req-PubKey is missing")
    for own in keys.for_public(call.headers.get("X-Code-Req-Remote-PubKey")):
        try:
            plain = open_sealed(own, peer_key, body["payload"])
        except SealError:
            continue
        ivms101 = (body_shapes.parse_object(plain) or {}).get("ivms101")
        if isinstance(ivms101, dict):
            return SealedRequest(body, ivms101, own, peer_key)
    raise RobotFault("INVALID_ENCRYPTED_BODY", "payload cannot be opened or holds no ivms101")
