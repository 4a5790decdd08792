"""Opening the payload of a request and sealing the one of the answer (auth.md 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from travelrule import metrics
from travelrule.crypto.errors import SealError
from travelrule.crypto.sealing import NONCE_BYTES, open_sealed, seal
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.gateway.ports import Randomness
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.gateway.request_reader import json_object
from travelrule.identity.payload_limits import excess

_CODE: Literal["INVALID_ENCRYPTED_BODY"] = "INVALID_ENCRYPTED_BODY"


@dataclass(frozen=True, slots=True)
class Opened:
    """The inner ``ivms101`` object, and the pair of keys that opened it.

    The answer is sealed with the same pair.
    """

    ivms101: dict[str, Any]
    own: SigningKey
    peer: str


def open_payload(keyring: KeyRing, caller: RequestOrigin, payload: str) -> Opened:
    """Open with our key that the request names, else with all of ours, newest first.

    ``Refused`` if none opens it, or if what it holds exceeds the limits of ``schemas.limits``.
    """
    assert caller.public_key is not None  # noqa: S101 -- only endpoints that require the header open payloads
    keys = keyring.for_public(caller.remote_key)
    if not keys:
        metrics.KEY_MISMATCHES_TOTAL.labels(direction="received").inc()
        fix = "is not a current key of this VASP; refresh it and seal again"
        raise Refused(_CODE, "X-Code-Req-Remote-PubKey", fix)
    plain, own = _first_that_opens(keys, caller.public_key, payload)
    inner = json_object(plain, _CODE, "payload").get("ivms101")
    if not isinstance(inner, dict):
        raise Refused(_CODE, "payload", "must hold an object ivms101")
    if (fault := excess(inner)) is not None:
        raise Refused("INVALID_MSG_FIELD_VALUE", "payload", f"{fault.path}: {fault.fix}")
    return Opened(inner, own, caller.public_key)


def seal_payload(opened: Opened, ivms101: dict[str, Any], randomness: Randomness) -> str:
    """Seal the answer's inner object for the requester."""
    return seal(opened.own, opened.peer, orjson.dumps({"ivms101": ivms101}), randomness(NONCE_BYTES))


def _first_that_opens(keys: Sequence[SigningKey], peer: str, payload: str) -> tuple[bytes, SigningKey]:
    for own in keys:
        try:
            return open_sealed(own, peer, payload), own
        except SealError:
            continue
    metrics.KEY_MISMATCHES_TOTAL.labels(direction="received").inc()
    raise Refused(_CODE, "payload", "does not open with the keys that the headers name")
