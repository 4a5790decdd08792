"""The JDK's HTTP client on its defaults: it sends ``Upgrade: h2c`` with its first request on plain HTTP."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.unit.listener.door import open_door

pytestmark = pytest.mark.services

CLIENT = Path(__file__).with_name("JavaClient.java")


async def test_its_bodies_arrive_and_its_upgrade_is_ignored() -> None:
    java = shutil.which("java")
    assert java, "java is missing: the suite's Kafka needs it too"
    async with open_door() as door:
        process = await asyncio.create_subprocess_exec(
            java, str(CLIENT), f"http://127.0.0.1:{door.port}/x", stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
    assert process.returncode == 0
    assert output.decode().splitlines() == [f"200 HTTP_1_1 POST {size}" for size in (2, 70_000, 0)]
    assert [len(body) for _, body in door.app.seen] == [2, 70_000, 0]
