"""How often one member may ask: its own requests count, those that merely name it do not, and a search for customers
ends.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.support.gateway_scene import (
    BTC,
    HEADERS,
    OTHER,
    GatewayScene,
    beneficiary,
    box,
    key,
    name,
    transfer,
    without,
)
from travelrule.gateway import rates
from travelrule.gateway.rates import MemberRates, Rates
from travelrule.listener.token_buckets import MemoryBuckets
from travelrule.metrics import REGISTRY
from travelrule.policy.policy import HUB_ENTITY

VERIFY = "/v1/beneficiary/VerifyAddress"


class Alerts:
    def __init__(self) -> None:
        self.raised: list[tuple[str, str]] = []

    async def __call__(self, subject: str, alert: Any) -> None:
        self.raised.append((subject, alert.code))


def limited(scene: GatewayScene, **changes: int) -> tuple[MemoryBuckets, Alerts]:
    """Open the gateway with small rates."""
    buckets, alerts = MemoryBuckets(), Alerts()
    of_member = MemberRates(
        Rates(**{"requests": 6, "searches": 3, "misses": 2, **changes}), lambda: scene.now, buckets, alerts
    )
    scene.open(rates=of_member, verify_deadline_s=600)
    return buckets, alerts


async def search(scene: GatewayScene, number: str = BTC, persons: Any = (), headers: Any = None) -> httpx.Response:
    body = {"currency": "BTC", "payload": box(beneficiary(number, persons=persons))}
    return await scene.send("POST", VERIFY, body, headers)


def is_limited(answer: httpx.Response) -> bool:
    if answer.status_code == 200:
        return False
    assert answer.json() == {
        "errorType": "VASP_BACKEND_INTERNAL_ERROR",
        "errorMsg": "too many requests of this VASP; repeat it later",
    }
    assert int(answer.headers["retry-after"]) > 0
    return True


def counted(operation: str, rate: str) -> float:
    return (
        REGISTRY.get_sample_value("travelrule_gateway_limited_total", {"operation": operation, "reason": rate}) or 0.0
    )


async def test_searches_have_a_rate_and_retry_after_is_when_the_next_one_is_answered(scene: GatewayScene) -> None:
    limited(scene)
    before = counted("address-search", "searches")
    answers = [await search(scene) for _ in range(4)]
    assert [is_limited(answer) for answer in answers] == [False, False, False, True]
    assert counted("address-search", "searches") == before + 1
    scene.now += timedelta(seconds=int(answers[-1].headers["retry-after"]))
    assert not is_limited(await search(scene))
    assert is_limited(await search(scene))


async def test_all_operations_together_have_a_rate(scene: GatewayScene) -> None:
    limited(scene, requests=2)
    assert not is_limited(await search(scene))
    assert not is_limited(await scene.authorize())
    assert is_limited(await scene.authorize(transferId="t-2"))
    assert is_limited(await search(scene))
    assert is_limited(await scene.request_data())


async def test_a_search_for_customers_ends_and_those_who_find_theirs_go_on(scene: GatewayScene) -> None:
    scene.directory.add("other", key(OTHER))
    limited(scene, searches=1000, requests=1000, misses=5)
    found = [await search(scene) for _ in range(50)]
    assert all(answer.json()["result"] == "valid" for answer in found)
    asked = [await search(scene, f"bc1q{number}") for number in range(20)]
    assert [is_limited(answer) for answer in asked] == [False] * 5 + [True] * 15
    assert is_limited(await search(scene)), "what would be found is not told either"
    headers = {**HEADERS, "X-Request-Origin": "code:other", "X-Code-Req-PubKey": OTHER.public_base64}
    body = {"currency": "BTC", "payload": box(beneficiary(BTC), own=OTHER)}
    assert not is_limited(await scene.send("POST", VERIFY, body, headers)), "another member is not concerned"


async def test_a_search_for_names_ends(scene: GatewayScene) -> None:
    limited(scene, searches=1000, requests=1000, misses=5)
    guesses = [name(last, "Erik") for last in ("Berg", "Lund", "Holm", "Dahl", "Moe", "Vik", "Lind")]
    answers = [await search(scene, persons=[guess]) for guess in guesses]
    assert [is_limited(answer) for answer in answers] == [False] * 5 + [True] * 2


async def test_authorizations_are_no_way_around(scene: GatewayScene) -> None:
    limited(scene, searches=1000, requests=1000, misses=5)
    answers = [await scene.authorize(transfer(to=f"bc1q{number}"), transferId=f"t-{number}") for number in range(7)]
    assert [is_limited(answer) for answer in answers] == [False] * 5 + [True] * 2
    assert is_limited(await search(scene))
    assert len(scene.intake.items) == 5


async def test_what_is_asked_at_once_is_paid_for_afterwards(scene: GatewayScene) -> None:
    limited(scene, searches=10_000, requests=10_000, misses=60)
    scene.reads.gate = asyncio.Event()
    asking = [asyncio.create_task(search(scene, f"bc1q{number}")) for number in range(300)]
    async with asyncio.timeout(30):
        while len(scene.reads.asked) < 2:
            await asyncio.sleep(0.001)
    scene.reads.gate.set()
    answers = await asyncio.gather(*asking)
    misses = sum(not is_limited(answer) for answer in answers)
    scene.now += timedelta(seconds=misses - 60)
    assert is_limited(await search(scene))
    scene.now += timedelta(seconds=1)
    assert not is_limited(await search(scene))


@pytest.mark.parametrize(
    "forged",
    [
        {"payload": box(beneficiary("stranger"), own=OTHER)},
        {"payload": "AAAA"},
        {"payload": box({"Beneficiary": 7}, own=OTHER)},
        {"currency": None},
    ],
)
async def test_who_merely_names_a_member_neither_uses_its_rate_up_nor_resets_it(
    scene: GatewayScene, forged: dict[str, Any]
) -> None:
    buckets, _ = limited(scene)
    for _ in range(20):
        body = {"currency": "BTC", "payload": box(beneficiary("stranger")), **forged}
        assert (await scene.send("POST", VERIFY, body)).status_code == 503
    assert len(buckets) == 0
    assert [is_limited(await search(scene)) for _ in range(4)] == [False, False, False, True]
    for number in range(20):
        stranger = {**HEADERS, "X-Request-Origin": f"code:stranger-{number}"}
        await search(scene, headers=stranger)
        await scene.send("POST", VERIFY, {"currency": "BTC", **forged})
    assert is_limited(await search(scene))


async def test_a_clear_request_in_a_members_name_does_not_touch_its_sealed_ones(scene: GatewayScene) -> None:
    limited(scene, requests=3, searches=3)
    for headers in (without("X-Code-Req-PubKey"), HEADERS):
        answers = [await scene.status(headers=headers) for _ in range(5)]
        codes = [answer.json()["errorType"] for answer in answers]
        assert codes == ["UNKNOWN_TRANSFER_ID"] * 3 + ["VASP_BACKEND_INTERNAL_ERROR"] * 2
    assert not is_limited(await search(scene))


async def test_outsiders_share_one_bucket(scene: GatewayScene) -> None:
    buckets, _ = limited(scene, requests=3, searches=3)
    outsiders = [{**HEADERS, "X-Request-Origin": f"code:outsider-{number}"} for number in range(5)]
    answers = [await search(scene, headers=headers) for headers in outsiders]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 503, 503]
    assert len(buckets) == 2
    assert not is_limited(await search(scene))


async def test_the_hub_itself_is_never_refused(scene: GatewayScene) -> None:
    limited(scene)
    hub = {**HEADERS, "X-Request-Origin": f"code:{HUB_ENTITY}"}
    assert not any([is_limited(await search(scene, "stranger", headers=hub)) for _ in range(20)])


async def test_names_cost(scene: GatewayScene) -> None:
    limited(scene, searches=12, requests=100, misses=100)
    many = [name("Lind", "Erik")] * 100
    assert not is_limited(await search(scene, persons=many))
    assert not is_limited(await search(scene))
    assert is_limited(await search(scene))


async def test_a_refused_body_is_not_read(scene: GatewayScene) -> None:
    limited(scene)
    for _ in range(3):
        await search(scene)
    app = scene.client._transport.app  # type: ignore[union-attr]
    sent: list[Any] = []

    async def receive() -> Any:
        raise AssertionError("read")

    async def send(message: Any) -> None:
        sent.append(message)

    for origin in (b"code:north", b"", b"no origin"):
        named = [(header.lower().encode(), value.encode()) for header, value in HEADERS.items()]
        headers = [(b"content-type", b"application/json"), *named[1:], (b"x-request-origin", origin)]
        scope = {
            "type": "http", "method": "POST", "path": VERIFY, "headers": headers, "query_string": b"",
            "client": ("127.0.0.1", 1), "root_path": "", "scheme": "http", "server": ("x", 1), "http_version": "1.1",
        }  # fmt: skip
        await app(scope, receive, send)
    assert [message["status"] for message in sent if "status" in message] == [503] * 3


async def test_a_burst_is_no_alert_and_a_member_that_goes_on_is_one(scene: GatewayScene) -> None:
    _, alerts = limited(scene)

    async def pressed(minutes: int) -> None:
        for _ in range(minutes):
            scene.now += timedelta(minutes=1)
            while not is_limited(await search(scene)):
                pass

    await pressed(9)
    scene.now += rates.PAUSE + timedelta(seconds=1)
    await pressed(9)
    assert alerts.raised == []
    await pressed(30)
    await asyncio.sleep(0)
    assert alerts.raised == [("vasp:north", "MEMBER_RATE_LIMITED")]


async def test_zero_is_no_limit(scene: GatewayScene) -> None:
    limited(scene, requests=0, searches=0, misses=0)
    assert not any([is_limited(await search(scene, "stranger")) for _ in range(50)])


def test_the_defaults_are_those_of_the_settings() -> None:
    from travelrule.settings import Settings

    settings = Settings()
    given = (settings.gateway_request_rate, settings.gateway_search_rate, settings.gateway_miss_rate)
    assert Rates() == Rates(*given)
