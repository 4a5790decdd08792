"""What arrives at customers' addresses: half of it announced by the sender's VASP, half anonymous.

Each deposit is of one customer who has a tag of his own at the VASP's shared address, and of an amount that hardly
anybody else has.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from tests.chaos.members import ADDRESSES, ROBOT_SENDER, TAGS, Payment
from tests.chaos.stored_events import Stored
from tests.chaos.subject import Sends, SubjectScript, Verdict, new_amount, new_txid
from tests.chaos.withdrawal_scenarios import ALLOWED, WithdrawalScenarios, WithdrawalScript, new_story

MATCHED: Verdict = ("allow", "MATCHED")
DATA_RECEIVED: Verdict = ("allow", "DATA_RECEIVED")
NOT_FINAL: Verdict = ("hold", "AWAITING_FINALITY")
NOBODYS: Verdict = ("hold", "ORIGINATOR_UNKNOWN")
RETRACTED: Verdict = ("deny", "RETRACTED")


@dataclass(kw_only=True)
class DepositScript(SubjectScript):
    """One deposit. ``sender`` is the VASP that sent it, empty if none of the network did.

    ``withdrawal`` is the sender's side of an announced deposit.
    """

    KEY_FIELD = "depositId"

    sender: str
    tag: str
    amount: str
    withdrawal: WithdrawalScript | None = None

    @property
    def allowed_for(self) -> str:
        """The reason of its one allow; empty if there must be none."""
        return KINDS[self.kind].allowed_for

    def destination(self) -> dict[str, Any]:
        """Where the sender's customer sends."""
        address = {"address": ADDRESSES[self.vasp], "tag": self.tag}
        return {"kind": "vasp", "vaspEntityId": self.vasp, **address}


class DepositScenarios:
    """Tells deposits through both platforms; everything by the VASP's entity id."""

    def __init__(
        self, desks: Mapping[str, Sends], tellers: Mapping[str, WithdrawalScenarios], stored: Mapping[str, Stored]
    ) -> None:
        self._desks = desks
        self._tellers = tellers
        self._stored = stored

    async def tell(self, deposit: DepositScript) -> None:
        """Play the story to its end."""
        await KINDS[deposit.kind].play(self, deposit)
        await deposit.until(deposit.expected)
        deposit.told = True

    async def authorize(self, deposit: DepositScript) -> None:
        """The sender's VASP asks for its withdrawal and may send."""
        story = deposit.withdrawal
        assert story is not None
        scenarios = self._tellers[story.origin]
        await scenarios.request(story, amount=deposit.amount, destination=deposit.destination())
        await story.until(ALLOWED)

    async def report(self, deposit: DepositScript, copies: int = 1) -> None:
        """Value was sent, and the sender's platform reports it."""
        story = deposit.withdrawal
        assert story is not None
        await self._tellers[story.origin].broadcast(story, copies)
        story.told = True

    async def record(self, deposit: DepositScript) -> None:
        """The sender's VASP only records that it sent this; wait until it has, because no verdict follows."""
        story = new_story(deposit.rng, "broadcast-only", deposit.sender, deposit.vasp)
        wish = self._tellers[deposit.sender].wish(story, amount=deposit.amount, destination=deposit.destination())
        value = story.event("withdrawal.recorded.v1", {**wish, "txid": deposit.txid})
        await story.deliver(self._desks[deposit.sender], "withdrawals", value)
        await self._stored[deposit.sender].until(orjson.loads(value)["id"])

    async def detect(self, deposit: DepositScript, copies: int = 1) -> None:
        """The platform's node sees the transaction; the platform waits for the verdict from now on."""
        deposit.begin()
        data = {"txid": deposit.txid, "currency": "XRP", "network": "XRP", "amount": deposit.amount}
        await self._say(deposit, "detected", copies, **data, address=ADDRESSES[deposit.vasp], tag=deposit.tag)

    async def confirm(self, deposit: DepositScript, copies: int = 1) -> None:
        """Final on the platform's node."""
        await self._say(deposit, "confirmed", copies)

    async def settle(self, deposit: DepositScript) -> None:
        """The platform credited it."""
        await self._say(deposit, "settled", outcome="credited")

    async def retract(self, deposit: DepositScript) -> None:
        """The block is gone."""
        await self._say(deposit, "retracted")

    async def _say(self, deposit: DepositScript, what: str, copies: int = 1, **data: Any) -> None:
        value = deposit.event(f"deposit.{what}.v1", data)
        await deposit.deliver(self._desks[deposit.vasp], "deposits", value, copies)


