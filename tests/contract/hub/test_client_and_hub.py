"""The client of this project and the hub of this project understand each other, on a socket and without one."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas.operations import Operation
from tests.contract.hub.servers import MemberServer, member_server, running
from tests.support.hub import NORTH, SOUTH, TRANSFER_ID, HandClock, RecordingMember
from tests.support.sandbox import ROBOT, ROBOT_SEED, ivms, listed, opened, real, sealed
from travelrule.client.errors import HubError, HubRefused, NoAnswer
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.hub.runtime.assembly import utc_now
from travelrule.sandbox.app import create_sandbox
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.server import run_sandbox
from travelrule.sandbox.world.world_file import parse_world


class Counter:
    """Nonces that never come twice."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    async def next(self) -> int:
        return next(self._numbers)


def _world(south: str) -> dict[str, Any]:
    members = [real("north", NORTH), {**real("south", SOUTH), "baseUrl": south}]
    return {"members": [*members, listed("robot", robot={"seed": ROBOT_SEED})], "memberTimeoutSeconds": 1}


@asynccontextmanager
async def _client(kind: str, path: Path) -> AsyncIterator[HubClient]:
    if kind == "in process":
        journal = SandboxJournal()
        clock = HandClock()
        sandbox = Sandbox(parse_world(_world("http://member.invalid")), RecordingMember(), journal=journal, clock=clock)
        transport = httpx.ASGITransport(create_sandbox(sandbox, journal))
        client = HubClient(
            "http://hub", "code:north", LocalSigner(KeyRing([NORTH]), Counter(), clock), transport, clock=clock
        )
        async with aclosing(client):
            yield client
        return
    file = path / "world.json"
    async with member_server(MemberServer()) as south:
        file.write_text(json.dumps(_world(south)))
        async with running(lambda told: run_sandbox(file, "127.0.0.1:0", on_started=told)) as url:
            client = HubClient(url, "code:north", LocalSigner(KeyRing([NORTH]), Counter(), utc_now), "aiohttp")
            async with aclosing(client):
                yield client


def _bytes(**body: Any) -> bytes:
    return json.dumps(body).encode()


AUTHORIZATION = {
    "transferId": TRANSFER_ID, "currency": "XRP", "amount": "250.5", "tradePrice": "150.30", "tradeCurrency": "USD",
    "isExceedingThreshold": "true",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["in process", "on a socket"])
async def test_a_whole_transfer(kind: str, tmp_path: Path) -> None:
    async with _client(kind, tmp_path) as client:
        listed_ids = [vasp.vasp_entity_id for vasp in (await client.vasp_list()).vasps]
        assert listed_ids == ["codevasp", "north", "south", "robot"]
        (key,) = (await client.public_keys("robot")).pubkeys
        assert key.pubkey == ROBOT.public_base64
        assert (await client.coin_networks()).coin_networks == ()
        search = {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": ["r"]}}
        found = await client.call(
            Operation.ADDRESS_SEARCH, "robot", _bytes(currency="XRP", payload=sealed(search)), key.pubkey
        )
        assert found.result == "valid"
        body = _bytes(**AUTHORIZATION, payload=sealed(ivms()))
        verdict = await client.call(Operation.TRANSFER_AUTHORIZATION, "robot", body, key.pubkey)
        assert verdict.result == "verified"
        assert opened(verdict.body["payload"])["Beneficiary"] == ivms()["Beneficiary"]
        report = await client.call(Operation.TXID_REPORT, "robot", _bytes(transferId=TRANSFER_ID, txid="t"))
        assert report.result == "normal"
        again = await client.call(Operation.TXID_REPORT, "robot", _bytes(transferId=TRANSFER_ID, txid="u"))
        assert (again.result, again.body["reasonType"]) == ("error", "TXID_ALREADY_EXISTS")
        finish = await client.call(Operation.FINISH, "robot", _bytes(transferId=TRANSFER_ID, status="canceled"))
        assert finish.result == "normal"


@pytest.mark.parametrize("kind", ["in process", "on a socket"])
async def test_refusals_keep_their_codes(kind: str, tmp_path: Path) -> None:
    async with _client(kind, tmp_path) as client:
        with pytest.raises(HubRefused) as refused:
            await client.call(
                Operation.TRANSFER_AUTHORIZATION,
                "robot",
                _bytes(**AUTHORIZATION, payload=sealed(ivms())),
                SOUTH.public_base64,
            )
        assert (refused.value.status, refused.value.error_code) == (422, "INVALID_RECEIVER_PUBLIC_KEY")
        with pytest.raises(HubRefused) as refused:
            await client.call(Operation.TXID_REPORT, "nobody", _bytes(transferId="t", txid="t"))
        assert refused.value.error_code == "INVALID_BENEFICIARY"
        with pytest.raises(HubError) as unknown:
            await client.call(Operation.STATUS_SEARCH, "robot", _bytes(transferId="t"))
        assert (unknown.value.status, unknown.value.error_code) == (503, "UNKNOWN_TRANSFER_ID")


async def test_a_cut_connection_is_no_answer_to_the_client(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text(json.dumps(_world("http://127.0.0.1:9")))
    async with running(lambda told: run_sandbox(file, "127.0.0.1:0", on_started=told)) as url:
        async with httpx.AsyncClient(base_url=url) as control:
            fault = {"operation": "transfer-authorization", "fault": "drop-after", "status": 0}
            await control.post("/sandbox/faults", json=fault)
        client = HubClient(url, "code:north", LocalSigner(KeyRing([NORTH]), Counter(), utc_now), "aiohttp")
        body = _bytes(**AUTHORIZATION, payload=sealed(ivms()))
        with pytest.raises(NoAnswer) as silence:
            await client.call(Operation.TRANSFER_AUTHORIZATION, "robot", body, ROBOT.public_base64)
        assert silence.value.sent_maybe
        assert (
            await client.call(Operation.FINISH, "robot", _bytes(transferId=TRANSFER_ID, status="canceled"))
        ).result == "normal"
        await client.aclose()
