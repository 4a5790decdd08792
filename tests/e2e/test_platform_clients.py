"""The platform clients in Java, Node.js and Python against a running VASP: killed, started again, all redelivered."""

from __future__ import annotations

import json
import signal
from collections import defaultdict
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.partitioner import murmur2

from schemas.registry import PARTITIONS_REAL
from tests.e2e.network import RealNetwork, until
from tests.e2e.platform_clients import LANGUAGES, PlatformClient
from travelrule.commands.demo.scenarios import ADDRESS, ERIK, TAG, WRONG, DemoStage, new_txid, withdrawal

pytestmark = [pytest.mark.services, pytest.mark.operations, pytest.mark.asyncio(loop_scope="session")]

MONEY_LEFT = "sign-and-broadcast"
INPUTS = ("withdrawals", "txids", "deposits")
EVENTS_SENT = 5 + 1 + 1 + 2 + 1
"""Orders, a confirmation, an amendment, broadcasts, a settlement."""
ENDED = {0, 128 + signal.SIGTERM}
"""The exit code after SIGTERM: a JVM keeps the number of the signal."""


def order(folder: Path, events: list[tuple[str, dict[str, Any]]], **answers: Any) -> Path:
    path = folder / f"{uuid4()}.json"
    content = {"events": [{"type": kind, "data": data} for kind, data in events], "answers": answers}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def orders(folder: Path, ids: dict[str, str]) -> list[Path]:
    """A withdrawal that is verified, one whose name the customer corrects, one that is denied, one that stays on hold,
    and a deposit for an operator.
    """
    requested = "withdrawal.requested.v1"
    tagless = {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": "404"}
    unknown = {"kind": "unknown", "address": ADDRESS, "tag": TAG}
    seen = {
        "depositId": ids["deposit"],
        "txid": new_txid(),
        "currency": "XRP",
        "network": "XRP",
        "amount": "1",
        "address": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh",
    }
    confirmed = {"depositId": ids["deposit"]}
    corrected = {"beneficiary-name": {"beneficiary": ERIK}}
    return [
        order(folder, [(requested, withdrawal(ids["verified"]))]),
        order(folder, [(requested, withdrawal(ids["corrected"], beneficiary=WRONG))], **corrected),
        order(folder, [(requested, {**withdrawal(ids["denied"]), "destination": tagless})]),
        order(folder, [(requested, {**withdrawal(ids["held"]), "destination": unknown})]),
        order(folder, [("deposit.detected.v1", seen), ("deposit.confirmed.v1", confirmed)]),
    ]


async def is_behind(bootstrap: str, topic: str, group: str) -> bool:
    """Whether a group has records of a topic left that it has not committed."""
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=None)
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await consumer.start()
    await admin.start()
    try:
        ends = await consumer.end_offsets(list(consumer.assignment()))
        committed = await admin.list_consumer_group_offsets(group)
    finally:
        await admin.close()
        await consumer.stop()
    return any(
        end and (partition not in committed or committed[partition].offset < end) for partition, end in ends.items()
    )


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_client_acts_once_on_each_verdict(language: str, network: RealNetwork, tmp_path: Path) -> None:
    ids = {name: str(uuid4()) for name in ("verified", "corrected", "denied", "held", "deposit")}
    prefix, group = network.north.topic_prefix, f"platform-{uuid4()}"
    client = PlatformClient(language, network.bootstrap, prefix, tmp_path, group)
    try:
        await play(client, network, ids)
        await redeliver_everything(client)
    finally:
        await client.end(signal.SIGKILL)
    await check_inputs(network, ids)


async def play(client: PlatformClient, network: RealNetwork, ids: dict[str, str]) -> None:
    """Run the orders; kill the client when the first coins have left, and start it again."""
    await client.start(*orders(client.folder, ids))
    await client.until(lambda: MONEY_LEFT in str(client.lines("verdict")), "coins left")
    assert await client.end(signal.SIGKILL) == -signal.SIGKILL
    await client.start()
    held = {ids["held"], ids["deposit"]}
    await client.until(lambda: held <= {line["key"] for line in client.lines("verdict")}, "two are on hold")
    data = {"subject": f"deposit:{ids['deposit']}", "decision": "allow", "actor": "operator-1", "reason": "checked"}
    await DemoStage(network).north.send("decisions", "decision.recorded.v1", ids["deposit"], data)
    expected = {
        "verified": [MONEY_LEFT],
        "corrected": ["amend beneficiary-name", MONEY_LEFT],
        "denied": ["release-funds"],
        "held": [],
        "deposit": ["credit"],
    }
    await client.until(lambda: {name: client.actions(key) for name, key in ids.items()} == expected, str(expected))
    sent = {one["id"] for kind in ("order", "verdict") for line in client.lines(kind) for one in line["events"]}
    await client.until(lambda: {one for line in client.lines("sent") for one in line["ids"]} == sent, "all are sent")
    assert await client.end(signal.SIGTERM) in ENDED, client.log()


async def redeliver_everything(client: PlatformClient) -> None:
    """Under a new group every verdict of the topic is delivered again, to a client that was cut off in the middle of a
    line and remembers nothing as sent: nothing is done a second time, and what it sends again has the same ids.
    """
    before = client.lines("order") + client.lines("verdict")
    lines = client.ledger.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["kind"] != "sent"]
    client.ledger.write_bytes(b"".join(kept) + lines[0][: len(lines[0]) // 2])
    client.group = f"platform-{uuid4()}"
    await client.start()
    topic = f"{client.prefix}verdicts"
    await until(lambda: _caught_up(client.bootstrap, topic, client.group), f"{client.language} has read all again")
    assert await client.end(signal.SIGTERM) in ENDED, client.log()
    assert client.lines("order") + client.lines("verdict") == before
    assert len([one for line in client.lines("sent") for one in line["ids"]]) == EVENTS_SENT


async def _caught_up(bootstrap: str, topic: str, group: str) -> bool:
    return not await is_behind(bootstrap, topic, group)


async def check_inputs(network: RealNetwork, ids: dict[str, str]) -> None:
    """Each event was received twice with one content, none was refused, and the transactions are stored."""
    tables, north = network.tables("north"), network.north
    for topic in INPUTS:
        physical = f"{north.topic_prefix}{topic}"
        await until(lambda physical=physical: _caught_up(network.bootstrap, physical, north.group), f"{topic} is read")
    for name in ("verified", "corrected"):
        txid = sha256(ids[name].encode()).hexdigest().upper()
        where = f"withdrawal_id = '{ids[name]}' AND txid = '{txid}'"
        await until(lambda where=where: tables.count("withdrawals", where), f"the txid of {name} is stored")
    found: dict[str, list[bytes]] = defaultdict(list)
    for record in await network.records("north", *INPUTS, "deadletters"):
        if (record.key or b"").decode() in ids.values():
            assert record.topic != "deadletters", dict(record.headers)
            found[record.event["id"]].append(record.value or b"")
            assert record.partition == (murmur2(record.key) & 0x7FFFFFFF) % PARTITIONS_REAL, (
                "not the partition of Kafka's clients"
            )
    assert len(found) == EVENTS_SENT
    assert [event_id for event_id, values in found.items() if len(values) < 2 or len(set(values)) > 1] == []
