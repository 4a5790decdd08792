"""HTTP requests at a server, all at once or at a steady pace, with the time that each one took."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

import aiohttp

AT_ONCE = 32
WAITING_MAX = 2000


@dataclass
class Measured:
    """What a run gave: seconds of each request, sorted, and of the whole."""

    seconds: list[float] = field(default_factory=list)
    whole: float = 0.0

    @property
    def per_second(self) -> float:
        """Requests per second."""
        return len(self.seconds) / self.whole


class Requests:
    """POSTs ``bodies`` in turn to ``url``; AssertionError if an answer is not as ``fits`` wants it.

    An answer that is ``late`` says that the server's time limit was over: that is slow, not broken. Its time counts
    as that of any other, and ``late`` of this object tells how many there were.
    """

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        bodies: Sequence[bytes],
        fits: Callable[[bytes], bool],
        *,
        late: Callable[[bytes], bool] = lambda _answer: False,
    ) -> None:
        self._url = url
        self._headers = {"content-type": "application/json", **headers}
        self._bodies = bodies
        self._fits = fits
        self._is_late = late
        self.late = 0

    async def closed(self, count: int) -> Measured:
        """``AT_ONCE`` requests are always on their way: as fast as the server can."""
        numbers = iter(range(count))
        measured = Measured()

        async def one_after_another(session: aiohttp.ClientSession) -> None:
            for number in numbers:
                began = perf_counter()
                await self._send(session, number)
                measured.seconds.append(perf_counter() - began)

        async with self._session() as session:
            began = perf_counter()
            await asyncio.gather(*(one_after_another(session) for _ in range(AT_ONCE)))
            measured.whole = perf_counter() - began
        measured.seconds.sort()
        return measured

    async def paced(self, per_second: float, count: int) -> Measured:
        """One request each 1/``per_second``, whatever became of those before. A request's time counts from the moment
        when it was due, so that a server that stands still does not hide the requests that it held up.
        """
        measured = Measured()

        async def one(session: aiohttp.ClientSession, number: int, due: float) -> None:
            await self._send(session, number)
            measured.seconds.append(perf_counter() - due)

        async with self._session() as session, asyncio.TaskGroup() as group:
            began = perf_counter()
            for number in range(count):
                due = began + number / per_second
                await asyncio.sleep(max(0.0, due - perf_counter()))  # the pace of the load
                group.create_task(one(session, number, due))
        measured.whole = perf_counter() - began
        measured.seconds.sort()
        return measured

    def _session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(limit=WAITING_MAX)
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())

    async def _send(self, session: aiohttp.ClientSession, number: int) -> None:
        body = self._bodies[number % len(self._bodies)]
        async with session.post(self._url, data=body, headers=self._headers) as answer:
            read = await answer.read()
            assert answer.status == 200, read
            if self._is_late(read):
                self.late += 1
            else:
                assert self._fits(read), read
