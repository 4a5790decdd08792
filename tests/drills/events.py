"""Faults of events: refused by the broker, refused by us, on hold for too long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

from tests.drills.network import DRILL_POLICY, Ground
from travelrule.commands.demo.scenarios import WRONG

TOO_SMALL = "300"
MANY = 30
OVERRIDE = f"operator_override = true\n{DRILL_POLICY}"


@asynccontextmanager
async def topic_too_small(ground: Ground) -> AsyncIterator[None]:
    """A topic takes less than our events need; a verdict is written."""
    resource = ConfigResource(ConfigResource.Type.TOPIC, ground.topic("verdicts"))
    resource.add_incremental_config(
        ConfigEntry("max.message.bytes", TOO_SMALL, incremental_operation=AlterConfigOpType.SET)
    )
    admin = ground.admin  # held until the answer is there
    (future,) = admin.incremental_alter_configs([resource]).values()
    await asyncio.to_thread(future.result, 20)
    withdrawal_id = await ground.request()
    yield
    await ground.follow("TravelRuleEventsRefused", "travelrule topics apply --alter")
    await ground.follow("TravelRuleEventsRefused", "travelrule verdicts republish --refused")
    await ground.platform.verdict(withdrawal_id, "allow", "VERIFIED")


async def _held(ground: Ground, number: int) -> list[str]:
    """Request withdrawals to a name that is not the beneficiary's: the customer may correct it."""
    ids = [await ground.request(beneficiary=WRONG) for _ in range(number)]
    for withdrawal_id in ids:
        await ground.platform.verdict(withdrawal_id, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    return ids


async def _allow(ground: Ground, ids: Iterable[str]) -> None:
    """Decide, past the command that would refuse it: the policy does not let an operator allow these."""
    for one in ids:
        data = {"subject": f"withdrawal:{one}", "decision": "allow", "actor": "alice", "reason": "rehearsal"}
        await ground.platform.send("decisions", "decision.recorded.v1", one, data)


async def _apply(ground: Ground, policy: str) -> None:
    file = ground.network.folder / "drill-policy.toml"
    file.write_text(policy, encoding="utf-8")
    await ground.follow("TravelRuleVerdictsLate", "travelrule policy apply FILE", FILE=str(file))


@asynccontextmanager
async def decisions_refused(ground: Ground) -> AsyncIterator[None]:
    """Decisions become dead letters, because the policy lacks a rule; it gets the rule and they are replayed."""
    ids = await _held(ground, MANY)
    await _allow(ground, ids)
    yield
    await _apply(ground, OVERRIDE)
    await ground.follow(
        "TravelRuleDeadLetterFlood", "travelrule dead-letters replay --code CODE --yes", CODE="NOT_VERIFIED"
    )
    for withdrawal_id in ids:
        await ground.platform.verdict(withdrawal_id, "allow", "OPERATOR")
    await _apply(ground, DRILL_POLICY)


@asynccontextmanager
async def customer_silent(ground: Ground) -> AsyncIterator[None]:
    """A withdrawal needs a correction that does not come; an operator denies it."""
    (withdrawal_id,) = await _held(ground, 1)
    yield
    line = "travelrule decide withdrawal:ID deny --actor WHO --reason TEXT"
    await ground.follow("TravelRuleHeldLong", line, ID=withdrawal_id, WHO="alice", TEXT="rehearsal")
    await ground.platform.verdict(withdrawal_id, "deny", "OPERATOR")
