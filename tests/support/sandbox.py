"""A sandbox for tests: a caller `north` that signs and seals, robots, and a recording server behind `south`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

from tests.support.documented_hub import conform
from tests.support.hub import NORTH, SOUTH, TRANSFER_ID, HandClock, RecordingMember, signed
from tests.support.search_hub import ACCOUNT, REQUEST_ID, TXID, TXID_SEARCH, Callbacks, Kind
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import SigningKey
from travelrule.sandbox.app import create_sandbox
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.world.world_file import parse_world

ROBOT = SigningKey(b"r" * 32)
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
OWNED = {
    "address": ADDRESS,
    "tag": "77001",
    "currency": "XRP",
    "owner": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
}


def text_key(key: SigningKey, seed: bytes) -> str:
    """The base64 seed of a test key."""
    import base64

    assert SigningKey(seed).public == key.public
    return base64.b64encode(seed).decode()


ROBOT_SEED = text_key(ROBOT, b"r" * 32)


def listed(entity_id: str, **more: Any) -> dict[str, Any]:
    """A member's part of a world file."""
    return {
        "vaspEntityId": entity_id,
        "vaspLegalName": f"{entity_id} Ltd.",
        "countryOfRegistration": "DE",
        "allianceName": "code",
        **more,
    }


def real(entity_id: str, key: SigningKey, **more: Any) -> dict[str, Any]:
    """A real member with a server."""
    keys = [{"pubkey": key.public_base64, "expiresAt": "2031-01-01T00:00:00Z"}]
    return listed(entity_id, pubkeys=keys, baseUrl="http://member.invalid", **more)


def person(last: str = "Lind", first: str = "Erik") -> dict[str, Any]:
    """A natural person of a message."""
    name = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    return {"naturalPerson": {"name": {"nameIdentifier": [name]}}}


def company(name: str = "North Ltd.") -> dict[str, Any]:
    """A legal person of a message."""
    named = {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
    return {"legalPerson": {"name": {"nameIdentifier": [named]}, "countryOfRegistration": "SG"}}


def born(who: dict[str, Any], on: str = "1980-05-06") -> dict[str, Any]:
    """The same natural person with a date of birth."""
    return {"naturalPerson": {**who["naturalPerson"], "dateAndPlaceOfBirth": {"dateOfBirth": on}}}


def withdrawal(**more: Any) -> dict[str, Any]:
    """What Anna Berg sent to the account that searches are about."""
    anna = {"natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1980-05-06"}}
    return {
        "txid": TXID,
        "address": ACCOUNT,
        "currency": "XRP",
        "amount": "250.5",
        "tradePrice": "150.30",
        "tradeCurrency": "EUR",
        "accountNumber": "rOWN:1001",
        "originator": anna,
        **more,
    }


def data_request(
    *originators: dict[str, Any], beneficiaries: tuple[dict[str, Any], ...] = (person(),)
) -> dict[str, Any]:
    """The IVMS101 objects of a data request."""
    content: dict[str, Any] = {
        "Beneficiary": {"beneficiaryPersons": list(beneficiaries), "accountNumber": [ACCOUNT]},
        "BeneficiaryVASP": {"beneficiaryVASP": company()},
    }
    if originators:
        content["Originator"] = {"originatorPersons": list(originators), "accountNumber": [ACCOUNT]}
    return content


def ivms(account: str = f"{ADDRESS}:77001", beneficiaries: tuple[dict[str, Any], ...] = (person(),)) -> dict[str, Any]:
    """The IVMS101 objects of an authorization request."""
    return {
        "Originator": {"originatorPersons": [person("Berg", "Anna")], "accountNumber": ["rOWN:1001"]},
        "Beneficiary": {"beneficiaryPersons": list(beneficiaries), "accountNumber": [account]},
        "OriginatingVASP": {"originatingVASP": company()},
    }


