"""Searches from the call to the callback: the path that the hub gets, the row, and what a callback makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import orjson
import pytest
from sqlalchemy import select

from schemas.hub.bodies import CoinNetworks
from schemas.operations import CALLED_BACK
from tests.support.gateway_installation import NOW, OWN, XRP, GatewayInstallation, event, withdrawal
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.calls.call_executor import AttemptResult, CallExecutor, Postpone
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.store import tables
from travelrule.store.call_rows import CallItem, CallRepository

SUBJECT = "withdrawal:out-1"


class Counter:
    """Nonces."""

    value = 0

    async def next(self) -> int:
        self.value += 1
        return self.value


class Hub:
    """Answers with ``answer`` and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.answer: Callable[[httpx.Request], httpx.Response] = lambda _: httpx.Response(
            200, json={"result": "SUCCESS", "requestId": "x"}
        )
        self.client = HubClient(
            "http://hub.test",
            "code:south",
            LocalSigner(KeyRing([OWN]), Counter(), lambda: NOW),
            httpx.MockTransport(self),
        )

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)

    @property
    def body(self) -> dict[str, Any]:
        return dict(orjson.loads(self.requests[-1].content))


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    one = Hub()
    yield one
    await one.client.aclose()


def calling(installation: GatewayInstallation, hub: Hub, searches: CallbackUrls | None) -> CallExecutor:
    return CallExecutor(
        installation.vault,
        hub.client,
        CounterpartyDirectory(installation.directory, hub.client, lambda: installation.now),
        KeyRing([OWN]),
        lambda: installation.rules,
        lambda: installation.now,
        searches=searches,
    )


async def started(installation: GatewayInstallation) -> CallItem:
    """A withdrawal of unknown destination: its first call is the wallet search."""
    await installation.submit(event("withdrawal.requested.v1", withdrawal(), SUBJECT))
    return await due(installation)


async def due(installation: GatewayInstallation, seconds: float = 0) -> CallItem:
    until = installation.now + timedelta(seconds=seconds + 60)
    claimed = await CallRepository(installation.database, "south", "me").claim(
        10, 10, {}, installation.now + timedelta(seconds=seconds), until
    )
    (call,) = claimed
    return call


async def tokens(installation: GatewayInstallation) -> list[Any]:
    async with installation.database.read() as connection:
        return list((await connection.execute(select(tables.searches))).all())


def report(attempt: AttemptResult) -> CallResult:
    assert isinstance(attempt.next_step, CallResult)
    return attempt.next_step


async def test_a_wallet_search_is_sent_without_a_counterparty(installation: GatewayInstallation, hub: Hub) -> None:
    await installation.directory.store_networks(
        CoinNetworks.model_validate({"coinNetworks": [{"coin": "XRP", "networkList": [{"network": "XRP"}]}]}),
        NOW,
    )
    call = await started(installation)
    assert (call.operation, call.target) == ("wallet-search", "")
    attempt = await calling(installation, hub, installation.searches).attempt(call, 0.0)
    assert (report(attempt).outcome, report(attempt).target) == ("answered", "")
    (request,) = hub.requests
    assert (request.method, request.url.path) == ("POST", "/v2/code/VerifyAddress")
    assert hub.body["addressNumber"] == f"{XRP}:77001"
    assert "X-Code-Req-Remote-PubKey" not in request.headers
    (row,) = await tokens(installation)
    assert (row.operation, row.request_id, row.subject) == ("wallet-search", hub.body["requestId"], SUBJECT)
    assert hub.body["callbackUrl"] == f"https://vasp.test/hooks/callbacks/wallet-search/{bytes(row.token).hex()}"


async def test_a_repeat_has_the_same_url_and_no_second_row(installation: GatewayInstallation, hub: Hub) -> None:
    """The hub takes the same request id again only with the same content (hub-api.md section 10)."""
    hub.answer = lambda _: httpx.Response(500, json={"errorType": "CODE_SERVER_INTERNAL_ERROR"})
    call = await started(installation)
    first = await calling(installation, hub, installation.searches).attempt(call, 0.0)
    assert isinstance(first.next_step, Postpone)
    assert not first.reached
    url = hub.body["callbackUrl"]
    again = replace(call, tries=1, note=first.next_step.note or "")
    await calling(installation, hub, installation.searches_at("https://vasp.test/hooks/")).attempt(again, 0.0)
    assert hub.body["callbackUrl"] == url
    assert len(await tokens(installation)) == 1


