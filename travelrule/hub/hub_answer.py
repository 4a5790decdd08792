"""Answers of the hub: bytes with a status, or a refusal in the one error shape (errors.md section 1)."""

from __future__ import annotations

from dataclasses import dataclass

import orjson
from starlette.types import Receive, Scope, Send

_JSON = (b"content-type", b"application/json")


@dataclass(frozen=True, slots=True)
class HubAnswer:
    """An answer to a caller, and the ASGI application that sends it."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI
        """Send status, headers and body."""
        length = (b"content-length", str(len(self.body)).encode())
        await send({"type": "http.response.start", "status": self.status, "headers": [_JSON, length, *self.headers]})
        await send({"type": "http.response.body", "body": self.body})


class HubFault(Exception):  # noqa: N818 -- the protocol's word
    """A call that is refused or failed: HTTP status, ``errorType`` and a message that quotes no value.

    ``retry_after_seconds`` becomes the ``Retry-After`` header.
    """

    def __init__(self, status: int, error_type: str, message: str, retry_after_seconds: int = 0) -> None:
        super().__init__(f"{status} {error_type}: {message}")
        self.status = status
        self.error_type = error_type
        self.message = message
        self.retry_after_seconds = retry_after_seconds

    def answer(self) -> HubAnswer:
        """Return the refusal as it is sent: ``{"errorType", "errorMsg"}``."""
        body = orjson.dumps({"errorType": self.error_type, "errorMsg": self.message})
        if not self.retry_after_seconds:
            return HubAnswer(self.status, body)
        return HubAnswer(self.status, body, ((b"retry-after", str(self.retry_after_seconds).encode()),))


def internal_error() -> HubFault:
    """Return the fault for a failure of the hub itself."""
    return HubFault(500, "CODE_SERVER_INTERNAL_ERROR", "the hub failed; the same call may be repeated")
