"""The origin of a request: the headers that the hub forwards (auth.md 1, 7), read strictly because records use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from travelrule.crypto import exact_base64
from travelrule.crypto.signing import PUBLIC_BYTES
from travelrule.gateway.refusals import Refused
from travelrule.listener import media_type

ORIGIN = b"x-request-origin"
PUBLIC_KEY = b"x-code-req-pubkey"
REMOTE_KEY = b"x-code-req-remote-pubkey"
KEY_CHARACTERS_MAX = 64
TRACEPARENT = b"traceparent"
CONTENT_TYPE = b"content-type"
WANTED = frozenset({ORIGIN, PUBLIC_KEY, REMOTE_KEY, TRACEPARENT, CONTENT_TYPE})

# No slash in an entity id: the subject exchange:ORIGIN/TRANSFERID must be unambiguous.
_ORIGIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,63}):([A-Za-z0-9][A-Za-z0-9._~:@+-]{0,127})")
_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")

Headers = Mapping[bytes, bytes]


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The sender of a request. ``public_key`` None: not sent, which only the unencrypted endpoints allow.

    ``remote_key`` is our own key that the request is addressed to, if it names one.
    """

    alliance: str
    entity_id: str
    public_key: str | None
    remote_key: str | None = None
    traceparent: str | None = None

    @property
    def origin(self) -> str:
        """``alliance:entity`` with the alliance in lower case, because its case does not count (D43)."""
        return f"{self.alliance}:{self.entity_id}"


def headers_of(received: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of ``WANTED``; raise ``Refused`` for one that occurs twice: its value is ambiguous."""
    headers: dict[bytes, bytes] = {}
    for name, value in received:
        if name not in WANTED:
            continue
        if name in headers:
            raise Refused("INVALID_MSG_FIELD_VALUE", name.decode("ascii"), "send the header once")
        headers[name] = value
    return headers


def require_json(headers: Headers) -> None:
    """Raise ``Refused`` unless the headers announce JSON in UTF-8 (auth.md 1)."""
    content_type = headers.get(CONTENT_TYPE, b"").strip().decode("latin-1")
    if not content_type:
        raise Refused("MISSING_HEADER_FIELD", "Content-Type", media_type.FIX)
    if not media_type.is_json(content_type):
        raise Refused("INVALID_MSG_FIELD_VALUE", "Content-Type", media_type.FIX)


def caller_of(headers: Headers, *, key_needed: bool) -> RequestOrigin:
    """Read the caller's headers; raise ``Refused`` for a missing or unreadable one."""
    origin = headers.get(ORIGIN, b"").strip()
    if not origin:
        raise Refused("MISSING_HEADER_FIELD", "X-Request-Origin", "send <alliance>:<entityId>")
    parts = _ORIGIN.fullmatch(origin.decode("latin-1"))
    if parts is None:
        raise Refused("INVALID_MSG_FIELD_VALUE", "X-Request-Origin", "must be <alliance>:<entityId>")
    public_key = _key(headers, PUBLIC_KEY, "X-Code-Req-PubKey")
    if key_needed and public_key is None:
        raise Refused("MISSING_HEADER_FIELD", "X-Code-Req-PubKey", "send the key that the payload was made with")
    traceparent = headers.get(TRACEPARENT, b"")
    return RequestOrigin(
        parts[1].lower(),
        parts[2],
        public_key,
        _key(headers, REMOTE_KEY, "X-Code-Req-Remote-PubKey"),
        traceparent.decode() if _TRACEPARENT.fullmatch(traceparent) else None,
    )


def _key(headers: Headers, name: bytes, shown: str) -> str | None:
    text = headers.get(name, b"").strip().decode("latin-1")
    if not text:
        return None
    if len(text) > KEY_CHARACTERS_MAX or not _is_key(text):
        raise Refused("INVALID_MSG_FIELD_VALUE", shown, "must be base64 of 32 bytes")
    return text


@lru_cache(maxsize=1024)
def _is_key(text: str) -> bool:
    """Whether a text is a public key. Cached: each request is read twice, and senders repeat their keys."""
    raw = exact_base64.decode(text)
    return raw is not None and len(raw) == PUBLIC_BYTES
