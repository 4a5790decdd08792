"""A client with fixed keys and time, and a hub that is a function."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest

from travelrule.client.hub import HubClient
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


class Hub:
    """Answers with ``answer`` and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answer: Callable[[httpx.Request], httpx.Response] = lambda _: httpx.Response(200, json={})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)

    def says(self, status: int, **kwargs: object) -> None:
        self.answer = lambda _: httpx.Response(status, **kwargs)  # type: ignore[arg-type]


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def seen() -> list[tuple[str, str]]:
    return []


@pytest.fixture
async def client(hub: Hub, seen: list[tuple[str, str]]):
    one = HubClient(
        "http://hub.test/base/",
        "code:north",
        signer(),
        httpx.MockTransport(hub),
        clock=lambda: NOW,
        observe=lambda operation, outcome, _: seen.append((operation, outcome)),
    )
    yield one
    await one.aclose()
