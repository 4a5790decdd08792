"""A hub that is a function, and the fixed keys and time of its clients."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import httpx

from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing, SigningKey

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
OWN = SigningKey(bytes(range(32)))
PEER = SigningKey(bytes(range(1, 33)))


class Counter:
    """Nonces 1, 2, 3, ..."""

    def __init__(self) -> None:
        self.values = itertools.count(1)

    async def next(self) -> int:
        return next(self.values)


def signer() -> LocalSigner:
    return LocalSigner(KeyRing([OWN]), Counter(), lambda: NOW)


class HubFunction:
    """Answers with ``answer`` and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answer: Callable[[httpx.Request], httpx.Response] = lambda _: httpx.Response(200, json={})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)

    def says(self, status: int, **kwargs: object) -> None:
        self.answer = lambda _: httpx.Response(status, **kwargs)  # type: ignore[arg-type]
