"""Routes of the widget and of its script's calls (hub-api.md section 7, "Widget").

The script may run on another site, that of the session. So it sends plain text, which browsers send without a
preflight request, and each answer allows that site to read it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from travelrule import logs
from travelrule.hub import body_shapes
from travelrule.hub.unhosted.session_responder import origin_of
from travelrule.hub.unhosted.widget_calls import WidgetCalls, WidgetFault

log = logs.get("hub")

BODY_BYTES_MAX = 65_536
GENERAL_ERROR = "GENERAL_API_ERROR"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_FILES = (
    ("/widget", "page.html", "text/html"),
    ("/widget/page.js", "page.js", "text/javascript"),
    ("/widget/page.css", "page.css", "text/css"),
    ("/widget/wallet-verifier.js", "wallet-verifier.js", "text/javascript"),
)

Handler = Callable[[Mapping[str, Any], str | None], Awaitable[dict[str, Any]]]


def widget_routes(calls: WidgetCalls) -> list[Route]:
    """Return the page, its files and its calls."""

    async def session(said: Mapping[str, Any], origin: str | None) -> dict[str, Any]:
        return await calls.open(_text(said, "token"), origin)

    async def proof(said: Mapping[str, Any], origin: str | None) -> dict[str, Any]:
        return await calls.prove(_text(said, "key"), _text(said, "signature"), origin)

    async def test_wallet(said: Mapping[str, Any], origin: str | None) -> dict[str, Any]:
        return await calls.sign(_text(said, "key"), origin)

    handlers: dict[str, Handler] = {"session": session, "proof": proof, "test-wallet": test_wallet}
    return [
        *(Route(path, _file(name, media_type), methods=["GET"]) for path, name, media_type in _FILES),
        *(Route(f"/widget/{name}", _called(handler), methods=["POST"]) for name, handler in handlers.items()),
    ]


def _file(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    content = files(__package__).joinpath(name).read_bytes()
    # Other sites load the script as a module, which browsers allow only with this header.
    headers = _HEADERS | {"Content-Security-Policy": _POLICY, "Access-Control-Allow-Origin": "*"}

    async def serve(_: Request) -> Response:
        return Response(content, media_type=media_type, headers=headers)

    return serve


def _called(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def call(request: Request) -> Response:
        headers = dict(_HEADERS) | {"Vary": "Origin"}
        origin = _foreign_origin(request)
        if origin is not None:
            headers["Access-Control-Allow-Origin"] = origin
        try:
            told, status = await handler(await _said(request), origin), 200
        except WidgetFault as fault:
            told, status = _refusal(fault), fault.status
        except Exception as error:  # noqa: BLE001 -- the edge: every failure is answered in the one shape
            log.error("widget-failed", error=error)  # noqa: TRY400 -- no texts in logs
            told, status = _refusal(WidgetFault(500, "the hub failed: try again")), 500
        return Response(orjson.dumps(told), status, media_type="application/json", headers=headers)

    return call


def _refusal(fault: WidgetFault) -> dict[str, Any]:
    told = {"errorCode": GENERAL_ERROR, "message": fault.message}
    return told | {"reason": fault.reason} if fault.reason else told


def _foreign_origin(request: Request) -> str | None:
    """Return the site of the request; None for the hub's page and for clients that are no browser."""
    origin = request.headers.get("origin")
    if origin is None:
        return None
    own = origin_of(f"{request.url.scheme}://{request.headers.get('host', '')}")
    # A proxy may end TLS before us, so only host and port are compared.
    same = origin_of(origin).partition("://")[2] == own.partition("://")[2] != ""
    return None if same else origin


async def _said(request: Request) -> Mapping[str, Any]:
    said = body_shapes.parse_object(await _body(request))
    if said is None:
        raise WidgetFault(400, "the body is not a JSON object")
    return said


async def _body(request: Request) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            parts.append(part)
            size += len(part)
            if size > BODY_BYTES_MAX:
                raise WidgetFault(413, "the body is too large")
    except ClientDisconnect:
        raise WidgetFault(400, "the body did not come whole") from None
    return b"".join(parts)


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not value.isascii() or not value:
        raise WidgetFault(400, f"{name} is missing")
    return value
