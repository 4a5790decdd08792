"""A database of the tree before: it migrates, goes on to conclusions, and verifies without faults."""

from __future__ import annotations

import orjson

from schemas.events.decisions import DecisionRecorded
from schemas.events.deposits import DepositConfirmed
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from tests.contract.earlier.installation import Installation
from tests.contract.earlier.stored import KEPT
from tests.support.installation import TYPES
from travelrule.store import tables

RECORDS = KEPT["rows"]["audit"]
ERASED = 7
"""Records of the withdrawal whose data were erased."""
DAY = 86_400
TYPES |= {"DepositConfirmed": "deposit.confirmed.v1"}


def paid(name: str, number: int) -> tuple[WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled]:
    """The platform's events about a withdrawal that was allowed."""
    return (
        WithdrawalBroadcast(withdrawal_id=name, txid=f"{number:04}" * 16, vout=None),
        WithdrawalMined(withdrawal_id=name),
        WithdrawalSettled(withdrawal_id=name, outcome="confirmed"),
    )


async def concluded(one: Installation) -> None:
    """Bring everything that the earlier tree left open to its conclusion."""
    await one.settle()
    for number, name in enumerate(("verified", "screened", "asked", "untold"), start=61):
        for event in paid(name, number):
            await one.tell(f"withdrawal:{name}", event)
            await one.settle()
    await one.tell("withdrawal:reported", paid("reported", 0)[2])
    await one.north.withdraw("parked")
    await one.tell("deposit:late", DepositConfirmed(deposit_id="late"))
    await one.later(600, 15)
    denied = {"actor": "operator-1", "reason": "checked by phone", "decision": "deny"}
    for subject in ("withdrawal:searched", "deposit:anonymous", "deposit:expected"):
        await one.tell(subject, DecisionRecorded(subject=subject, **denied))
    await one.later(2 * DAY, 3600)


async def test_it_is_proved_without_faults(installation: Installation) -> None:
    report = await installation.verify()
    assert report.faults == []
    assert (report.not_kept, report.earlier_version) == (ERASED, RECORDS - ERASED)
    assert report.recomputed == report.records - RECORDS, "what this tree heard of the directory at its start"


async def test_what_was_open_goes_on_to_its_conclusion(installation: Installation) -> None:
    await concluded(installation)
    for name in ("verified", "screened", "asked", "untold", "reported", "unreachable"):
        row = await installation.subject(f"withdrawal:{name}")
        assert (row.verdict, name) == ("allow", name)
        if name != "unreachable":
            assert (row.status, row.chain, row.due_at) == ("confirmed", "final", None)
    for subject in ("withdrawal:searched", "deposit:anonymous", "deposit:expected"):
        assert (await installation.subject(subject)).verdict == "deny"
    late = await installation.subject("deposit:late")
    assert (late.verdict, late.chain) == ("allow", "final")
    proof = await installation.subject("screening:proof")
    assert (proof.status, proof.verdict) == ("ended", "deny"), "the customer's time is over"
    exchange = await installation.subject(f"exchange:north/{'5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b05'}")
    assert exchange.records > 1, "its timer fired"


async def test_what_was_parked_is_released(installation: Installation) -> None:
    assert len(await installation.north.rows(tables.parked)) == 2
    await installation.north.withdraw("parked")
    await installation.settle()
    assert await installation.north.rows(tables.parked) == []
    row = await installation.subject("withdrawal:parked")
    assert (row.parked, row.chain) == (0, "mined")


async def test_messages_between_subjects_and_calls_are_carried_out(installation: Installation) -> None:
    await installation.later(60, 5)
    assert await installation.north.rows(tables.tells) == []
    assert (await installation.subject("withdrawal:untold")).verdict == "allow"
    assert (await installation.subject("assessment:withdrawal:untold/1")).status == "ended"


async def test_events_that_were_not_sent_are_sent_first(installation: Installation) -> None:
    unsent = await installation.north.rows(tables.outbox, tables.outbox.c.sent_at.is_(None))
    await installation.settle()
    while await installation.relay.round():
        pass
    sent = [value for _, _, value in installation.broker.log]
    assert {bytes(row.value) for row in unsent} <= set(sent)
    numbers: dict[tuple[str, str], list[int]] = {}
    for topic, key, value in installation.broker.log:
        if topic == "verdicts":
            numbers.setdefault((topic, key.decode()), []).append(orjson.loads(value)["data"]["sequence"])
    assert numbers
    assert all(told == sorted(set(told)) for told in numbers.values())


async def test_both_versions_of_a_subject_are_proved(installation: Installation) -> None:
    before = await installation.verify()
    await concluded(installation)
    assert await installation.log.round() > 0
    report = await installation.verify()
    assert report.faults == []
    assert report.earlier_version == before.earlier_version
    assert report.recomputed == report.records - RECORDS > 50
    assert report.roots == before.roots + 1
