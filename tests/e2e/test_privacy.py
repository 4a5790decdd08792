"""Planted people are sought in everything that comes out: logs, pages, topics, tables, error answers, commands."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import orjson
import pytest

from schemas.events.cloudevents import write_event
from tests.e2e import planted_people
from tests.e2e.commands import travelrule
from tests.e2e.network import RealNetwork, until
from tests.e2e.topic_log import read_topics
from tests.services.run import run_directory
from travelrule.commands.demo.platform import DemoPlatform, SeenEvent
from travelrule.commands.demo.scenarios import DemoStage, new_txid

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]


async def test_planted_people_are_nowhere_but_sealed(network: RealNetwork, stage: DemoStage) -> None:
    told = await _live_a_little(network, stage)
    await network.until_said()
    hunt = planted_people.Hunt()
    sent = await read_topics(network.bootstrap, network.north.topic_prefix, ["withdrawals"])
    assert any(hunt.found(record.value or b"") for record in sent), "the hunt finds what the platform sent"
    assert hunt.found_in(_files(network)) == {}
    assert hunt.found_in(await _pages(network)) == {}
    assert hunt.found_in(await _topics(network)) == {}
    assert hunt.found_in(await _tables(network)) == {}
    assert hunt.found_in(told) == {}


async def _live_a_little(network: RealNetwork, stage: DemoStage) -> list[tuple[str, bytes]]:
    """Everything that can happen to a person: verified, denied, refused, dead-lettered; return what was answered."""
    north = stage.north
    await stage.south.send("wallets", "wallet.registered.v1", "wallet-of-one-customer", planted_people.wallet())
    wallets = network.tables("south")
    await until(lambda: wallets.count("wallets", "wallet_id = 'wallet-of-one-customer'"), "the wallet is registered")
    await network.until_screened(network.south)

    good, misspelt, nowhere = (str(uuid4()) for _ in range(3))
    sent = await north.send("withdrawals", "withdrawal.requested.v1", good, planted_people.withdrawal(good))
    for one, data in (
        (misspelt, planted_people.withdrawal(misspelt, beneficiary=planted_people.STRANGER)),
        (nowhere, planted_people.withdrawal(nowhere, address=planted_people.STRANGER_ADDRESS)),
    ):
        await north.send("withdrawals", "withdrawal.requested.v1", one, data)
    verdict = await north.verdict(good, "allow", "VERIFIED")
    await north.verdict(misspelt, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    await north.verdict(nowhere, "deny", "ADDRESS_NOT_FOUND")
    txid = new_txid()
    await stage.broadcast(good, txid)
    await stage.reported(verdict.data["transferId"], txid)

    answers = await _spoil(network, north, good, sent)
    settings = network.north.settings()
    shown = [
        (" ".join(words), await travelrule(settings, *words))
        for words in (
            ("explain", f"withdrawal:{good}", "--output", "json"),
            ("explain", f"withdrawal:{misspelt}"),
            ("dead-letters", "list", "--output", "json"),
            ("audit", "verify", "--output", "json"),
        )
    ]
    return answers + [(name, (ended.output + ended.errors).encode()) for name, ended in shown]


async def _spoil(network: RealNetwork, north: DemoPlatform, known: str, sent: bytes) -> list[tuple[str, bytes]]:
    """Messages that are refused while they carry personal data; return what the gateway and the hub answered."""
    conflict = orjson.loads(sent)
    conflict["data"]["amount"] = "13"
    bad_field = planted_people.withdrawal(known)
    bad_field["destination"]["kind"] = planted_people.STRANGER_ADDRESS
    wrong_type = write_event(
        type=f"withdrawal.{planted_people.SENDER_CUSTOMER}.v1",
        source="/platform",
        id=str(uuid4()),
        subject=known,
        time=datetime.now(UTC),
        data=planted_people.withdrawal(known),
    )
    spoilt = {
        "conflict": orjson.dumps(conflict),
        "no-json": b'{"data": "Quillfeather Oswaldine", ' + planted_people.OWNER_ADDRESS.encode(),
        "bad-field": _event(known, bad_field),
        "wrong-key": _event(known, planted_people.withdrawal(str(uuid4()))),
        "wrong-type": wrong_type,
        "nul": _event(known, {**planted_people.withdrawal(known), "historicalCost": "Ravensbourne\u0000"}),
    }
    before = north.count("deadletters", known)
    for value in spoilt.values():
        await north.send_bytes("withdrawals", known, value)

    def all_refused(_: SeenEvent) -> bool:
        return north.count("deadletters", known) >= before + len(spoilt)

    await north.expect("dead letters", all_refused)
    return await _strange_requests(network)


def _event(key: str, data: dict[str, Any]) -> bytes:
    return write_event(
        type="withdrawal.requested.v1",
        source="/platform",
        id=str(uuid4()),
        subject=key,
        time=datetime.now(UTC),
        data=data,
    )


async def _strange_requests(network: RealNetwork) -> list[tuple[str, bytes]]:
    body = orjson.dumps(
        {"payload": "Quillfeather", "transferId": planted_people.OWNER_CUSTOMER, "currency": "Ravensbourne"}
    )
    headers = {
        "X-Request-Origin": "code:north",
        "X-Code-Req-PubKey": network.north.public_key,
        "X-Code-Req-Nonce": "7",
        "X-Code-Req-Datetime": "2031-01-01T00:00:00Z",
        "X-Code-Req-Signature": "Quillfeather",
    }
    calls = [
        ("POST", f"{network.south.base_url}/v1/beneficiary/VerifyAddress"),
        ("POST", f"{network.south.base_url}/v1/beneficiary/transfer"),
        ("POST", f"{network.south.base_url}/v1/beneficiary/transfer/txid"),
        ("PUT", f"{network.south.base_url}/v1/vasp/transfer/status"),
        ("POST", f"{network.hub_url}/v1/code/transfer/south"),
        ("POST", f"{network.hub_url}/v1/code/VerifyAddress/south"),
    ]
    answers = []
    async with aiohttp.ClientSession() as session:
        for method, url in calls:
            for content in (body, body[:-3]):
                async with session.request(method, url, data=content, headers=headers) as answer:
                    answers.append((f"{method} {url}", bytes(str(answer.headers), "utf-8") + await answer.read()))
    return answers


def _files(network: RealNetwork) -> Iterator[tuple[str, bytes]]:
    """Logs of all processes, the hub's journal, and the log of the database if it is ours."""
    postgres = run_directory() / "postgres" / "log"
    for path in [*network.folder.rglob("*.log"), network.folder / "journal.jsonl", postgres]:
        if path.exists():
            yield str(path), Path(path).read_bytes()


async def _pages(network: RealNetwork) -> list[tuple[str, bytes]]:
    async with aiohttp.ClientSession() as session:

        async def page(url: str) -> tuple[str, bytes]:
            async with session.get(url) as answer:
                return url, await answer.read()

        metrics = network.metrics_pages().values()
        urls = [*metrics, *(url.replace("/metrics", "/readyz") for url in metrics)]
        return list(await asyncio.gather(*(page(url) for url in [*urls, f"{network.hub_url}/sandbox/journal"])))


async def _topics(network: RealNetwork) -> list[tuple[str, bytes]]:
    return [
        (
            f"{entity_id} {record.topic} {record.partition}/{record.offset}",
            b"\n".join([record.key or b"", record.value or b"", str(record.headers).encode()]),
        )
        for entity_id in network.members
        for record in await network.records(entity_id)
    ]


async def _tables(network: RealNetwork) -> list[tuple[str, bytes]]:
    return [
        (f"{entity_id} {table}.{column}", value if isinstance(value, bytes) else str(value).encode())
        for entity_id in network.members
        for table, rows in (await network.tables(entity_id).everything()).items()
        for row in rows
        for column, value in row.items()
        if value is not None
    ]
