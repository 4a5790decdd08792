"""Endpoints that control a running sandbox, for its own machine only (contract section 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from travelrule.errors import ConfigurationError
from travelrule.hub.records import CallRecord
from travelrule.hub.spec_files import parse_spec
from travelrule.listener import media_type
from travelrule.sandbox.faults.fault_spec import FaultSpec
from travelrule.sandbox.journal import PAGE_MAX, SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.world.sandbox_wallet import SandboxWallet
from travelrule.sandbox.world.world_file import WorldMember

Handler = Callable[[Request], Awaitable[Response]]


class ControlEndpoints:
    """The control endpoints of one sandbox."""

    def __init__(self, sandbox: Sandbox, journal: SandboxJournal) -> None:
        self._sandbox = sandbox
        self._journal = journal

    def routes(self) -> list[Route]:
        """Return the routes; each refuses callers from other machines."""
        return [
            Route("/sandbox/faults", _guarded(self._add_fault), methods=["POST"]),
            Route("/sandbox/faults", _guarded(self._list_faults), methods=["GET"]),
            Route("/sandbox/faults", _guarded(self._clear_faults), methods=["DELETE"]),
            Route("/sandbox/members", _guarded(self._list_members), methods=["GET"]),
            Route("/sandbox/members/{id}", _guarded(self._put_member), methods=["PUT"]),
            Route("/sandbox/journal", _guarded(self._read_journal), methods=["GET"]),
            Route("/sandbox/wallets", _guarded(self._list_wallets), methods=["GET"]),
        ]

    async def _add_fault(self, request: Request) -> Response:
        spec = parse_spec(FaultSpec, await _content(request), "fault")
        return _json(self._sandbox.faults.add(spec).shown(), 201)

    async def _list_faults(self, _: Request) -> Response:
        return _json({"faults": self._sandbox.faults.shown()})

    async def _clear_faults(self, _: Request) -> Response:
        return _json({"removed": self._sandbox.faults.clear()})

    async def _list_members(self, _: Request) -> Response:
        members = await self._sandbox.state.members()
        listed = [{"vaspEntityId": member.entity_id, "health": "up" if up else "down"} for member, up in members]
        return _json({"members": listed})

    async def _put_member(self, request: Request) -> Response:
        content = await _content(request)
        entity_id = request.path_params["id"]
        if not isinstance(content, dict) or content.setdefault("vaspEntityId", entity_id) != entity_id:
            raise ConfigurationError("member vaspEntityId", "must be the one in the path, or absent")
        known = await self._sandbox.state.member(entity_id) is not None
        member = await self._sandbox.put_member(parse_spec(WorldMember, content, "member"))
        return _json({"vaspEntityId": entity_id, "pubkeys": member.public_keys()}, 200 if known else 201)

    async def _list_wallets(self, _: Request) -> Response:
        return _json({"wallets": SandboxWallet().addresses()})

    async def _read_journal(self, request: Request) -> Response:
        query = request.query_params
        page = self._journal.page(
            _number(query.get("since"), "since", 0),
            min(PAGE_MAX, max(1, _number(query.get("limit"), "limit", PAGE_MAX))),
            _filter(query.get("operation", ""), query.get("transferId", ""), query.get("requestId", "")),
        )
        return _json({"entries": page.entries, "next": page.next, "forgotten": page.forgotten})


def _filter(operation: str, transfer_id: str, request_id: str) -> Callable[[CallRecord], bool]:
    return lambda record: (
        operation in ("", record.operation)
        and transfer_id in ("", record.transfer_id)
        and request_id in ("", record.request_id)
    )


def _guarded(handler: Handler) -> Handler:
    async def guarded(request: Request) -> Response:
        if reason := _foreign(request):
            return _json({"errorType": "ACCESS_DENIED", "errorMsg": reason}, 403)
        try:
            return await handler(request)
        except ConfigurationError as error:
            told = [{"field": fault.name, "fix": fault.fix} for fault in error.faults]
            return _json({"errorType": "INVALID_MSG_FIELD_VALUE", "errorMsg": str(error), "faults": told}, 422)

    return guarded


def _foreign(request: Request) -> str:
    """Return why a request is refused: another machine sent it, or a web page in a browser on this one; else empty."""
    if request.client is None or not _is_loopback(request.client.host):
        return "only from the sandbox's own machine"
    host = urlsplit(f"//{request.headers.get('host', '')}")
    if not _is_loopback(host.hostname or ""):
        # A page whose host name resolves to this machine still sends that name.
        return "Host must be this machine: 127.0.0.1, [::1] or localhost"
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host.netloc:
        return "Origin must be the sandbox itself"
    return ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _content(request: Request) -> Any:
    if not media_type.is_json(request.headers.get("content-type", "")):
        # Browsers send other types to foreign sites without a preflight request.
        raise ConfigurationError("Content-Type", "must be application/json")
    try:
        return orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        raise ConfigurationError("body", "is no JSON") from None


def _number(text: str | None, name: str, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()):
        raise ConfigurationError(name, "must be a whole number")
    return int(text)


def _json(content: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")