async def report_late(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.authorize(deposit)
    await scenarios.detect(deposit)
    await scenarios.confirm(deposit)
    await scenarios.report(deposit)


async def report_first(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.authorize(deposit)
    await scenarios.report(deposit)
    await scenarios.detect(deposit)
    await scenarios.confirm(deposit)


async def doubled(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.authorize(deposit)
    await scenarios.detect(deposit, copies=3)
    await scenarios.report(deposit, copies=2)
    await scenarios.confirm(deposit, copies=2)


async def confirmed_first(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.authorize(deposit)
    await scenarios.confirm(deposit)
    await scenarios.detect(deposit)
    await scenarios.report(deposit)


async def settled(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await report_late(scenarios, deposit)
    await deposit.until(MATCHED)
    await scenarios.settle(deposit)


async def reorganised(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await report_first(scenarios, deposit)
    await deposit.until(MATCHED)
    await scenarios.retract(deposit)


async def anonymous(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.record(deposit)
    await from_robot(scenarios, deposit)


async def from_robot(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.detect(deposit)
    await scenarios.confirm(deposit)


async def anonymous_doubled(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.record(deposit)
    await scenarios.detect(deposit, copies=3)
    await scenarios.confirm(deposit, copies=2)


async def anonymous_settled(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await anonymous(scenarios, deposit)
    await deposit.until(DATA_RECEIVED)
    await scenarios.settle(deposit)


async def final_late(scenarios: DepositScenarios, deposit: DepositScript) -> None:
    await scenarios.record(deposit)
    await scenarios.detect(deposit)
    await deposit.until(NOT_FINAL)
    await scenarios.confirm(deposit)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of deposit: its events, its required end, the reason of its one allow, and its share of the run."""

    play: Callable[[DepositScenarios, DepositScript], Awaitable[None]]
    expected: Verdict
    allowed_for: str
    weight: int


KINDS = {
    "report-late": Kind(report_late, MATCHED, "MATCHED", 16),
    "report-first": Kind(report_first, MATCHED, "MATCHED", 14),
    "doubled": Kind(doubled, MATCHED, "MATCHED", 6),
    "confirmed-first": Kind(confirmed_first, MATCHED, "MATCHED", 4),
    "settled": Kind(settled, MATCHED, "MATCHED", 6),
    "reorganised": Kind(reorganised, RETRACTED, "MATCHED", 4),
    "anonymous": Kind(anonymous, DATA_RECEIVED, "DATA_RECEIVED", 24),
    "from-robot": Kind(from_robot, DATA_RECEIVED, "DATA_RECEIVED", 8),
    "anonymous-doubled": Kind(anonymous_doubled, DATA_RECEIVED, "DATA_RECEIVED", 6),
    "anonymous-settled": Kind(anonymous_settled, DATA_RECEIVED, "DATA_RECEIVED", 4),
    "final-late": Kind(final_late, DATA_RECEIVED, "DATA_RECEIVED", 6),
    "from-nobody": Kind(from_robot, NOBODYS, "", 2),
}
ANNOUNCED = frozenset({"report-late", "report-first", "doubled", "confirmed-first", "settled", "reorganised"})


def pick_deposit(rng: random.Random, payments: list[Payment]) -> DepositScript:
    """The next deposit; ``payments`` are those of the robot that are still to arrive."""
    kind = rng.choices(list(KINDS), [one.weight for one in KINDS.values()])[0]
    if kind == "from-robot" and not payments:
        kind = "anonymous"
    sender, vasp = rng.choices([("north", "south"), ("south", "north")], [65, 35])[0]
    own = random.Random(rng.getrandbits(64))
    deposit = DepositScript(
        kind=kind,
        vasp=vasp,
        key=f"d-{UUID(int=own.getrandbits(128), version=4)}",
        expected=KINDS[kind].expected,
        rng=own,
        traceparent=f"00-{own.getrandbits(128):032x}-{own.getrandbits(64):016x}-01",
        txid=new_txid(own),
        sender=sender,
        tag=own.choice(TAGS),
        amount=new_amount(own),
    )
    if kind == "from-robot":
        payment = payments.pop()
        deposit.sender, deposit.vasp = ROBOT_SENDER, payment.vasp
        deposit.txid, deposit.tag, deposit.amount = payment.txid, payment.tag, payment.amount
    elif kind == "from-nobody":
        deposit.sender = ""
    elif kind in ANNOUNCED:
        deposit.withdrawal = new_story(own, "broadcast-only", sender, vasp)
        deposit.withdrawal.txid = deposit.txid
    return deposit