@pytest.mark.parametrize(
    ("public_url", "called_back"),
    [
        (None, False),
        ("http://vasp.test", False),
        ("http://10.1.2.3", False),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("http://localhost:8080", True),
        ("https://10.1.2.3", True),
    ],
)
async def test_a_url_that_the_hub_would_refuse_is_not_sent(
    installation: GatewayInstallation, hub: Hub, public_url: str | None, *, called_back: bool
) -> None:
    attempt = await calling(installation, hub, installation.searches_at(public_url)).attempt(
        await started(installation), 0.0
    )
    assert report(attempt).outcome == "answered"
    assert ("callbackUrl" in hub.body) is called_back
    assert len(await tokens(installation)) == int(called_back)


async def test_the_result_is_asked_for_by_its_id(installation: GatewayInstallation, hub: Hub) -> None:
    caller = calling(installation, hub, None)
    call = await started(installation)
    attempt = await caller.attempt(call, 0.0)
    assert "callbackUrl" not in hub.body
    request_id = hub.body["requestId"]
    await deliver(installation, call, attempt)
    processing = {"result": "invalid", "reasonType": "PROCESSING", "requestId": request_id}
    hub.answer = lambda _: httpx.Response(200, json=processing)
    later = await due(installation, 600)
    assert later.operation == "wallet-search-result"
    result = report(await caller.attempt(later, 0.0))
    assert (hub.requests[-1].method, hub.requests[-1].url.path) == ("GET", f"/v2/code/VerifyAddress/{request_id}")
    assert hub.requests[-1].content == b""
    assert (result.outcome, result.message_code) == ("answered", "PROCESSING")


async def deliver(installation: GatewayInstallation, call: CallItem, attempt: AttemptResult) -> None:
    said = report(attempt)
    content = said.model_dump_json(by_alias=True).encode()
    await installation.submit(
        Input("/hub", call.id, f"call.{said.outcome}", SUBJECT, installation.now, said, content, uuid4())
    )


async def test_a_callback_makes_us_ask_now(installation: GatewayInstallation, hub: Hub) -> None:
    call = await started(installation)
    await deliver(installation, call, await calling(installation, hub, installation.searches).attempt(call, 0.0))
    path = httpx.URL(hub.body["callbackUrl"]).path.removeprefix("/hooks")
    invented = {"result": "valid", "requestId": hub.body["requestId"], "beneficiaryVaspEntityId": "thief"}
    async with installation.gateway() as client:
        answer = await client.post(path, json=invented)
        assert (answer.status_code, answer.json()) == (200, {"result": "ok"})
        call = await due(installation)
        assert call.operation == "wallet-search-result"
        # Repeated callbacks lead to at most one request a second.
        await asyncio.gather(*(client.post(path, json={}) for _ in range(10)))
        again = await client.post(path.replace("wallet-search", "txid-search"), json=invented)
        assert again.status_code == 404
        unknown = await client.post(path[:-32] + "0" * 32, json=invented)
        assert unknown.status_code == 404
    async with installation.database.read() as connection:
        inputs = (await connection.execute(select(tables.inputs.c.type))).scalars().all()
    assert inputs.count("search.called-back") == 1


async def test_processes_share_what_was_heard_in_a_second(installation: GatewayInstallation, hub: Hub) -> None:
    await calling(installation, hub, installation.searches).attempt(await started(installation), 0.0)
    path = httpx.URL(hub.body["callbackUrl"]).path.removeprefix("/hooks")
    for _ in range(3):
        async with installation.gateway() as client:
            assert (await client.post(path, json={})).status_code == 200
    async with installation.database.read() as connection:
        inputs = (await connection.execute(select(tables.inputs.c.type))).scalars().all()
    assert inputs.count("search.called-back") == 1


async def test_tokens_depend_on_key_operation_and_id(installation: GatewayInstallation) -> None:
    urls = [
        await installation.searches.expect_callback(operation, request_id, SUBJECT)
        for operation in CALLED_BACK
        for request_id in ("r-1", "r-2")
    ]
    assert len({str(url).rpartition("/")[2] for url in urls}) == 2 * len(CALLED_BACK)
    assert await installation.searches.expect_callback("status-search", "r-1", SUBJECT) is None
    token = str(urls[0]).rpartition("/")[2]
    found = await installation.searches.find("txid-search", token)
    assert found is not None
    assert (found.request_id, found.subject) == ("r-1", SUBJECT)
    for wrong in (token.upper(), token[:-1], f"{token}0", "", "é" * 32, f"{token}\n"):
        assert await installation.searches.find("txid-search", wrong) is None, wrong
    assert await installation.searches.find("wallet-search", token) is None
