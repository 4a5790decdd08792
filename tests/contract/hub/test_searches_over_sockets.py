"""Searches, callbacks and data requests between real servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.contract.hub.servers import MemberServer, member_server, running
from tests.contract.hub.test_sandbox_over_sockets import Caller
from tests.support.hub import NORTH, SOUTH, error_of
from tests.support.sandbox import OWNED, ROBOT, ROBOT_SEED, data_request, listed, opened, real, sealed, withdrawal
from tests.support.search_hub import ACCOUNT, EAST, REQUEST_ID, TXID, TXID_SEARCH, WALLET_SEARCH, Kind, rows
from travelrule.crypto.sealing import open_sealed
from travelrule.hub.runtime.assembly import run_hub
from travelrule.sandbox.server import run_sandbox

PROCESSING = "PROCESSING"


@dataclass
class Network:
    """`north` asks; `south` and `east` are real servers, `robot` is played, `home` is where `north` is called back."""

    caller: Caller
    south: MemberServer
    east: MemberServer
    home: MemberServer
    home_url: str

    async def search(self, kind: Kind = TXID_SEARCH, **fields: Any) -> dict[str, Any]:
        """Search with a callback and return the final result."""
        body = {"requestId": REQUEST_ID, "callbackUrl": f"{self.home_url}/callbacks/x", **kind.body, **fields}
        started = await self.caller.send("POST", kind.path, body)
        assert started.json() == {"result": "SUCCESS", "requestId": REQUEST_ID}
        return await self.final(kind)

    async def final(self, kind: Kind = TXID_SEARCH) -> dict[str, Any]:
        """Read the result until it is final."""
        async with asyncio.timeout(60):
            while (result := await self.result(kind))["reasonType"] == PROCESSING:
                continue
        return result

    async def result(self, kind: Kind = TXID_SEARCH) -> dict[str, Any]:
        """Read the result once; a found one gets an empty ``reasonType``."""
        answer = await self.caller.send("GET", f"{kind.path}/{REQUEST_ID}")
        return {"reasonType": "", **answer.json()}

    async def called_back(self, times: int = 1) -> list[tuple[str, str, dict[str, str], bytes]]:
        """Wait until the callback's journal entry stands, which is after the last POST; return what arrived."""
        async with asyncio.timeout(60):
            while not (await self.journal("callback")):
                continue
        assert len(self.home.arrived) == times
        return self.home.arrived

    async def journal(self, operation: str) -> list[dict[str, Any]]:
        """The journal's entries of one operation."""
        answer = await self.caller.client.get("/sandbox/journal", params={"operation": operation})
        return answer.json()["entries"]  # type: ignore[no-any-return]


@asynccontextmanager
async def _network(path: Path, **robot: Any) -> AsyncIterator[Network]:
    south, east, home = MemberServer(), MemberServer(), MemberServer(body=b"{}")
    for server in (south, east):
        server.says(result="invalid")
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(member_server(server)) for server in (south, east, home)]
        members = [
            real("north", NORTH),
            real("south", SOUTH) | {"baseUrl": urls[0]},
            real("east", EAST) | {"baseUrl": urls[1]},
            listed("robot", robot={"seed": ROBOT_SEED, "withdrawals": [withdrawal()], "wallets": [OWNED], **robot}),
        ]
        world = {"members": members, "lenientTime": True, "healthIntervalSeconds": 60, "allowHttpCallbacks": True}
        file = path / "world.json"
        file.write_text(json.dumps(world))
        start = running(lambda told: run_sandbox(file, "127.0.0.1:0", path / "data", on_started=told))
        caller = Caller(await stack.enter_async_context(start))
        await stack.enter_async_context(caller.client)
        yield Network(caller, south, east, home, urls[2])


def _asked(server: MemberServer) -> list[tuple[str, str, dict[str, str], bytes]]:
    return [entry for entry in server.arrived if entry[1] != "/v1/vasp/health"]


