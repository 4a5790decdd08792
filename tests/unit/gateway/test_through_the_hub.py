"""North's client, the hub, south's gateway: all real, no sockets. What each room sends is what the next one reads."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator

import httpx
import orjson
import pytest

from schemas.operations import Operation
from tests.support.gateway_scene import (
    AUTHORIZATION,
    BTC,
    NOW,
    OWN,
    PEER,
    TXID,
    XRP,
    GatewayScene,
    beneficiary,
    box,
    key,
    payee,
    transfer,
)
from travelrule.client.attempt import attempt
from travelrule.client.errors import HubRefused, HubUnavailable
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.signing import KeyRing
from travelrule.hub.members.member import Member, MemberKey
from travelrule.hub.members.network_file import NetworkFile
from travelrule.hub.ports import MemberAnswer, MemberCall
from travelrule.hub.runtime.app import create_hub
from travelrule.hub.runtime.assembly import AssembledHub, assemble
from travelrule.store.search_rows import ExchangeRecord


class ToGateway:
    """The hub's way to its members: there is one server, south's gateway."""

    def __init__(self, scene: GatewayScene) -> None:
        self.gateway = scene.open()

    async def forward(self, member: Member, call: MemberCall) -> MemberAnswer:
        assert member.entity_id == "south"
        answer = await self.gateway.request(
            call.operation.method, call.operation.member_path, content=call.body, headers=dict(call.headers)
        )
        return MemberAnswer(answer.status_code, answer.content)


class Counter:
    def __init__(self) -> None:
        self.values = itertools.count(1)

    async def next(self) -> int:
        return next(self.values)


def member(entity_id: str, public: str) -> Member:
    expires = "2031-01-01T00:00:00Z"
    keys = (MemberKey(public, expires, key(OWN, 9999).expires_at),)
    return Member(entity_id, f"{entity_id} Ltd.", "KR", "code", keys, f"http://{entity_id}.test")


@pytest.fixture
def hub(scene: GatewayScene) -> AssembledHub:
    members = [member("north", PEER.public_base64), member("south", OWN.public_base64)]
    return assemble(NetworkFile(), members, ToGateway(scene), clock=lambda: NOW)


@pytest.fixture
async def north(hub: AssembledHub) -> AsyncIterator[HubClient]:
    client = HubClient(
        "http://hub.test",
        "code:north",
        LocalSigner(KeyRing([PEER]), Counter(), lambda: NOW),
        httpx.ASGITransport(create_hub(hub.service)),
    )
    yield client
    await client.aclose()


def body(**fields: object) -> bytes:
    return orjson.dumps(fields)


async def test_a_whole_transfer(scene: GatewayScene, north: HubClient) -> None:
    listed = {vasp.vasp_entity_id: vasp for vasp in (await north.vasp_list()).vasps}
    assert listed["south"].pubkeys[0].pubkey == (await north.public_keys("south")).pubkeys[0].pubkey
    search = body(currency="BTC", payload=box(beneficiary(BTC)))
    assert (await north.call(Operation.ADDRESS_SEARCH, "south", search, OWN.public_base64)).result == "valid"
    asked = orjson.dumps({**AUTHORIZATION, "payload": box(transfer())})
    call = north.call(Operation.TRANSFER_AUTHORIZATION, "south", asked, OWN.public_base64)
    tried = await attempt(call, PEER, OWN.public_base64)
    assert tried.body is not None
    assert tried.payload is not None
    assert (tried.kind, tried.body["result"], tried.body["transferId"]) == ("answer", "verified", "t-1")
    assert {part: tried.payload[part] for part in transfer()} == transfer()
    report = await north.call(Operation.TXID_REPORT, "south", body(transferId="t-1", txid="ab12", vout="0"))
    assert report.result == "normal"
    scene.intake.set("t-1", chain="final")
    finished = await north.call(
        Operation.FINISH, "south", body(transferId="t-1", status="canceled", reasonType="UNKNOWN")
    )
    assert (finished.result, finished.body["reasonType"]) == ("error", "ILLEGAL_STATEFLOW")


async def test_status_search(scene: GatewayScene, north: HubClient) -> None:
    scene.reads.exchanges["t-1", "north"] = ExchangeRecord("t-1", "confirmed", "ab12", None)
    answer = await north.call(Operation.STATUS_SEARCH, "south", body(transferId="t-1"))
    assert (answer.result, answer.body["txid"]) == ("confirmed", "ab12")
    with pytest.raises(HubRefused) as caught:
        await north.call(Operation.STATUS_SEARCH, "south", body(transferId="t-2"))
    assert (caught.value.status, caught.value.error_code) == (503, "UNKNOWN_TRANSFER_ID")


async def test_refusals_of_the_member_reach_the_caller(scene: GatewayScene, north: HubClient) -> None:
    wrong = orjson.dumps({**AUTHORIZATION, "payload": box(transfer(), to=PEER)})
    with pytest.raises(HubRefused) as caught:
        await north.call(Operation.TRANSFER_AUTHORIZATION, "south", wrong, OWN.public_base64)
    assert (caught.value.status, caught.value.error_code) == (503, "INVALID_ENCRYPTED_BODY")
    scene.intake.failure = ConnectionError("database gone")
    right = orjson.dumps({**AUTHORIZATION, "payload": box(transfer())})
    with pytest.raises(HubUnavailable) as gone:
        await north.call(Operation.TRANSFER_AUTHORIZATION, "south", right, OWN.public_base64)
    assert (gone.value.error_code, gone.value.maybe_acted) == ("VASP_BACKEND_INTERNAL_ERROR", True)


async def test_refusals_of_the_hub(north: HubClient) -> None:
    with pytest.raises(HubRefused) as caught:
        await north.call(Operation.FINISH, "nobody", body(transferId="t-1", status="canceled"))
    assert caught.value.error_code in {"INVALID_BENEFICIARY", "INVALID_TARGET_VASP_ID"}
    search = body(currency="BTC", payload=box(beneficiary(BTC)))
    with pytest.raises(HubRefused) as stale:
        await north.call(Operation.ADDRESS_SEARCH, "south", search, PEER.public_base64)
    assert stale.value.error_code == "INVALID_RECEIVER_PUBLIC_KEY"


async def test_who_sent_it(scene: GatewayScene, hub: AssembledHub, north: HubClient) -> None:
    """TXID search and data request, both answered by the gateway: a found VASP, then the originator's data."""
    scene.sent()
    asked = {"txid": TXID, "beneficiaryAddress": f"{XRP}:77001"}
    started = await north.call(Operation.TXID_SEARCH, "", body(**asked, requestId="r-1"))
    assert (started.result, started.body["requestId"]) == ("success", "r-1")
    await hub.tasks.settled()
    found = await north.call(Operation.TXID_SEARCH_RESULT, "r-1", b"")
    assert (found.result, found.body["vaspEntityId"]) == ("valid", "south")
    request = body(**asked, transferId="r-1", payload=box(payee()))
    tried = await attempt(
        north.call(Operation.DATA_REQUEST, "south", request, OWN.public_base64), PEER, OWN.public_base64
    )
    assert tried.body is not None
    assert tried.payload is not None
    assert (tried.body["result"], tried.body["amount"]) == ("normal", "250.50")
    assert {part: tried.payload[part] for part in payee()} == payee()
    assert tried.payload["Originator"]["originatorPersons"]
    unknown = body(**{**asked, "txid": "ab" * 32}, transferId="r-2", payload=box(payee()))
    refused = await north.call(Operation.DATA_REQUEST, "south", unknown, OWN.public_base64)
    assert (refused.result, refused.body["reasonType"]) == ("error", "NOT_FOUND_TXID")


async def test_whose_address_it_is(hub: AssembledHub, north: HubClient) -> None:
    """The hub calls every member with its own keys; the gateway answers the hub like any sender."""
    await north.call(Operation.WALLET_SEARCH, "", body(currency="BTC", addressNumber=BTC, requestId="r-1"))
    await hub.tasks.settled()
    found = await north.call(Operation.WALLET_SEARCH_RESULT, "r-1", b"")
    assert (found.result, found.body["beneficiaryVaspEntityId"]) == ("valid", "south")
