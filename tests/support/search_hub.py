"""A hub for searches: `north` asks, the test sets the other members' answers, callbacks go to a list."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx

from tests.support.hub import NORTH, SOUTH, HandClock, HubUnderTest, RecordingMember, Records, member
from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.member import Member
from travelrule.hub.members.network_file import HubLimits
from travelrule.hub.ports import CallbackCall, MemberAnswer, MemberCall
from travelrule.hub.records import CallRecord
from travelrule.hub.runtime.app import create_hub
from travelrule.hub.runtime.assembly import assemble

HUB = SigningKey(b"h" * 32)
HUB_SEED = "aGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGhoaGg="
EAST = SigningKey(b"e" * 32)
WEST = SigningKey(b"w" * 32)
REQUEST_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
TXID = "9f1c0e5a"
ACCOUNT = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:77001"
CALLBACK_URL = "https://north.invalid/callbacks/secret-path"
HANGS = "hangs"


class Kind(NamedTuple):
    """A kind of search: where it is asked for, its body, what a "no" and the finder's field are called."""

    path: str
    body: dict[str, Any]
    not_found: str
    finder: str


TXID_SEARCH = Kind(
    "/v1/code/verification/tx",
    {"txid": TXID, "beneficiaryAddress": ACCOUNT},
    "NOT_FOUND_TXID",
    "vaspEntityId",
)
WALLET_SEARCH = Kind(
    "/v2/code/VerifyAddress",
    {"currency": "XRP", "addressNumber": ACCOUNT},
    "NOT_FOUND_ADDRESS",
    "beneficiaryVaspEntityId",
)
DATA_REQUEST = {"transferId": REQUEST_ID, "txid": TXID, "beneficiaryAddress": ACCOUNT, "payload": "c2VhbGVk"}


@dataclass
class Members:
    """A transport with an answer for each member; a member without one answers no."""

    says: dict[str, MemberAnswer | Exception | str] = field(default_factory=dict)
    calls: list[tuple[str, MemberCall]] = field(default_factory=list)
    hanging: int = 0
    hanging_most: int = 0

    async def forward(self, to: Member, call: MemberCall) -> MemberAnswer:
        self.calls.append((to.entity_id, call))
        said = self.says.get(to.entity_id, NO)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, MemberAnswer):
            return said
        self.hanging += 1
        self.hanging_most = max(self.hanging, self.hanging_most)
        try:
            await asyncio.Event().wait()
        finally:
            self.hanging -= 1
        raise AssertionError("unreachable")

    @property
    def asked(self) -> list[str]:
        return [entity_id for entity_id, _ in self.calls]

    def question(self, entity_id: str) -> dict[str, Any]:
        """The body that a member got, once."""
        (call,) = [call for asked, call in self.calls if asked == entity_id]
        return json.loads(call.body)  # type: ignore[no-any-return]


@dataclass
class Callbacks:
    """A callback transport that is a list."""

    answer: int | Exception = 200
    calls: list[CallbackCall] = field(default_factory=list)

    async def post_callback(self, call: CallbackCall) -> int:
        self.calls.append(call)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def answered(status: int = 200, **body: Any) -> MemberAnswer:
    """A member's JSON answer."""
    return MemberAnswer(status, json.dumps(body).encode())


YES = answered(result="valid")
NO = answered(result="invalid")


@dataclass
class SearchHub(HubUnderTest):
    """A hub with members `south`, `east`, `west` (affiliated), and `down`."""

    members: Members = field(default_factory=Members)
    callbacks: Callbacks = field(default_factory=Callbacks)

    async def start(self, kind: Kind = TXID_SEARCH, **how: Any) -> httpx.Response:
        """Ask for a search; ``fields`` are added to its body."""
        asked = {"requestId": REQUEST_ID, **kind.body, **how.pop("fields", {})}
        return await self.send("POST", kind.path, asked, **how)

    async def result(self, kind: Kind = TXID_SEARCH, request_id: str = REQUEST_ID, **how: Any) -> dict[str, Any]:
        """Ask how a search stands."""
        response = await self.send("GET", f"{kind.path}/{request_id}", **how)
        assert response.status_code == 200, response.text
        return response.json()  # type: ignore[no-any-return]

    async def search(self, kind: Kind = TXID_SEARCH, **how: Any) -> dict[str, Any]:
        """Search and wait for the end; return the result."""
        started = await self.start(kind, **how)
        assert started.json() == {"result": "SUCCESS", "requestId": REQUEST_ID}, started.text
        await self.hub.tasks.settled()
        return await self.result(kind)

    def recorded(self, operation: str) -> list[CallRecord]:
        """The journal's records of one operation."""
        return [record for record in self.records.kept if record.operation == operation]


def rows(result: Mapping[str, Any]) -> dict[str, str]:
    """What each member said."""
    return {row["entityId"]: row["result"] for row in result["analysisResult"]}


def search_hub(
    says: Mapping[str, MemberAnswer | Exception | str] | None = None, *more: Member, **limits: Any
) -> SearchHub:
    """Make one; ``says`` by entity id, ``limits`` are fields of ``HubLimits``."""
    clock, members, callbacks, records = HandClock(), Members(dict(says or {})), Callbacks(), Records()
    listed = [
        member("north", NORTH),
        member("south", SOUTH),
        member("east", EAST, alliance="CODE"),
        member("west", WEST, alliance="GTR"),
        member("down", SigningKey(b"d" * 32)),
        *more,
    ]
    given = {"rate_limit_per_minute": 0, "member_search_seconds": 0.05, "hub": {"seed": HUB_SEED}} | limits
    hub = assemble(
        HubLimits(**given),
        listed,
        members,
        down={"down"},
        clock=clock,
        journal=records,
        callbacks=callbacks,
    )
    transport = httpx.ASGITransport(create_hub(hub.service), client=("127.0.0.1", 1))
    client = httpx.AsyncClient(transport=transport, base_url="http://hub")
    return SearchHub(hub, clock, RecordingMember(), records, client, members=members, callbacks=callbacks)
