"""A sandbox as a process serves it: real server, real member, real connections that break."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.contract.hub.servers import MemberServer, member_server, running
from tests.support.hub import NORTH, SOUTH, TRANSFER_ID, error_of, signed
from tests.support.sandbox import ROBOT, ROBOT_SEED, ivms, listed, opened, real, sealed
from travelrule.errors import AddressUnavailable, ConfigurationError, UsageError
from travelrule.hub.runtime.assembly import run_hub
from travelrule.hub.runtime.server import serve
from travelrule.sandbox.server import run_sandbox
from travelrule.setting_types import HostPort

REPORT = {"transferId": TRANSFER_ID, "txid": "x"}


class Caller:
    """`north` at a socket."""

    def __init__(self, url: str) -> None:
        self.client = httpx.AsyncClient(base_url=url)
        self._nonce = 0

    async def send(self, method: str, path: str, body: Any = None, **how: Any) -> httpx.Response:
        """Send a signed request."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self._nonce += 1
        headers = signed(raw, nonce=self._nonce, **how)
        return await self.client.request(method, path, content=raw, headers=headers)


def _world(path: Path, south_url: str, **more: Any) -> Path:
    members = [real("north", NORTH), {**real("south", SOUTH), "baseUrl": south_url}]
    members.append(listed("robot", robot={"seed": ROBOT_SEED}))
    world = {"members": members, "memberTimeoutSeconds": 1, "lenientTime": True, "healthIntervalSeconds": 0.05, **more}
    file = path / "world.json"
    file.write_text(json.dumps(world))
    return file


@asynccontextmanager
async def _sandbox(path: Path, south_url: str, **more: Any) -> AsyncIterator[Caller]:
    file = _world(path, south_url, **more)
    async with running(lambda told: run_sandbox(file, "127.0.0.1:0", path / "data", on_started=told)) as url:
        caller = Caller(url)
        async with caller.client:
            yield caller


async def _until(seen: Callable[[Any], bool], ask: Callable[[], Any]) -> Any:
    async with asyncio.timeout(60):
        while not seen(answer := await ask()):
            continue
    return answer


async def test_an_authorization_goes_through_a_robot_and_a_report_to_a_member(tmp_path: Path) -> None:
    server = MemberServer()
    async with member_server(server) as south, _sandbox(tmp_path, south) as caller:
        body = {
            "transferId": TRANSFER_ID, "currency": "XRP", "amount": "1", "tradePrice": "1", "tradeCurrency": "USD",
            "isExceedingThreshold": "true", "payload": sealed(ivms()),
        }  # fmt: skip
        answer = await caller.send("POST", "/v1/code/transfer/robot", body, remote=ROBOT)
        assert opened(answer.json()["payload"])["Originator"] == ivms()["Originator"]
        raw = json.dumps(REPORT, indent=1).encode()
        assert (await caller.send("POST", "/v1/code/transfer/south/txid", raw)).content == server.body
        arrived = [entry for entry in server.arrived if entry[0] == "POST"]
        assert [entry[3] for entry in arrived] == [raw]
        assert "x-code-req-signature" not in arrived[0][2]
    lines = [json.loads(line) for line in (tmp_path / "data" / "journal.jsonl").read_text().splitlines()]
    assert [line["operation"] for line in lines if line["from"] == "north"] == ["transfer-authorization", "txid-report"]


@pytest.mark.parametrize("kind", ["drop-before", "drop-after"])
async def test_a_cut_connection_gives_no_answer_and_the_next_call_works(tmp_path: Path, kind: str) -> None:
    server = MemberServer()
    async with member_server(server) as south, _sandbox(tmp_path, south) as caller:
        await caller.client.post(
            "/sandbox/faults", json={"operation": "txid-report", "fault": kind, "status": 0, "count": 1}
        )
        with pytest.raises(httpx.RemoteProtocolError):
            await caller.send("POST", "/v1/code/transfer/south/txid", REPORT)
        assert len([entry for entry in server.arrived if entry[0] == "POST"]) == (kind == "drop-after")
        assert (await caller.send("POST", "/v1/code/transfer/south/txid", REPORT)).status_code == 200
        entries = (await caller.client.get("/sandbox/journal?operation=txid-report")).json()["entries"]
        assert [(entry["status"], entry["member"]["reached"]) for entry in entries] == [
            (None, kind == "drop-after"),
            (200, True),
        ]


