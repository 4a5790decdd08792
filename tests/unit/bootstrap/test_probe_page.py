"""The probes of the exchange service: they live as long as what they watch."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from tests.services.ports import free_port
from travelrule.bootstrap.probe_page import serve_with_probes
from travelrule.errors import AddressUnavailable, UsageError
from travelrule.hub.runtime.server import OnStarted
from travelrule.setting_types import HostPort

PATIENCE_SECONDS = 60.0


class Service:
    """Listens when it may, ends when it is told to."""

    def __init__(self) -> None:
        self.listens, self.ends = asyncio.Event(), asyncio.Event()
        self.cancelled = False
        self.failure: Exception | None = None

    async def serve(self, started: OnStarted) -> None:
        try:
            await self.listens.wait()
            started(HostPort("127.0.0.1", 1))
            await self.ends.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if self.failure is not None:
            raise self.failure


async def status(url: str) -> int:
    """The status of a page, once it answers."""
    async with asyncio.timeout(PATIENCE_SECONDS), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(url) as answer:
                    return answer.status
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


@pytest.fixture
def port() -> int:
    return free_port()


async def test_ready_means_that_the_service_listens_and_the_page_ends_with_it(port: int) -> None:
    service = Service()
    running = asyncio.create_task(serve_with_probes(f"127.0.0.1:{port}", service.serve))
    root = f"http://127.0.0.1:{port}"
    assert [await status(f"{root}/{page}") for page in ("livez", "readyz", "metrics")] == [200, 503, 200]
    service.listens.set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await status(f"{root}/readyz") != 200:
            await asyncio.sleep(0.01)
    service.ends.set()
    await running
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(f"{root}/livez")


async def test_a_service_that_fails_is_not_hidden_by_its_page(port: int) -> None:
    service = Service()
    service.failure = AddressUnavailable("--listen", "127.0.0.1:1", "in use", "take another port")
    service.listens.set()
    service.ends.set()
    with pytest.raises(AddressUnavailable, match="in use"):
        await serve_with_probes(f"127.0.0.1:{port}", service.serve)


async def test_a_cancelled_page_cancels_the_service(port: int) -> None:
    service = Service()
    running = asyncio.create_task(serve_with_probes(f"127.0.0.1:{port}", service.serve))
    assert await status(f"http://127.0.0.1:{port}/livez") == 200
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert service.cancelled


@pytest.mark.parametrize("listen", ["nonsense", "127.0.0.1:99999", ":x"])
async def test_a_text_that_is_no_address_names_the_option(listen: str) -> None:
    with pytest.raises(UsageError, match="--metrics-listen"):
        await serve_with_probes(listen, Service().serve)


async def test_without_an_address_only_the_service_runs() -> None:
    service = Service()
    service.listens.set()
    service.ends.set()
    before = len(asyncio.all_tasks())
    await serve_with_probes(None, service.serve)
    assert (service.cancelled, len(asyncio.all_tasks())) == (False, before)
