"""Forms of events on the real broker: CloudEvents in binary mode, and traces that go in and come out."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from schemas.events.cloudevents import write_event
from tests.e2e.network import RealNetwork
from travelrule.commands.demo.scenarios import DemoStage, withdrawal

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]


def new_traceparent() -> str:
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


async def test_an_event_in_binary_mode(network: RealNetwork, stage: DemoStage) -> None:
    one, event_id = str(uuid4()), str(uuid4())
    headers = {
        "ce_specversion": "1.0",
        "ce_id": event_id,
        "ce_source": "/platform",
        "ce_type": "withdrawal.requested.v1",
        "ce_subject": one,
        "ce_time": "2026-11-20T09:00:00Z",
        "content-type": "application/json",
    }
    content = json.dumps(withdrawal(one)).encode()
    await stage.north.send_bytes("withdrawals", one, content, [(name, text.encode()) for name, text in headers.items()])
    await stage.north.verdict(one, "allow", "VERIFIED")
    query = "SELECT source, id, type FROM inputs WHERE subject = $1 AND type LIKE 'withdrawal.%'"
    (stored,) = await network.tables("north").rows(query, f"withdrawal:{one}")
    assert tuple(stored) == ("/platform", event_id, "withdrawal.requested.v1")


@pytest.mark.parametrize("where", ["event", "header"])
async def test_a_trace_reaches_the_hub_and_the_verdict(where: str, network: RealNetwork, stage: DemoStage) -> None:
    one, trace = str(uuid4()), new_traceparent()
    value = write_event(
        type="withdrawal.requested.v1",
        source="/platform",
        id=str(uuid4()),
        subject=one,
        time=datetime.now(UTC),
        data=withdrawal(one),
        traceparent=trace if where == "event" else None,
    )
    headers = [] if where == "event" else [("traceparent", trace.encode())]
    await stage.north.send_bytes("withdrawals", one, value, headers)
    await stage.north.verdict(one, "allow", "VERIFIED")

    # Whether the wallet is rated again depends on the earlier requests.
    rating = "wallet-screening"
    calls = [entry for entry in network.journal() if entry["traceparent"] == trace and entry["operation"] != rating]
    assert [entry["operation"] for entry in calls] == ["address-search", "transfer-authorization"]
    ours = [record for record in await network.records("north", "verdicts") if record.key == one.encode()]
    # A member that is down for a moment on a busy machine makes a hold before the allow: each verdict has the trace.
    assert {(record.event["traceparent"], record.header("traceparent")) for record in ours} == {(trace, trace)}


async def test_the_hub_passes_the_trace_on_to_the_other_side(network: RealNetwork, stage: DemoStage) -> None:
    """What south says about the exchange carries the trace of north's platform."""
    one, trace = str(uuid4()), new_traceparent()
    event = {
        "type": "withdrawal.requested.v1",
        "source": "/platform",
        "id": str(uuid4()),
        "subject": one,
        "time": datetime.now(UTC),
        "data": withdrawal(one),
    }
    await stage.north.send_bytes("withdrawals", one, write_event(**event, traceparent=trace))  # type: ignore[arg-type]
    verdict = await stage.north.verdict(one, "allow", "VERIFIED")
    key = f"north/{verdict.data['transferId']}".encode()
    said = [record for record in await network.records("south", "exchanges") if record.key == key]
    assert [record.event.get("traceparent") for record in said] == [trace]
