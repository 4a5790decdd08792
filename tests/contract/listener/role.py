"""A gateway as an operator starts it: a process of its own on SQLite, with one member and one wallet."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from schemas.hub.bodies import VaspEntry
from streams.codec import reader
from tests.benchmarks.filled_installation import wallet_of
from tests.benchmarks.platform import event
from tests.benchmarks.surroundings import member
from tests.services.ports import free_port
from tests.services.process import ROOT
from tests.support.command_line import NORTH_PUBLIC, Cli, environment
from travelrule.bootstrap.installation import Installation
from travelrule.crypto.sealing import NONCE_BYTES, seal
from travelrule.crypto.signing import SigningKey
from travelrule.listener.descriptors import raise_limit
from travelrule.machine.input import RawMessage

PEER = SigningKey(b"p" * 32)
WALLET = wallet_of(7)
M1 = "/v1/beneficiary/VerifyAddress"
HEADERS = {
    "X-Request-Origin": "code:peer",
    "X-Code-Req-PubKey": PEER.public_base64,
    "X-Code-Req-Remote-PubKey": NORTH_PUBLIC,
    "Content-Type": "application/json",
}


def m1_body() -> bytes:
    """An address verification of our wallet, sealed by the member ``peer``."""
    account = f"{WALLET['address']}:{WALLET['tag']}"
    plain = {"ivms101": {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": [account]}}}
    payload = seal(PEER, NORTH_PUBLIC, orjson.dumps(plain), os.urandom(NONCE_BYTES))
    return orjson.dumps({"currency": "XRP", "network": "XRP", "address": WALLET["address"], "payload": payload})


async def _furnish(opened: Installation) -> None:
    now = opened.clock()
    listed = VaspEntry.model_validate({"health": "up", **member("peer", PEER.public_base64)})
    await opened.directory.store({"peer": listed}, {}, now)
    content = event("wallet.registered.v1", WALLET["walletId"], WALLET)
    item = reader(opened.clock)(RawMessage("wallets", 0, 0, WALLET["walletId"].encode(), content, ()))
    assert (await opened.engine.apply([item]))[0].status == "applied"


@dataclass(frozen=True)
class Role:
    """The running process and its two ports."""

    process: subprocess.Popen[bytes]
    log: Path
    gateway_port: int
    metrics_port: int
    tls: ssl.SSLContext | None

    async def ask(self, path: str, body: bytes | None = None, *, source: str = "127.0.0.1") -> tuple[int, Any]:
        """One request on a connection of its own: GET on the metrics port, POST at the gateway."""
        scheme, port = ("http", self.metrics_port) if body is None else ("http", self.gateway_port)
        if body is not None and self.tls is not None:
            scheme = "https"
        connector = aiohttp.TCPConnector(local_addr=(source, 0), force_close=True, ssl=self.tls or True)
        async with aiohttp.ClientSession(connector=connector) as session:
            url = f"{scheme}://127.0.0.1:{port}{path}"
            method = session.get(url) if body is None else session.post(url, data=body, headers=HEADERS)
            async with method as answer:
                return answer.status, await answer.json(content_type=None)

    async def works(self, *, source: str = "127.0.0.1") -> bool:
        """Whether both probes and an address verification are answered rightly."""
        probes = [await self.ask(path, source=source) for path in ("/livez", "/readyz")]
        status, body = await self.ask(M1, m1_body(), source=source)
        return all(status == 200 for status, _ in probes) and (status, body.get("result")) == (200, "valid")

    def resident_bytes(self) -> int:
        """Memory of the process."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def logged(self, event: str) -> list[dict[str, Any]]:
        """The lines of one event that it has written."""
        lines = [orjson.loads(line) for line in self.log.read_bytes().splitlines() if line.startswith(b"{")]
        return [line for line in lines if line["event"] == event]

    def stop(self) -> int:
        """End it in order; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


def furnished(installed: Cli) -> Cli:
    """Return the installation a member that may ask, and a wallet that it may ask about."""
    installed.within(_furnish)
    return installed


@contextmanager
def started(
    installed: Cli, *, files: int | None = None, trusted: Path | None = None, **settings: str
) -> Iterator[Role]:
    """Start ``serve gateway``. ``files`` is its hard limit of open files, ``trusted`` the CA of its certificate."""
    raise_limit()  # the test itself holds thousands of connections
    gateway, metrics = free_port(), free_port()
    ports = {"GATEWAY_LISTEN": f"127.0.0.1:{gateway}", "METRICS_LISTEN": f"127.0.0.1:{metrics}"}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TRAVELRULE_")}
    serve = [sys.executable, "-m", "travelrule", "serve", "gateway"]
    limited = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"] if files is not None else []
    log = installed.folder / "gateway.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*limited, *serve],
            cwd=installed.folder,
            env={**clean, **environment(installed.folder, **{**ports, **settings}), "PYTHONPATH": str(ROOT)},
            stdout=written,
            stderr=written,
        )
    tls = ssl.create_default_context(cafile=str(trusted)) if trusted is not None else None
    try:
        yield Role(process, log, gateway, metrics, tls)
    finally:
        process.kill()
        process.wait()


async def until_ready(role: Role) -> None:
    async with asyncio.timeout(120):
        while True:
            assert role.process.poll() is None, role.log.read_text()
            try:
                if (await role.ask("/readyz"))[0] == 200:
                    return
            except aiohttp.ClientError:
                pass  # not listening yet
            await asyncio.sleep(0.05)


class Peers:
    """Hostile connections that are held open."""

    def __init__(self) -> None:
        self.held: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self.refused = 0

    async def open(self, port: int, count: int, first: bytes = b"", *, source: str = "127.0.0.1") -> None:
        """Open ``count`` connections and send the same first bytes on each."""
        for _ in range(count):
            try:
                both = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            except ConnectionResetError:
                self.refused += 1
                continue
            both[1].write(first)
            self.held.append(both)

    def close(self) -> None:
        for _, writer in self.held:
            writer.transport.abort()


@asynccontextmanager
async def hostile_peers() -> AsyncIterator[Peers]:
    peers = Peers()
    try:
        yield peers
    finally:
        peers.close()
        await asyncio.sleep(0)
