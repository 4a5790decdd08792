"""``python -m tests.benchmarks.hostile``: what hostile connections cost a gateway process (the table of ADR 0017).

CPU seconds and memory are those of the process; an attack sends until it is refused, or for ``SECONDS``.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import orjson
import pytest

from tests.contract.listener.role import HEADERS, M1, Role, furnished, hostile_peers, m1_body, started, until_ready
from tests.contract.store.databases import sqlite_url
from tests.services import run
from tests.support.command_line import Cli

SECONDS = 5.0
SENT_MAX = 16_000_000
HEAD = b"POST /v1/beneficiary/VerifyAddress HTTP/1.1\r\nHost: h\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
ATTACKS = {
    "a header without end": (1, HEAD + b"X: ", b"a" * 65_536),
    "many small headers": (4, HEAD, b"a: b\r\n" * 10_000),
    "trailers without end": (4, CHUNKED, b"a: b\r\n" * 10_000),
}


def _cpu_seconds(role: Role) -> float:
    fields = Path(f"/proc/{role.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _pour(role: Role, first: bytes, piece: bytes) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", role.gateway_port)
    sent = 0
    try:
        async with asyncio.timeout(SECONDS):
            writer.write(first)
            while sent < SENT_MAX and not reader.at_eof():
                writer.write(piece)
                await writer.drain()
                sent += len(piece)
            await reader.read()
    except (ConnectionError, TimeoutError):
        pass
    finally:
        writer.transport.abort()
    return sent


async def _attacked(role: Role, name: str) -> dict[str, object]:
    count, first, piece = ATTACKS[name]
    cpu, memory = _cpu_seconds(role), role.resident_bytes()
    attack = asyncio.gather(*(_pour(role, first, piece) for _ in range(count)))
    asked = time.monotonic()
    answered = await role.works()
    waited = time.monotonic() - asked
    sent = sum(await attack)
    return {
        "attack": name,
        "sent_megabytes": round(sent / 1e6, 1),
        "cpu_seconds": round(_cpu_seconds(role) - cpu, 2),
        "memory_megabytes": round((role.resident_bytes() - memory) / 1e6, 1),
        "answered_meanwhile": answered,
        "after_seconds": round(waited, 2),
    }


async def _upgraded(role: Role) -> dict[str, object]:
    """An address verification with ``Upgrade: h2c``, as the JDK's client sends it, head and body together."""
    body = m1_body()
    headers = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAI\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", role.gateway_port)
    head = f"POST {M1} HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n{headers}{upgrade}\r\n"
    writer.write(head.encode() + body)
    said = (await reader.readuntil(b"\r\n")).decode().strip()
    writer.transport.abort()
    return {"upgrade": said}


async def _held(role: Role) -> dict[str, object]:
    async with hostile_peers() as peers:
        await peers.open(role.gateway_port, 3_000, HEAD)
        memory = role.resident_bytes()
        try:
            async with asyncio.timeout(10):
                answered = await role.works()
        except (OSError, TimeoutError):
            answered = False
        return {"held": 3_000, "files": 1_024, "answered": answered, "resident_megabytes": round(memory / 1e6)}


async def _measure(member: Cli) -> None:
    with started(member, files=1_024) as role:
        await until_ready(role)
        sys.stdout.write(orjson.dumps(await _held(role)).decode() + "\n")
    for name in ATTACKS:
        with started(member) as role:
            await until_ready(role)
            await role.works()
            sys.stdout.write(orjson.dumps(await _attacked(role, name)).decode() + "\n")
    with started(member) as role:
        await until_ready(role)
        sys.stdout.write(orjson.dumps(await _upgraded(role)).decode() + "\n")


def main() -> None:
    """Measure on an installation that is thrown away."""
    run.open_run()
    try:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            data = Path(folder) / "data"
            data.mkdir()
            sqlite_url(data)
            (data / "store.sqlite3").rename(data / "travelrule.sqlite3")
            asyncio.run(_measure(furnished(Cli(Path(folder), patch))))
    finally:
        run.close_run()


if __name__ == "__main__":
    main()
