"""Whether this machine can listen on the addresses of the settings, or already does."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from travelrule.commands.doctor.check import Check
from travelrule.environment import PREFIX
from travelrule.errors import AddressUnavailable
from travelrule.gateway.tls import Tls, server_context
from travelrule.listener.bound_sockets import bind
from travelrule.setting_types import HostPort
from travelrule.settings import Settings

ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}

ASK_SECONDS = 5.0
OK, NOT_NOW = 200, 503
"""The status codes of M8."""


async def metrics_listener(settings: Settings) -> Check:
    """The address of ``/metrics``, ``/livez`` and ``/readyz``."""
    where = settings.metrics_listen
    return await _listener("metrics listener", "METRICS_LISTEN", where, lambda: _is_probe(where))


async def gateway_listener(settings: Settings) -> Check:
    """The address of the member endpoints, and the files of its TLS."""
    server_context(Tls.of(settings))
    where = settings.gateway_listen
    return await _listener("gateway listener", "GATEWAY_LISTEN", where, lambda: _is_gateway(settings))


async def _listener(name: str, setting: str, where: HostPort, is_ours: Callable[[], Awaitable[bool]]) -> Check:
    try:
        for one in await asyncio.to_thread(bind, where, PREFIX + setting):
            one.close()
    except AddressUnavailable as error:
        if error.taken and await is_ours():
            return Check(name, ok=True, detail=f"{where}, a running process of this program serves there")
        return Check(
            name, ok=False, detail=f"cannot listen on {where}: {error.reason}", fix=f"{PREFIX}{setting}: {error.fix}"
        )
    return Check(name, ok=True, detail=f"{where}, free")


async def _is_probe(where: HostPort) -> bool:
    answer = await _asked(where, "/livez")
    return answer is not None and answer[1].keys() == {"ok", "checks"}


async def _is_gateway(settings: Settings) -> bool:
    """Whether a gateway listens there: it answers M8, or presents its certificate. If it accepts neither this machine
    nor a connection without a client certificate, the probe on ``METRICS_LISTEN`` decides.
    """
    where = settings.gateway_listen
    if settings.gateway_tls_certificate_file is not None:
        shown = await _certificate(where)
        if shown is None:
            return await _is_probe(settings.metrics_listen)
        return shown.strip() in settings.gateway_tls_certificate_file.read_text(encoding="utf-8")
    answer = await _asked(where, "/v1/vasp/health")
    if answer is None:
        return await _is_probe(settings.metrics_listen)
    status, body = answer
    return body.get("status") == "up" if status == OK else status == NOT_NOW and "errorType" in body


async def _asked(where: HostPort, path: str) -> tuple[int, dict[str, Any]] | None:
    """Status and JSON object of an answer, empty if it is none; None if the connection is refused or closed."""
    url = f"http://{_reachable(where)}{path}"
    try:
        async with (
            asyncio.timeout(ASK_SECONDS),
            aiohttp.ClientSession(trust_env=False) as session,
            session.get(url) as answer,
        ):
            body = await answer.json(content_type=None)
            return answer.status, body if isinstance(body, dict) else {}
    except TimeoutError:
        return 0, {}
    except (aiohttp.ClientConnectionError, OSError):
        return None
    except (aiohttp.ClientError, ValueError):
        return 0, {}


async def _certificate(where: HostPort) -> str | None:
    """The certificate presented there, PEM; no request is sent.

    ``ssl.get_server_certificate`` leaks its socket if the peer resets the connection before the handshake.
    """
    host = _reachable(where)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # it is compared with our own file
    try:
        async with asyncio.timeout(ASK_SECONDS):
            _, writer = await asyncio.open_connection(host.host, host.port, ssl=context)
    except OSError:  # TimeoutError and ssl.SSLError are OSErrors
        return None
    presented = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.transport.abort()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return ssl.DER_cert_to_PEM_cert(presented) if presented else None


def _reachable(where: HostPort) -> HostPort:
    return HostPort(ANY.get(where.host, where.host), where.port)
