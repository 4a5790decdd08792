"""A proxy between one process and the hub: it passes everything on, records each answer, and falsifies some.

What is recorded here is judged afterwards: an allow must rest on an answer that reached the process as the hub gave it.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
import orjson
from aiohttp import web
from yarl import URL

AUTHORIZATION = "/v1/code/transfer/"
FALSIFIED_MOST = 2
"""Of one transfer: the process asks three times before it gives the exchange up."""
DRIP_SECONDS = 0.2
_OF_THE_CONNECTION = {"host", "connection", "keep-alive", "transfer-encoding", "content-length"}

Sort = Literal["crossed", "echoed", "cut", "dripped"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one process was answered. ``sort`` is empty for what arrived as the hub gave it."""

    vasp: str
    path: str
    transfer_id: str
    status: int
    result: str
    sort: str = ""

    @property
    def authorizes(self) -> bool:
        """Whether the process may act on it as verified."""
        return not self.sort and self.status == 200 and self.result == "verified" and is_authorization(self.path)


@dataclass
class Falsification:
    """A ``share`` of the answers becomes ``sort``. ``others``: by VASP and path, true answers to other transfers."""

    sort: Sort
    rng: random.Random
    share: float
    others: dict[tuple[str, str], list[bytes]] = field(default_factory=dict)


def is_authorization(path: str) -> bool:
    """``/v1/code/transfer/{target}``, and none of the paths below it."""
    return path.startswith(AUTHORIZATION) and "/" not in path.removeprefix(AUTHORIZATION)


class AnswerLog:
    """The answers of all processes, and what is falsified at present."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.verified: dict[str, tuple[tuple[str, str], bytes]] = {}
        """The true verified answer of each transfer, with the VASP that got it and the path that names the other."""
        self.falsification: Falsification | None = None
        self._falsified: Counter[str] = Counter()

    def choice(self, vasp: str, path: str, transfer_id: str, result: str) -> Falsification | None:
        """Whether this answer is falsified."""
        strike = self.falsification
        if strike is None or not transfer_id or self._falsified[transfer_id] >= FALSIFIED_MOST:
            return None
        if strike.sort in ("crossed", "echoed") and not (is_authorization(path) and result == "verified"):
            return None
        if (strike.sort == "crossed" and not strike.others.get((vasp, path))) or strike.rng.random() >= strike.share:
            return None
        self._falsified[transfer_id] += 1
        return strike


class AnswerProxy:
    """The proxy of one process."""

    def __init__(self, vasp: str, port: int, hub_url: str, log: AnswerLog) -> None:
        self._vasp = vasp
        self._port = port
        self._hub_url = hub_url
        self._log = log
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen."""
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        limit = aiohttp.ClientTimeout(total=None)
        self._session = aiohttp.ClientSession(connector=connector, timeout=limit, auto_decompress=False)
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()

    async def stop(self) -> None:
        """Close every connection."""
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        assert self._session is not None
        asked = await request.read()
        headers = {name: text for name, text in request.headers.items() if name.lower() not in _OF_THE_CONNECTION}
        url = URL(self._hub_url + request.raw_path, encoded=True)
        try:
            async with self._session.request(
                request.method, url, data=asked or None, headers=headers, allow_redirects=False
            ) as answer:
                body = await answer.read()
        except (aiohttp.ClientError, OSError):
            return _hung_up(request)  # as the hub did
        question, given = _fields(asked), _fields(body)
        transfer_id, result = str(question.get("transferId", "")), str(given.get("result", "")).lower()
        strike = self._log.choice(self._vasp, request.path, transfer_id, result)
        sort = strike.sort if strike else ""
        self._log.answers.append(Answer(self._vasp, request.path, transfer_id, answer.status, result, sort))
        if not sort and result == "verified" and is_authorization(request.path):
            self._log.verified[transfer_id] = (self._vasp, request.path), body
        if strike is not None and strike.sort == "crossed":
            body = _crossed(strike, strike.others[self._vasp, request.path], transfer_id)
        if strike is not None and strike.sort == "echoed":
            body = orjson.dumps(given | {"payload": question.get("payload")})
        kept = {name: text for name, text in answer.headers.items() if name.lower() not in _OF_THE_CONNECTION}
        if strike is not None and strike.sort in ("cut", "dripped"):
            return await _broken(request, web.StreamResponse(status=answer.status, headers=kept), body, strike.sort)
        return web.Response(status=answer.status, headers=kept, body=body)


def _crossed(strike: Falsification, others: list[bytes], transfer_id: str) -> bytes:
    """An answer of the same VASP to another transfer: as it is, or under this one's id."""
    other = strike.rng.choice(others)
    return other if strike.rng.random() < 0.5 else orjson.dumps(_fields(other) | {"transferId": transfer_id})


async def _broken(request: web.Request, response: web.StreamResponse, body: bytes, sort: str) -> web.StreamResponse:
    """Half of the body and then nothing, or the body byte by byte until the process has enough of it."""
    response.content_length = len(body)
    try:
        await response.prepare(request)
        if sort == "cut":
            await response.write(body[: len(body) // 2])
        else:
            for place in range(len(body) - 1):
                await response.write(body[place : place + 1])
                await asyncio.sleep(DRIP_SECONDS)
    except ConnectionError:
        return response
    return _hung_up(request)


def _hung_up(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _fields(body: bytes) -> dict[str, Any]:
    try:
        read = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return read if isinstance(read, dict) else {}
