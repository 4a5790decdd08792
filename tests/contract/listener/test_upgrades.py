"""``Connection: Upgrade`` at every listening process: the body is kept, and no other protocol is used."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from tests.contract.listener.role import HEADERS, started, until_ready
from tests.services.ports import free_port
from tests.services.process import ROOT
from tests.support.command_line import Cli

pytestmark = pytest.mark.services

STATUS = "/v1/vasp/transfer/status"
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAI\r\n"
WEBSOCKET = (
    b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def _head(size: int, *more: bytes) -> bytes:
    """The head of a status search."""
    headers = b"".join(f"{name}: {value}\r\n".encode() for name, value in HEADERS.items())
    start = f"POST {STATUS} HTTP/1.1\r\nHost: h\r\nContent-Length: {size}\r\n".encode()
    return start + headers + b"".join(more) + b"\r\n"


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    size = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0)
    return int(head.split()[1]), await reader.readexactly(size)


async def test_a_late_body_of_an_upgrade_is_the_body_of_its_request(member: Cli) -> None:
    known = orjson.dumps({"transferId": "t-1"})
    smuggled = f"DELETE {STATUS} HTTP/1.1\r\nHost: h\r\n\r\n".encode()
    with started(member) as role:
        await until_ready(role)
        reader, writer = await asyncio.open_connection("127.0.0.1", role.gateway_port)
        for body, code in ((known, "UNKNOWN_TRANSFER_ID"), (smuggled, "INVALID_MSG_FIELD_VALUE")):
            writer.write(_head(len(body), UPGRADE, b"Expect: 100-continue\r\n"))
            # Said when the application waits for the body: the head was taken without it.
            assert (await _answer(reader))[0] == 100
            writer.write(body)
            status, answer = await _answer(reader)
            assert (status, orjson.loads(answer)["errorType"]) == (503, code)
        writer.write(b"GET /v1/vasp/health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        assert (await _answer(reader))[0] == 200
        assert await reader.read() == b""
        writer.close()


async def _said_to_websocket(port: int, path: bytes) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(WEBSOCKET % path)
    status, _ = await _answer(reader)
    writer.close()
    return status


async def test_gateway_and_metrics_port_accept_no_websocket(member: Cli) -> None:
    with started(member) as role:
        await until_ready(role)
        assert await _said_to_websocket(role.gateway_port, b"/v1/vasp/health") == 200
        assert await _said_to_websocket(role.gateway_port, b"/") == 404
        assert await _said_to_websocket(role.metrics_port, b"/livez") == 200


@contextmanager
def _process(folder: Path, *words: str) -> Iterator[int]:
    port = free_port()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    command = [sys.executable, "-m", "travelrule", *words, "--listen", f"127.0.0.1:{port}"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env={**clean, "PYTHONPATH": str(ROOT)}, stdout=log, stderr=log)
    try:
        yield port
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("command", ["hub", "sandbox"])
async def test_hub_and_sandbox_accept_no_websocket(tmp_path: Path, command: str) -> None:
    world = tmp_path / "world.json"
    world.write_bytes(orjson.dumps({"members": []}))
    words = ["hub"] if command == "hub" else ["sandbox", "--world", str(world)]
    paths = [b"/v1/code/vasps", b"/widget", b"/"] + ([b"/sandbox/journal"] if command == "sandbox" else [])
    with _process(tmp_path, *words) as port:
        async with asyncio.timeout(60):
            while True:
                try:
                    said = [await _said_to_websocket(port, path) for path in paths]
                    break
                except ConnectionRefusedError:
                    await asyncio.sleep(0.05)  # it says nothing when it begins to listen
    assert 101 not in said
    assert all(200 <= status < 500 for status in said)
