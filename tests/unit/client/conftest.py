"""A client with fixed keys and time, and a hub that is a function."""

from __future__ import annotations

import httpx
import pytest

from tests.support.hub_function import NOW, HubFunction, signer
from travelrule.client.hub import HubClient


@pytest.fixture
def hub() -> HubFunction:
    return HubFunction()


@pytest.fixture
def seen() -> list[tuple[str, str]]:
    return []


@pytest.fixture
async def client(hub: HubFunction, seen: list[tuple[str, str]]):
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
