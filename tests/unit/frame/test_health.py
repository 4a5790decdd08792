"""The probes: each page has its checks, and never the text of an exception."""

import asyncio

import httpx
import pytest

from travelrule import health, metrics
from travelrule.health import Check, create_health, health_server
from travelrule.listener.bound_sockets import bind
from travelrule.settings import HostPort


async def get(path: str, live: dict[str, Check] | None = None, ready: dict[str, Check] | None = None) -> httpx.Response:
    transport = httpx.ASGITransport(create_health(live or {}, ready or {}))
    async with httpx.AsyncClient(transport=transport, base_url="http://role") as client:
        return await client.get(path)


async def yes() -> bool:
    return True


async def test_ready_when_every_check_says_yes() -> None:
    answer = await get("/readyz", ready={"database": yes, "broker": lambda: True})
    assert (answer.status_code, answer.json()) == (
        200,
        {"ok": True, "checks": {"database": "ok", "broker": "ok"}},
    )


async def test_a_check_that_is_added_while_the_others_answer_waits_for_the_next_probe() -> None:
    ready: dict[str, Check] = {}

    async def starting() -> bool:
        ready["broker"] = yes
        return True

    ready["started"] = starting
    assert (await get("/readyz", ready=ready)).json() == {"ok": True, "checks": {"started": "ok"}}
    assert set((await get("/readyz", ready=ready)).json()["checks"]) == {"started", "broker"}


async def test_not_ready_names_the_check_and_quotes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS_MAX", 0.01)

    async def raises() -> bool:
        raise ConnectionRefusedError("password hunter2 was refused")

    async def hangs() -> bool:
        await asyncio.Event().wait()
        return True

    answer = await get("/readyz", ready={"database": raises, "hub": hangs, "lists": lambda: False, "broker": yes})
    assert answer.status_code == 503
    assert answer.json()["checks"] == {
        "database": "ConnectionRefusedError",
        "hub": "too slow",
        "lists": "failed",
        "broker": "ok",
    }
    assert "hunter2" not in answer.text


async def test_live_has_checks_of_its_own() -> None:
    answer = await get("/livez", live={"intake": lambda: False}, ready={"database": yes})
    assert (answer.status_code, answer.json()["checks"]) == (503, {"intake": "failed"})
    assert (await get("/livez", live={"intake": yes}, ready={"database": lambda: False})).status_code == 200


async def test_metrics_in_both_text_forms() -> None:
    metrics.ALERTS_TOTAL.labels(code="COUNTERPARTY_UNREACHABLE").inc()
    plain = await get("/metrics")
    assert plain.headers["content-type"].startswith("text/plain")
    assert 'travelrule_alerts_total{code="COUNTERPARTY_UNREACHABLE"}' in plain.text
    transport = httpx.ASGITransport(create_health({}, {}))
    async with httpx.AsyncClient(transport=transport, base_url="http://role") as client:
        answer = await client.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")


async def test_it_is_served_and_ends_when_told() -> None:
    server = health_server(create_health({"intake": lambda: True}, {}))
    sockets = bind(HostPort("127.0.0.1", 0), "TRAVELRULE_METRICS_LISTEN")
    serving = asyncio.create_task(server.serve(sockets))
    async with asyncio.timeout(60):
        while not server.started:
            await asyncio.sleep(0.01)
        host, port = sockets[0].getsockname()
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"http://{host}:{port}/livez")
        server.should_exit = True
        await serving
    assert answer.status_code == 200
