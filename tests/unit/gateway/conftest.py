"""A gateway in memory for every test of the room."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.gateway_scene import GatewayScene


@pytest.fixture
def scene() -> GatewayScene:
    return GatewayScene()


@pytest.fixture(autouse=True)
async def _close(scene: GatewayScene) -> AsyncIterator[None]:
    yield
    if scene.client is not None:
        await scene.client.aclose()
