"""The network of the demo: a sandbox hub with robots, and two VASPs that run the product."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from travelrule.commands.demo.lists import NORTH_LIST, SOUTH_LIST
from travelrule.commands.demo.platform import DemoPlatform
from travelrule.commands.demo.processes import DemoProcess, free_port
from travelrule.commands.demo.risks import RISK_POLICY, RISK_TIME_LIMITS, world_screening
from travelrule.commands.demo.vasp import DemoVasp
from travelrule.policy.policy import Policy

DEMO_POLICY = f"""
[time_limits]
unreachable_retry = 2
status_search_after = 2
status_search_every = 2
status_search_limit = 4
search_again = 2
{RISK_TIME_LIMITS}

[searches]
attempts = 1
{RISK_POLICY}"""
NAMESAKE_TXID = "AA" * 32
"""A transaction that a robot claims, with another beneficiary."""
TWICE_CLAIMED_TXID = "BB" * 32
"""A transaction that two robots claim."""
COINS = (("XRP", "XRP", "r..."), ("BTC", "BTC", "1..."), ("USDT", "ETH", "0x..."))
"""The coins of the demo: coin, network, example of an address. Others are not sent."""

ROBOT_SENDER = {"natural": {"lastName": "Okafor", "firstName": "Ngozi"}}


class DemoNetwork:
    """``north`` and ``south`` on one hub. All files are below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub_port = free_port()
        self.hub_url = f"http://127.0.0.1:{self.hub_port}"
        self.north = DemoVasp(
            "north", "North Exchange Ltd.", "SG", folder / "north", self.hub_url, DEMO_POLICY, NORTH_LIST
        )
        self.south = DemoVasp(
            "south", "South Exchange Ltd.", "SE", folder / "south", self.hub_url, DEMO_POLICY, SOUTH_LIST
        )
        self.sandbox = DemoProcess(
            "sandbox",
            ["sandbox", "--world", str(folder / "world.json"), "--listen", f"127.0.0.1:{self.hub_port}"],
            {},
            folder,
        )
        self.processes: dict[str, DemoProcess] = {}
        self.platforms: dict[str, DemoPlatform] = {}

    async def start(self) -> None:
        """Start everything and wait until it is ready."""
        self.write_world()
        await self.sandbox.start()
        await self.sandbox.until_answering(f"{self.hub_url}/sandbox/journal?limit=1")
        await asyncio.gather(self.start_vasp(self.north), self.start_vasp(self.south))
        for vasp in (self.north, self.south):
            await self.until_up(vasp.entity_id)

    def write_world(self) -> None:
        """Write the sandbox's world file with the present keys."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "world.json").write_bytes(orjson.dumps(self._world(), option=orjson.OPT_INDENT_2))

    async def start_vasp(self, vasp: DemoVasp) -> None:
        """Start a VASP's process and connect its platform to the broker that the process owns."""
        process = vasp.process()
        self.processes[vasp.entity_id] = process
        await process.start()
        await process.until_answering(vasp.ready_url)
        broker = orjson.loads((vasp.folder / "data" / "broker.json").read_bytes())
        platform = DemoPlatform(",".join(broker["bootstrap"]), vasp.topic_prefix)
        await platform.start()
        self.platforms[vasp.entity_id] = platform

    async def stop_vasp(self, vasp: DemoVasp) -> None:
        """Stop a VASP's process with SIGTERM."""
        await self.platforms.pop(vasp.entity_id).stop()
        await self.processes[vasp.entity_id].stop()

    async def stop(self) -> None:
        """Stop everything."""
        for platform in self.platforms.values():
            await platform.stop()
        await asyncio.gather(*(process.stop() for process in self.processes.values()))
        await self.sandbox.stop()

    async def until_up(self, entity_id: str, *, up: bool = True) -> None:
        """Wait until the hub's health polling shows a member as up (or down)."""
        wanted = "up" if up else "down"
        async with asyncio.timeout(60):
            while await self._health(entity_id) != wanted:  # noqa: ASYNC110 - the condition is in another process
                # The hub polls its members; no event is visible from outside.
                await asyncio.sleep(0.2)

    async def until_screened(self, vasp: DemoVasp) -> None:
        """Wait until the owner of the first wallet was screened; before that its address is not confirmed."""
        if Policy.from_toml(vasp.policy).sanctions == "off":
            return
        wanted = 'travelrule_inputs_total{outcome="applied",source="lists",type="owner.screened"}'
        async with asyncio.timeout(60), aiohttp.ClientSession() as session:
            while wanted not in await _text(session, vasp.metrics_url):  # noqa: ASYNC110 - it is in another process
                await asyncio.sleep(0.2)

    async def _health(self, entity_id: str) -> str:
        listed = await self.control("GET", "/sandbox/members")
        return next(str(member["health"]) for member in listed["members"] if member["vaspEntityId"] == entity_id)

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        """Read from the sandbox's control interface."""
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, self.hub_url + path, json=body) as answer,
        ):
            answer.raise_for_status()
            return orjson.loads(await answer.read() or b"null")

    def member(self, vasp: DemoVasp) -> dict[str, Any]:
        """A VASP's entry in the world file."""
        return {
            "vaspEntityId": vasp.entity_id,
            "vaspLegalName": vasp.legal_name,
            "countryOfRegistration": vasp.country,
            "allianceName": "code",
            "pubkeys": [{"pubkey": vasp.public_key, "expiresAt": "2031-01-01T00:00:00Z"}],
            "baseUrl": vasp.base_url,
        }

    def _world(self) -> dict[str, Any]:
        return {
            "members": [self.member(self.north), self.member(self.south), *_robots()],
            "coinNetworks": [_coin(*one) for one in COINS],
            "screening": world_screening(),
            "rateLimitPerMinute": 0,
            "memberTimeoutSeconds": 3,
            "healthIntervalSeconds": 1,
            "allowHttpCallbacks": True,
        }


async def _text(session: aiohttp.ClientSession, url: str) -> str:
    async with session.get(url) as answer:
        return await answer.text()


def _coin(name: str, network: str, address: str) -> dict[str, Any]:
    example = {"network": network, "addressExample": address, "txIdExample": "..."}
    return {"coin": name, "networkList": [example]}


def _robots() -> list[dict[str, Any]]:
    """Two VASPs that the sandbox simulates: one names another beneficiary, both claim one transaction."""
    sent = {"address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001", "currency": "XRP", "amount": "250.5"}
    namesake = {"txid": NAMESAKE_TXID, "originator": ROBOT_SENDER, **sent}
    claims = [TWICE_CLAIMED_TXID]
    # A robot without wallets claims every address.
    wallets = [{"address": "1KzHK8WMRHRCvRjUV5PFny3v6fqT3UAY5K", "currency": "BTC", "owner": ROBOT_SENDER}]
    behaviours: dict[str, dict[str, Any]] = {
        "robot-east": {"wallets": wallets, "withdrawals": [namesake], "dataRequest": "lie-name", "claims": claims},
        "robot-west": {"wallets": wallets, "claims": claims},
    }
    return [
        {
            "vaspEntityId": entity_id,
            "vaspLegalName": entity_id.replace("-", " ").title(),
            "countryOfRegistration": "DE",
            "allianceName": "code",
            "robot": {"answers": "verified", **behaviour},
        }
        for entity_id, behaviour in behaviours.items()
    ]
