"""The withdrawals of a fault run: each has its events and the end that it must reach."""

from __future__ import annotations

import random
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from tests.chaos.members import ADDRESSES, TAG
from tests.chaos.subject import Sends, SubjectScript, Verdict, new_amount, new_txid
from travelrule.commands.demo.scenarios import ANNA, ERIK, WRONG

ALLOWED: Verdict = ("allow", "VERIFIED")
CANCELLED: Verdict = ("deny", "CANCELLED")
NOWHERE: Verdict = ("deny", "ADDRESS_NOT_FOUND")
UNSERVED: Verdict = ("deny", "ASSET_NOT_SUPPORTED")
MISSPELT: Verdict = ("hold", "DENIED_INPUT_NAME_MISMATCHED")


@dataclass(kw_only=True)
class WithdrawalScript(SubjectScript):
    """One withdrawal."""

    KEY_FIELD = "withdrawalId"

    target: str
    partition: int = -1

    @property
    def withdrawal_id(self) -> str:
        """The platform's id of the withdrawal."""
        return self.key

    @property
    def origin(self) -> str:
        """The VASP that sends."""
        return self.vasp


class WithdrawalScenarios:
    """Plays scenarios through one platform."""

    def __init__(self, platform: Sends) -> None:
        self.platform = platform

    async def tell(self, story: WithdrawalScript) -> None:
        """Play the scenario to its end."""
        await KINDS[story.kind].play(self, story)
        await story.until(story.expected)
        story.told = True

    async def send(self, story: WithdrawalScript, topic: str, value: bytes, copies: int = 1) -> None:
        """Deliver an event."""
        partition = await story.deliver(self.platform, topic, value, copies)
        if topic == "withdrawals":
            story.partition = partition

    async def request(self, story: WithdrawalScript, copies: int = 1, **changes: Any) -> bytes:
        """Ask for the withdrawal."""
        story.begin()
        value = story.event("withdrawal.requested.v1", self.wish(story, **changes))
        await self.send(story, "withdrawals", value, copies)
        return value

    def wish(self, story: WithdrawalScript, **changes: Any) -> dict[str, Any]:
        """The data of the customer's request, as an event holds them."""
        address = ADDRESSES[story.target]
        return {
            "currency": "XRP",
            "network": "XRP",
            "amount": new_amount(story.rng),
            "tradePrice": "150.30",
            "tradeCurrency": "USD",
            "isExceedingThreshold": True,
            "destination": {"kind": "vasp", "vaspEntityId": story.target, "address": address, "tag": TAG},
            "originator": {"customerId": f"c-{story.rng.randrange(1000)}", **ANNA},
            "beneficiary": ERIK,
        } | changes

    async def say(self, story: WithdrawalScript, topic: str, kind: str, copies: int = 1, **data: Any) -> None:
        """Send another event about the withdrawal."""
        await self.send(story, topic, story.event(kind, data), copies)

    async def broadcast(self, story: WithdrawalScript, copies: int = 1) -> None:
        """Value was sent."""
        story.txid = story.txid or new_txid(story.rng)
        await self.say(story, "txids", "withdrawal.broadcast.v1", copies, txid=story.txid)


async def ordinary(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story)
    await story.until(ALLOWED)
    await scenarios.broadcast(story)
    await scenarios.say(story, "txids", "withdrawal.mined.v1")
    await scenarios.say(story, "txids", "withdrawal.settled.v1", outcome="confirmed")


async def broadcast_only(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story)
    await story.until(ALLOWED)
    await scenarios.broadcast(story)


async def failed_on_chain(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await broadcast_only(scenarios, story)
    await scenarios.say(story, "txids", "withdrawal.settled.v1", outcome="failed")


async def cancelled_late(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story)
    await story.until(ALLOWED)
    await scenarios.say(story, "withdrawals", "withdrawal.cancelled.v1", reason="UNKNOWN")


async def cancelled_early(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story)
    await scenarios.say(story, "withdrawals", "withdrawal.cancelled.v1", reason="UNKNOWN")


async def misspelt(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story, beneficiary=WRONG)
    await story.until(MISSPELT)
    await scenarios.say(story, "withdrawals", "withdrawal.amended.v1", beneficiary=ERIK)
    await story.until(ALLOWED)
    await scenarios.broadcast(story)


async def nowhere(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    address = "r" + story.rng.randbytes(12).hex()
    await scenarios.request(story, destination={"kind": "vasp", "vaspEntityId": story.target, "address": address})


async def thrice(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story, copies=3)
    await story.until(ALLOWED)
    await scenarios.broadcast(story, copies=2)


async def txid_first(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.broadcast(story)
    await scenarios.request(story)


async def conflict(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    value = orjson.loads(await scenarios.request(story))
    value["data"]["amount"] = "0.000001"
    await scenarios.platform.deliver("withdrawals", story.withdrawal_id, orjson.dumps(value))
    story.dead.append("CONFLICT")
    await story.until(ALLOWED)
    await scenarios.broadcast(story)


async def nonsense(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.platform.deliver("withdrawals", story.withdrawal_id, b"\xff no event " + story.rng.randbytes(8))
    story.dead.append("INVALID_JSON")
    await broadcast_only(scenarios, story)


async def unserved(scenarios: WithdrawalScenarios, story: WithdrawalScript) -> None:
    await scenarios.request(story, currency="DOGE", network="DOGE")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of scenario: its events, its required end, its share of the run, and whether a robot can be its target."""

    play: Callable[[WithdrawalScenarios, WithdrawalScript], Awaitable[None]]
    expected: Verdict
    weight: int
    with_robot: bool = False


KINDS = {
    "ordinary": Kind(ordinary, ALLOWED, 46, with_robot=True),
    "broadcast-only": Kind(broadcast_only, ALLOWED, 8, with_robot=True),
    "failed-on-chain": Kind(failed_on_chain, ALLOWED, 8, with_robot=True),
    "cancelled-late": Kind(cancelled_late, CANCELLED, 8, with_robot=True),
    "cancelled-early": Kind(cancelled_early, CANCELLED, 6),
    "misspelt": Kind(misspelt, ALLOWED, 6),
    "nowhere": Kind(nowhere, NOWHERE, 4),
    "thrice": Kind(thrice, ALLOWED, 6, with_robot=True),
    "txid-first": Kind(txid_first, ALLOWED, 3),
    "conflict": Kind(conflict, ALLOWED, 2),
    "nonsense": Kind(nonsense, ALLOWED, 2),
    "unserved": Kind(unserved, UNSERVED, 1),
}


def new_story(rng: random.Random, kind: str, origin: str, target: str) -> WithdrawalScript:
    """A scenario whose every detail is drawn from ``rng``; its trace id is its own."""
    own = random.Random(rng.getrandbits(64))
    withdrawal_id = str(UUID(int=own.getrandbits(128), version=4))
    trace = f"00-{own.getrandbits(128):032x}-{secrets.token_hex(8)}-01"
    return WithdrawalScript(
        kind=kind,
        vasp=origin,
        key=withdrawal_id,
        target=target,
        expected=KINDS[kind].expected,
        rng=own,
        traceparent=trace,
    )


def pick(rng: random.Random, robot: str | None) -> WithdrawalScript:
    """The next customer: two of three go from north to south, some the other way, some to a robot, if there is one."""
    kind = rng.choices(list(KINDS), [one.weight for one in KINDS.values()])[0]
    origin, target = rng.choices([("north", "south"), ("south", "north"), ("north", robot)], [66, 24, 10])[0]
    if target is None or (target == robot and not KINDS[kind].with_robot):
        target = "south"
    return new_story(rng, kind, origin, target)
