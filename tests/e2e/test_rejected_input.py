"""A platform sends a broken request, gets ``hold``, and sends it again, corrected; workers die in between."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.e2e.commands import must
from tests.e2e.network import RealNetwork
from travelrule.commands.demo.platform import SeenEvent
from travelrule.commands.demo.scenarios import DemoStage, new_txid, withdrawal

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]

JSON = ("--output", "json")


async def kill_workers(network: RealNetwork) -> None:
    """Nothing is said goodbye: what is not committed is gone."""
    names = [name for name in network.north.names() if "worker" in name]
    assert names
    for name in names:
        await network.processes[name].kill()


async def start_workers(network: RealNetwork) -> None:
    for name in network.north.names():
        if "worker" in name:
            await network.processes[name].start()
            await network.until_ready(name)


async def letter_of(stage: DemoStage, key: str, code: str) -> SeenEvent:
    """The dead letter of a key on its topic."""

    def there(seen: SeenEvent) -> bool:
        return (seen.topic, seen.key, seen.headers.get("travelrule.error.code")) == ("deadletters", key, code.encode())

    return await stage.north.expect(f"dead letter {code}", there)


def broken(one: str) -> dict[str, Any]:
    return {**withdrawal(one), "amount": "1,5"}


async def test_a_broken_request_is_held_and_the_corrected_one_allowed_although_workers_are_killed(
    network: RealNetwork, stage: DemoStage
) -> None:
    one, north, settings = str(uuid4()), stage.north, network.north.settings()
    value = await north.send("withdrawals", "withdrawal.requested.v1", one, broken(one), event_id=f"{one}/1")
    letter = await letter_of(stage, one, "INVALID_AMOUNT")
    letter_id = letter.headers["travelrule.dead_letter.id"].decode()
    assert letter.headers["travelrule.error.field"] == b"data.amount"
    assert letter.headers["travelrule.error.fix"]
    held = await north.verdict(one, "hold", "REJECTED_INPUT")
    assert (held.data["deadLetterId"], held.data["sequence"], held.data["final"]) == (letter_id, 1, False)

    await kill_workers(network)
    await north.send_bytes("withdrawals", one, value)  # the platform repeats itself while no worker runs
    await stage.request(one)
    await start_workers(network)
    allowed = await north.verdict(one, "allow", "VERIFIED", after=1)
    assert allowed.data["sequence"] == 2
    assert "deadLetterId" not in allowed.data
    await stage.broadcast(one, new_txid())
    await north.exchange(allowed.data["transferId"], "processing")

    await network.until_said()
    said = [record.data for record in await network.records("north", "verdicts") if record.key == one.encode()]
    assert [(data["reasons"][0], data["sequence"]) for data in said] == [("REJECTED_INPUT", 1), ("VERIFIED", 2)]
    letters = (await must(settings, "dead-letters", "list", "--subject", f"withdrawal:{one}", *JSON)).rows
    assert [row["code"] for row in letters] == ["INVALID_AMOUNT"] * 2, "the repetition is a dead letter, no verdict"
    story = (await must(settings, "explain", f"withdrawal:{one}", *JSON)).one
    assert story["steps"][0]["input"] == "request.refused"
    assert story["steps"][0]["reasons"] == ["REJECTED_INPUT"]
    assert story["steps"][0]["refusal"] == {"deadLetter": letter_id, "code": "INVALID_AMOUNT", "field": "data.amount"}
    assert (await must(settings, "audit", "verify", *JSON)).one["ok"]


async def test_the_hold_is_published_although_the_workers_die_at_once(network: RealNetwork, stage: DemoStage) -> None:
    one, north = str(uuid4()), stage.north
    await kill_workers(network)
    await north.send("withdrawals", "withdrawal.requested.v1", one, broken(one))
    await start_workers(network)
    held = await north.verdict(one, "hold", "REJECTED_INPUT")
    assert held.data["sequence"] == 1
    await north.send("withdrawals", "withdrawal.cancelled.v1", one, {"withdrawalId": one, "reason": "UNKNOWN"})
    denied = await north.verdict(one, "deny", "CANCELLED", after=1)
    assert (denied.data["final"], denied.data["sequence"]) == (True, 2)


async def test_such_a_verdict_is_republished(network: RealNetwork, stage: DemoStage) -> None:
    one, settings = str(uuid4()), network.north.settings()
    await stage.north.send("withdrawals", "withdrawal.requested.v1", one, broken(one))
    await stage.north.verdict(one, "hold", "REJECTED_INPUT")
    await network.until_said()
    words = ("verdicts", "republish", "--since", "2026-01-01", "--subject", f"withdrawal:{one}", *JSON)
    assert (await must(settings, *words)).one == {"republished": 1}
    await network.until_said()
    said = [record for record in await network.records("north", "verdicts") if record.key == one.encode()]
    assert len(said) == 2
    assert said[0].value == said[1].value


async def test_the_dead_letters_of_a_subject_are_shown_with_a_record(network: RealNetwork, stage: DemoStage) -> None:
    one, settings = str(uuid4()), network.north.settings()
    value = await stage.north.send("withdrawals", "withdrawal.requested.v1", one, broken(one))
    letter = await letter_of(stage, one, "INVALID_AMOUNT")
    letter_id = letter.headers["travelrule.dead_letter.id"].decode()
    shown = (await must(settings, "dead-letters", "show", letter_id[:13], "--actor", "op-7", *JSON)).one
    assert (shown["id"], shown["value"], shown["shownBefore"]) == (letter_id, value.decode(), None)
    story = (await must(settings, "explain", f"disclosure:{letter_id}", *JSON)).one
    assert [step["input"] for step in story["steps"]] == ["dead-letter.shown"]
    assert [step["actor"] for step in story["steps"]] == ["op-7"]
    assert (await must(settings, "audit", "verify", *JSON)).one["ok"]
