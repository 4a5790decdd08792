"""The JDK's HTTP client on its defaults: it sends ``Upgrade: h2c`` with its first request on plain HTTP."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tests.contract.listener.role import HEADERS, M1, m1_body, started, until_ready
from tests.support.command_line import Cli
from tests.support.raw_sockets import open_door

pytestmark = pytest.mark.services

HERE = Path(__file__).parent


async def _java(source: str, *arguments: str) -> list[str]:
    """Run a class of one file; the lines that it prints."""
    java = shutil.which("java")
    assert java, "java is missing: the suite's Kafka needs it too"
    process = await asyncio.create_subprocess_exec(java, str(HERE / source), *arguments, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()


async def test_its_bodies_arrive_and_its_upgrade_is_ignored() -> None:
    async with open_door() as door:
        lines = await _java("JavaClient.java", f"http://127.0.0.1:{door.port}/x")
    assert lines == [f"200 HTTP_1_1 POST {size}" for size in (2, 70_000, 0)]
    assert [len(body) for _, body in door.app.seen] == [2, 70_000, 0]


async def test_its_address_verification_is_answered_by_the_gateway(member: Cli, tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_bytes(m1_body())
    headers = [text for both in HEADERS.items() for text in both]
    with started(member) as role:
        await until_ready(role)
        assert await role.works()  # the first one of a process is the slowest
        lines = await _java("JavaPost.java", f"http://127.0.0.1:{role.gateway_port}{M1}", str(body), *headers)
    answers = [line.split(" ", 2) for line in lines]
    assert [(status, version) for status, version, _ in answers] == [("200", "HTTP_1_1")] * 2
    assert [json.loads(text)["result"] for *_, text in answers] == ["valid"] * 2
