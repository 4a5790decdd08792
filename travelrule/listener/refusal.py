"""Answers of the listener itself, before an application sees the request."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

import orjson

Refusals = Callable[[int, str], bytes]
"""The body of a refusal, as JSON, from its HTTP status and a sentence that names the fault."""


def plain_refusal(status: int, reason: str) -> bytes:
    """Name the status and the fault; for listeners without an error shape of their own."""
    return orjson.dumps({"error": HTTPStatus(status).phrase, "message": reason})


def response(status: int, body: bytes) -> bytes:
    """Write a whole HTTP/1.1 response that ends the connection."""
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