@dataclass
class World:
    """A sandbox over ASGI."""

    sandbox: Sandbox
    journal: SandboxJournal
    south: RecordingMember
    client: httpx.AsyncClient
    pauses: list[float] = field(default_factory=list)
    nonce: int = 0
    callbacks: Callbacks = field(default_factory=Callbacks)

    async def send(
        self, method: str, path: str, body: Any = None, remote: SigningKey | None = None, **how: Any
    ) -> httpx.Response:
        """Send a signed request as `north`."""
        raw = b"" if body is None else json.dumps(body).encode()
        self.nonce += 1
        headers = signed(raw, nonce=self.nonce, remote=remote, **how)
        response = await self.client.request(method, path, content=raw, headers=headers)
        return response if self.sandbox.faults.shown() else conform(response)

    async def search(self, payload: dict[str, Any], currency: str = "XRP", **how: Any) -> httpx.Response:
        """Search an address at the robot."""
        body = {"currency": currency, "payload": sealed(payload)}
        return await self.send("POST", "/v1/code/VerifyAddress/robot", body, ROBOT, **how)

    async def authorize(
        self,
        content: dict[str, Any] | None = None,
        *,
        transfer_id: str = TRANSFER_ID,
        target: str = "robot",
        remote: SigningKey = ROBOT,
        key: SigningKey = NORTH,
        origin: str = "code:north",
        **fields: Any,
    ) -> httpx.Response:
        """Ask the robot for an authorization; ``fields`` replace fields of the body."""
        body = {
            "transferId": transfer_id,
            "currency": "XRP",
            "amount": "250.5",
            "tradePrice": "150.30",
            "tradeCurrency": "USD",
            "isExceedingThreshold": "true",
            "payload": sealed(ivms() if content is None else content, remote, key),
            **fields,
        }
        return await self.send("POST", f"/v1/code/transfer/{target}", body, remote, key=key, origin=origin)

    async def report(self, txid: str, transfer_id: str = TRANSFER_ID, **more: Any) -> dict[str, Any]:
        """Report a txid to the robot."""
        body = {"transferId": transfer_id, "txid": txid}
        return (await self.send("POST", "/v1/code/transfer/robot/txid", body, **more)).json()  # type: ignore[no-any-return]

    async def finish(self, transfer_id: str = TRANSFER_ID, **more: Any) -> dict[str, Any]:
        """Finish a transfer at the robot."""
        body = {"transferId": transfer_id, "status": "canceled"}
        return (await self.send("PUT", "/v1/code/transfer/robot/status", body, **more)).json()  # type: ignore[no-any-return]

    async def find(self, kind: Kind = TXID_SEARCH, request_id: str = REQUEST_ID, **fields: Any) -> dict[str, Any]:
        """Search as `north`, wait for the end, and return the result; ``fields`` are added to the body."""
        body = {"requestId": request_id, **kind.body, **fields}
        started = await self.send("POST", kind.path, body)
        assert started.json()["result"] == "SUCCESS", started.text
        await self.sandbox.tasks.settled()
        return (await self.send("GET", f"{kind.path}/{request_id}")).json()  # type: ignore[no-any-return]

    async def ask(
        self,
        content: dict[str, Any],
        *,
        target: str = "robot",
        remote: SigningKey = ROBOT,
        key: SigningKey = NORTH,
        origin: str = "code:north",
        **fields: Any,
    ) -> httpx.Response:
        """Send a data request to the robot; ``fields`` replace fields of the body."""
        body = {
            "transferId": TRANSFER_ID,
            "txid": TXID,
            "beneficiaryAddress": ACCOUNT,
            "payload": sealed(content, remote, key),
            **fields,
        }
        return await self.send("PUT", f"/v1/code/verification/tx/{target}", body, remote, key=key, origin=origin)

    async def fault(self, **spec: Any) -> httpx.Response:
        """Put a fault in."""
        return await self.client.post("/sandbox/faults", json=spec)

    def entries(self, operation: str = "") -> list[dict[str, Any]]:
        """The journal's entries, of one operation if named."""
        return [entry for entry in self.journal.page().entries if operation in ("", entry["operation"])]


_drawn = 0


def sealed(payload: dict[str, Any], remote: SigningKey = ROBOT, key: SigningKey = NORTH) -> str:
    """Seal a payload; no nonce comes twice."""
    global _drawn  # noqa: PLW0603 -- a counter is the simplest nonce
    _drawn += 1
    return seal(key, remote.public_base64, json.dumps({"ivms101": payload}).encode(), _drawn.to_bytes(24, "big"))


def opened(payload: str, key: SigningKey = NORTH, remote: SigningKey = ROBOT) -> dict[str, Any]:
    """Open an answer's payload."""
    return json.loads(open_sealed(key, remote.public_base64, payload))["ivms101"]  # type: ignore[no-any-return]


def sandbox(
    *,
    client: str = "127.0.0.1",
    journal: SandboxJournal | None = None,
    alliance: str = "code",
    more: Sequence[dict[str, Any]] = (),
    screening: dict[str, Any] | None = None,
    **robot: Any,
) -> World:
    """Make a sandbox whose robot is as ``robot`` says; ``more`` are further members."""
    played = listed("robot", robot={"seed": ROBOT_SEED, **robot}) | {"allianceName": alliance}
    members = [real("north", NORTH), real("south", SOUTH), played, *more, listed("nowhere")]
    limits = {"memberTimeoutSeconds": 0.2, "memberSearchSeconds": 0.05, "allowHttpCallbacks": True}
    world = parse_world({"members": members, "screening": screening or {}, **limits})
    kept = journal or SandboxJournal()
    callbacks = Callbacks()
    south = RecordingMember()
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    made = Sandbox(
        world, south, journal=kept, callbacks=callbacks, clock=HandClock(), randomness=_counting(), pause=pause
    )
    transport = httpx.ASGITransport(create_sandbox(made, kept), client=(client, 1))
    http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
    return World(made, kept, south, http, pauses, callbacks=callbacks)


def _counting() -> Callable[[int], bytes]:
    drawn = iter(range(1, 10**9))
    return lambda size: next(drawn).to_bytes(size, "big")


def transfer_ids(count: int) -> list[str]:
    """Different transfer ids."""
    return [str(UUID(int=number, version=4)) for number in range(count)]
