"""Answers of an application to unknown paths and methods, in the one error shape."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

_REFUSALS = {404: ("NOT_FOUND", "no such path"), 405: ("METHOD_NOT_ALLOWED", "not with this method")}
_FAILED = ("CODE_SERVER_INTERNAL_ERROR", "the request failed here")


async def refused(request: Request, error: Exception) -> Response:
    """Answer an ``HTTPException`` as ``{"errorType", "errorMsg"}``; 405 names every method of the path."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    error_type, message = _REFUSALS.get(status, _FAILED)
    headers = {"allow": ", ".join(_methods(request))} if status == 405 else {}  # noqa: PLR2004
    body = orjson.dumps({"errorType": error_type, "errorMsg": message})
    return Response(body, status, headers, media_type="application/json")


def _methods(request: Request) -> list[str]:
    # Several routes may share a path, each with a method of its own.
    routes = [one for one in request.app.routes if isinstance(one, Route)]
    there = [one for one in routes if one.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for one in there for method in one.methods or ()})


EXCEPTION_HANDLERS: dict[Any, Any] = {HTTPException: refused}
