"""Answers of the listener itself, before an application sees the request, in the one error shape (errors.md 1)."""

from __future__ import annotations

from http import HTTPStatus

import orjson

_ERROR_TYPES = {
    400: "BAD_REQUEST",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIMEOUT",
    431: "BAD_REQUEST",
    503: "SERVICE_UNAVAILABLE",
}


def refusal(status: int, reason: str) -> bytes:
    """Write a whole HTTP/1.1 response that names the fault and ends the connection."""
    body = orjson.dumps({"errorType": _ERROR_TYPES[status], "errorMsg": reason})
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        "content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
