"""The probes of a role: ``/metrics``, ``/livez`` and ``/readyz`` on ``METRICS_LISTEN``.

Live means progress, not existence: a worker that has work and has finished none for too long is dead although its
process runs, and only a restart helps (stuck consumers after broker restarts are known, see ADR 0004). Ready means that
the services of the role can be reached now; a role that is not ready gets no traffic until its probe succeeds.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from travelrule.listener.descriptors import fitted
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.server import ListenerServer
from travelrule.log_fields import describe
from travelrule.metrics import exposition

Check = Callable[[], bool] | Callable[[], Awaitable[bool]]
"""A yes-or-no check; it may be asynchronous, and an exception counts as no."""

CHECK_SECONDS_MAX = 2.0
LIMITS = ListenerLimits(
    head_bytes=8_192,
    header_count=32,
    head_seconds=5.0,
    body_seconds=5.0,
    answer_seconds=15.0,
    connections=64,
    connections_per_source=48,
    body_memory=65_536,
)
"""For a few scrapers and probes, which send no bodies. ``/metrics`` may have some hundred KB."""
DESCRIPTORS_BESIDE = 256
"""Database, broker, hub and files of a role."""
GRACE_SECONDS = 5


def create_health(live: Mapping[str, Check], ready: Mapping[str, Check]) -> Starlette:
    """Create the ASGI application of the three pages. ``live`` and ``ready`` are checks by name.

    A probe answers 200 if all its checks succeed, else 503 with ``{"ok": false, "checks": {name: text}}``; the texts
    are ``ok``, ``failed``, ``too slow`` and the class of the exception that a check raised.
    """

    async def metrics(request: Request) -> Response:
        body, content_type = exposition(request.headers.get("accept", ""))
        return Response(body, media_type=None, headers={"content-type": content_type})

    async def livez(_: Request) -> Response:
        return await _probe(live)

    async def readyz(_: Request) -> Response:
        return await _probe(ready)

    return Starlette(routes=[Route("/metrics", metrics), Route("/livez", livez), Route("/readyz", readyz)])


async def _probe(checks: Mapping[str, Check]) -> Response:
    checks = dict(checks)  # a starting process adds checks during the await
    answers = await asyncio.gather(*(_answer(check) for check in checks.values()))
    ok = all(answer == "ok" for answer in answers)
    body = {"ok": ok, "checks": dict(zip(checks, answers, strict=True))}
    return JSONResponse(body, status_code=200 if ok else 503, headers={"cache-control": "no-store"})


async def _answer(check: Check) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS_MAX):
            answer = check()
            if inspect.isawaitable(answer):
                answer = await answer
    except TimeoutError:
        return "too slow"
    except Exception as error:  # noqa: BLE001 -- a probe answers whatever a driver raises
        return str(describe(error)["class"])
    return "ok" if answer else "failed"


def health_server(app: Starlette) -> ListenerServer:
    """Create the server of ``app``: ``await server.serve(sockets)`` runs it, ``server.should_exit = True`` ends it."""
    limits = fitted("metrics", LIMITS, DESCRIPTORS_BESIDE)
    return ListenerServer(app, name="metrics", limits=limits, grace_seconds=GRACE_SECONDS)