async def test_a_hanging_member_is_a_408_and_recorded(tmp_path: Path) -> None:
    server = MemberServer(hold=asyncio.Event())
    async with member_server(server) as south, _sandbox(tmp_path, south, memberTimeoutSeconds=0.1) as caller:
        answer = await caller.send("POST", "/v1/code/transfer/south/txid", REPORT)
        assert error_of(answer) == (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT")
        (entry,) = (await caller.client.get("/sandbox/journal?operation=txid-report")).json()["entries"]
        assert (entry["status"], entry["member"]) == (408, {"reached": True, "status": None, "errorType": ""})


async def test_health_goes_down_and_up_with_the_server_and_a_move_is_followed(tmp_path: Path) -> None:
    server, other = MemberServer(), MemberServer()
    async with member_server(server) as south, member_server(other) as moved, _sandbox(tmp_path, south) as caller:

        async def health() -> str:
            vasps = (await caller.send("GET", "/v1/code/vasps")).json()["vasps"]
            return next(vasp["health"] for vasp in vasps if vasp["vaspEntityId"] == "south")  # type: ignore[no-any-return]

        assert await _until(lambda seen: seen == "up", health) == "up"
        server.status = 503
        assert await _until(lambda seen: seen == "down", health) == "down"
        await caller.client.put("/sandbox/members/south", json={**real("south", SOUTH), "baseUrl": moved})
        assert await _until(lambda seen: seen == "up", health) == "up"
        await caller.send("POST", "/v1/code/transfer/south/txid", REPORT)
        assert [entry[0] for entry in other.arrived if entry[0] == "POST"] == ["POST"]


async def test_the_caller_that_hangs_up_is_still_recorded(tmp_path: Path) -> None:
    """The member acted: the record must exist although nobody waited for the answer."""
    server = MemberServer(hold=asyncio.Event())
    async with member_server(server) as south, _sandbox(tmp_path, south, memberTimeoutSeconds=60) as caller:
        raw = json.dumps(REPORT).encode()
        asking = asyncio.create_task(
            caller.client.post("/v1/code/transfer/south/txid", content=raw, headers=signed(raw, nonce=99))
        )
        async with asyncio.timeout(60):
            while not any(method == "POST" for method, *_ in server.arrived):
                await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        server.hold.set()  # type: ignore[union-attr]

        async def entries() -> list[dict[str, Any]]:
            return (await caller.client.get("/sandbox/journal?operation=txid-report")).json()["entries"]  # type: ignore[no-any-return]

        (entry,) = await _until(bool, entries)
        assert (entry["member"]["status"], entry["ids"]["result"]) == (200, "normal")


async def test_many_calls_at_once_are_each_recorded_once(tmp_path: Path) -> None:
    server = MemberServer()
    async with member_server(server) as south, _sandbox(tmp_path, south) as caller:
        answers = await asyncio.gather(
            *(
                caller.send("POST", "/v1/code/transfer/south/txid", {**REPORT, "transferId": f"t{number}"})
                for number in range(60)
            )
        )
        assert {answer.status_code for answer in answers} == {200}
        entries = (await caller.client.get("/sandbox/journal?operation=txid-report")).json()["entries"]
        assert sorted(entry["ids"]["transferId"] for entry in entries) == sorted(f"t{number}" for number in range(60))


async def test_a_signal_ends_it_gracefully(tmp_path: Path) -> None:
    file = _world(tmp_path, "http://127.0.0.1:1")
    listening: asyncio.Future[HostPort] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        run_sandbox(file, "127.0.0.1:0", tmp_path, on_started=listening.set_result, handle_signals=True)
    )
    await asyncio.wait_for(listening, 60)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(task, 60) is None


async def test_an_address_in_use_and_a_wrong_one_are_told(tmp_path: Path) -> None:
    async with member_server(MemberServer()) as url:
        with pytest.raises(AddressUnavailable, match="--listen: cannot listen on 127"):
            await serve(MemberServer(), url.removeprefix("http://"))
    with pytest.raises(UsageError, match="host:port"):
        await serve(MemberServer(), "nowhere")
    with pytest.raises(ConfigurationError, match="no such file"):
        await run_sandbox(tmp_path / "none.json", "127.0.0.1:0")


async def test_a_hub_without_sandbox(tmp_path: Path) -> None:
    server = MemberServer()
    async with member_server(server) as south:
        file = tmp_path / "members.json"
        members = [real("north", NORTH), {**real("south", SOUTH), "baseUrl": south}]
        file.write_text(json.dumps({"members": members, "lenientTime": True, "rateLimitPerMinute": 1}))
        async with running(lambda told: run_hub("127.0.0.1:0", file, seed=ROBOT_SEED, on_started=told)) as url:
            caller = Caller(url)
            async with caller.client:
                vasps = (await caller.send("GET", "/v1/code/vasps")).json()["vasps"]
                assert vasps[0]["pubkeys"][0]["pubkey"] == ROBOT.public_base64
                assert (await caller.send("GET", "/v1/code/vasps")).status_code == 429
                assert (await caller.send("POST", "/v1/code/transfer/south/txid", REPORT)).status_code == 200
                assert (await caller.client.get("/sandbox/journal")).status_code == 404