async def test_a_txid_search_asks_real_members_and_calls_back(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        result = await network.search()
        assert (result["result"], result["vaspEntityId"]) == ("valid", "robot")
        assert rows(result) == {"south": "NOT_FOUND_TXID", "east": "NOT_FOUND_TXID", "robot": "FOUND"}
        ((method, path, headers, raw),) = await network.called_back()
        assert (method, path, headers["content-type"]) == ("POST", "/callbacks/x", "application/json")
        assert {"reasonType": "", **json.loads(raw)} == result
        ((method, path, headers, raw),) = _asked(network.south)
        assert (method, path) == ("POST", "/v1/verification/tx")
        assert json.loads(raw) == {"txid": TXID, "beneficiaryAddress": ACCOUNT}
        assert headers["x-request-origin"] == "code:codevasp"
        assert "x-code-req-signature" not in headers


async def test_a_member_that_hangs_is_given_up_after_its_budget(tmp_path: Path) -> None:
    """It hangs until the test ends, so only the budget can have ended the question."""
    async with _network(tmp_path) as network:
        network.east.hold = asyncio.Event()
        result = await network.search()
        assert rows(result) == {"south": "NOT_FOUND_TXID", "east": "SYSTEM_NOT_AVAILABLE", "robot": "FOUND"}
        await network.called_back()


async def test_a_wallet_search_seals_for_each_real_member(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        result = await network.search(WALLET_SEARCH)
        assert result["beneficiaryVaspEntityId"] == "robot"
        ((_, path, headers, raw),) = _asked(network.south)
        assert path == "/v1/beneficiary/VerifyAddress"
        assert headers["x-code-req-remote-pubkey"] == SOUTH.public_base64
        plain = open_sealed(SOUTH, headers["x-code-req-pubkey"], json.loads(raw)["payload"])
        assert json.loads(plain)["ivms101"]["Beneficiary"]["accountNumber"] == [ACCOUNT]
        vasps = (await network.caller.send("GET", "/v1/code/vasps")).json()["vasps"]
        own = next(vasp for vasp in vasps if vasp["vaspEntityId"] == "codevasp")
        assert own["pubkeys"][0]["pubkey"] == headers["x-code-req-pubkey"]


async def test_a_callback_may_be_doubled_lost_or_refused(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        await network.caller.client.post("/sandbox/faults", json={"fault": "duplicate-callback", "count": 1})
        network.home.status = 500
        await network.search()
        first, second = await network.called_back(2)
        assert first[3] == second[3]
        await network.caller.client.delete("/sandbox/faults")
        await network.caller.client.post("/sandbox/faults", json={"fault": "lose-callback"})
        result = await network.search(WALLET_SEARCH)
        assert result["beneficiaryVaspEntityId"] == "robot"
        entries = await network.journal("callback")
        assert [entry["status"] for entry in entries][:1] == [500]
        assert len(network.home.arrived) == 2


async def test_a_callback_to_nobody_is_lost_and_the_result_stays(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        result = await network.search(callbackUrl="http://127.0.0.1:1/x")
        assert result["vaspEntityId"] == "robot"
        async with asyncio.timeout(60):
            while not (entries := await network.journal("callback")):
                continue
        assert (entries[0]["status"], entries[0]["member"]["reached"]) == (None, False)


async def test_found_by_search_and_asked_for_data(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        found = (await network.search())["vaspEntityId"]
        body = {
            "transferId": REQUEST_ID,
            "txid": TXID,
            "beneficiaryAddress": ACCOUNT,
            "payload": sealed(data_request()),
        }
        answer = await network.caller.send("PUT", f"/v1/code/verification/tx/{found}", body, remote=ROBOT)
        assert (answer.json()["result"], answer.json()["amount"]) == ("normal", "250.5")
        assert "Berg" in str(opened(answer.json()["payload"])["Originator"])
        (entry,) = await network.journal("data-request")
        assert entry["ids"] == {"transferId": REQUEST_ID, "txid": TXID, "result": "normal"}
    lines = (tmp_path / "data" / "journal.jsonl").read_text()
    assert "Berg" not in lines
    assert ACCOUNT not in lines


async def test_a_hub_that_ends_in_the_middle_of_a_search_ends_soon(tmp_path: Path) -> None:
    async with _network(tmp_path) as network:
        network.east.hold = asyncio.Event()
        body = {"requestId": REQUEST_ID, **TXID_SEARCH.body}
        assert (await network.caller.send("POST", TXID_SEARCH.path, body)).status_code == 200
        assert (await network.result())["reasonType"] == PROCESSING
    # East never answers: that the network has ended shows that the hub did not wait for it.
    lines = [json.loads(line) for line in (tmp_path / "data" / "journal.jsonl").read_text().splitlines()]
    assert {line["to"] for line in lines if line["operation"] == "txid-check"} == {"south", "east", "robot"}


async def test_a_hub_without_sandbox_calls_no_plain_http(tmp_path: Path) -> None:
    server = MemberServer()
    server.says(result="valid")
    async with member_server(server) as south:
        file = tmp_path / "members.json"
        members = [real("north", NORTH), {**real("south", SOUTH), "baseUrl": south}]
        file.write_text(json.dumps({"members": members, "lenientTime": True}))
        async with running(lambda told: run_hub("127.0.0.1:0", file, on_started=told)) as url:
            caller = Caller(url)
            async with caller.client:
                network = Network(caller, server, server, server, south)
                body = {"requestId": REQUEST_ID, **TXID_SEARCH.body}
                refused = await caller.send("POST", TXID_SEARCH.path, {**body, "callbackUrl": f"{south}/x"})
                assert error_of(refused) == (422, "INVALID_MSG_FIELD_VALUE")
                assert (await caller.send("POST", TXID_SEARCH.path, body)).status_code == 200
                assert (await network.final())["vaspEntityId"] == "south"
