"""``policy try``: stored inputs decided again under other rules; nothing is written, and what is not known is said."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

import pytest
from sqlalchemy import delete, func, select, update

from schemas.wire_model import Wire
from tests.contract.engine.recorded_history import SUBJECT, Record
from tests.contract.store.rows import NOW
from tests.support.assessment_scenes import lists, ownership
from tests.support.deposit_scenes import CONFIRMED, DEPOSIT_ID, detected
from tests.support.events import decided
from tests.support.inbound_messages import TRANSFER_ID, authorization, txid_report
from tests.support.installation import NAMES
from tests.support.vasps import NORTH as OWN
from travelrule.engine.audit.history import HistoryReader
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.policy import trial
from travelrule.engine.policy.active import ActivePolicy
from travelrule.engine.policy.trial import PolicyTrial, TrialResult
from travelrule.engine.registry import MACHINES
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.leases import LeaseRepository

LONG_AGO = NOW - timedelta(days=3650)
W2 = "withdrawal:w-2"
EXCHANGE = f"exchange:north/{TRANSFER_ID}"
NUMBERS = itertools.count(1)


def an_input(subject: str, kind: str, data: Wire, source: str = "/platform") -> Input:
    number = next(NUMBERS)
    content = data.model_dump_json(by_alias=True).encode()
    return Input(source, f"trial-{number}", kind, subject, NOW, data, content, uuid5(UUID(int=2), str(number)))


def without_lists(rules: str) -> str:
    """These rules in an installation that has no lists, unless they are about them."""
    return rules if "sanctions" in rules else f'sanctions = "off"\n{rules}'


async def in_force(record: Record, rules: str) -> Policy:
    rules = without_lists(rules)
    policy = Policy.from_toml(rules).with_own(OWN)
    await record.policies.activate(policy.version, rules, record.north.clock())
    return policy


async def authorize(record: Record) -> None:
    """An inbound authorization is answered."""
    item = an_input(EXCHANGE, "authorization.received", authorization(), "/hub")
    outcome = await record.north.submit(item)
    assert outcome.status == "applied"


async def tell_each_other(record: Record) -> None:
    """Deliver what subjects tell each other until all is said."""
    north = record.north
    leases = LeaseRepository(record.database, "north", "p1", north.clock)
    teller = MessageDispatcher(record.database, "north", north.vault, leases, north.submit_all, asyncio.Event())
    while await teller.round():
        pass


async def judged(
    record: Record, rules: str, since: Any = LONG_AGO, machines: dict[str, Machine] = MACHINES
) -> dict[str, TrialResult]:
    north = record.north
    histories = HistoryReader(record.database, "north", north.vault, record.policies, OWN)
    policy = Policy.from_toml(without_lists(rules)).with_own(OWN)
    trial = PolicyTrial(histories, north.vault, machines, policy, north.clock())
    found = [one async for one in trial.judge(since)]
    assert [one.subject for one in found] == sorted({one.subject for one in found})
    assert not any(name in str(found) for name in NAMES)
    return {one.subject: one for one in found}


def words(said: dict[str, Any] | None) -> tuple[str, list[str]] | None:
    return None if said is None else (said["verdict"], said["reasons"])


async def test_the_same_rules_give_the_same_verdicts(record: Record) -> None:
    found = await judged(record, "")
    assert set(found) == {SUBJECT, W2}
    assert words(found[SUBJECT].was) == ("allow", ["VERIFIED"])
    assert not any(one.differs or one.undetermined for one in found.values())


@pytest.mark.parametrize(
    ("rules", "subject", "would"),
    [
        ('deny_list = ["south"]', SUBJECT, ("deny", ["COUNTERPARTY_NOT_ALLOWED"])),
        ('allow_list = ["south"]', W2, ("deny", ["COUNTERPARTY_NOT_ALLOWED"])),
        ("[assets.BTC]", SUBJECT, ("deny", ["ASSET_NOT_SUPPORTED"])),
        ('[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"', W2, ("deny", ["COUNTERPARTY_UNREACHABLE"])),
    ],
)
async def test_another_rule_is_seen_where_it_bears_on_a_verdict(
    record: Record, rules: str, subject: str, would: tuple[str, list[str]]
) -> None:
    found = await judged(record, rules)
    assert found[subject].differs
    assert words(found[subject].would) == would
    assert found[subject].would is not None
    assert found[subject].would["final"] is True
    assert words(found[SUBJECT].was) == ("allow", ["VERIFIED"])


async def test_what_would_be_exempt_is_known_though_its_calls_were_made(record: Record) -> None:
    await record.north.withdraw("w-3", isExceedingThreshold=False)
    await record.north.calls_all()
    found = await judged(record, "[exemptions]\nbelow_threshold = true")
    assert words(found["withdrawal:w-3"].was) == ("allow", ["VERIFIED"])
    assert words(found["withdrawal:w-3"].would) == ("allow", ["EXEMPT_BELOW_THRESHOLD"])
    assert not found[SUBJECT].differs


async def test_where_more_would_be_asked_the_answer_is_not_known(record: Record) -> None:
    found = await judged(record, 'sanctions = "required"')
    assert found[SUBJECT].undetermined == "an assessment (lists) would be asked"
    assert (found[SUBJECT].would, found[SUBJECT].differs) == (None, False)


async def test_a_denial_is_known_whatever_else_would_be_asked(record: Record) -> None:
    found = await judged(record, 'sanctions = "required"\ndeny_list = ["south"]')
    assert words(found[SUBJECT].would) == ("deny", ["COUNTERPARTY_NOT_ALLOWED"])


async def test_an_operator_that_could_not_have_allowed(record: Record) -> None:
    north = record.north
    north.rules.current = await in_force(record, "operator_override = true")
    await north.tell(decided("allow", W2), W2)
    found = await judged(record, "")
    assert words(found[W2].was) == ("allow", ["OPERATOR"])
    assert words(found[W2].would) == ("hold", ["COUNTERPARTY_UNREACHABLE"])


async def test_timers_that_only_the_other_rules_set_come_due(record: Record) -> None:
    """An unhosted wallet: the session opens, no proof arrives, and the time limit is shorter than before."""
    north = record.north
    subject = "screening:o-1"
    outcome = await north.submit(an_input(subject, "ownership.requested.v1", ownership(requestId="o-1")))
    assert outcome.status == "applied"
    north.clock.forward(3600)
    found = await judged(record, "[time_limits]\nownership = 1800")
    assert (found[subject].was, words(found[subject].would)) == (None, ("deny", ["OWNERSHIP_NOT_PROVEN"]))
    assert not (await judged(record, "[time_limits]\nownership = 7200"))[subject].differs


@pytest.mark.parametrize(
    ("rules", "would"),
    [
        ('accept_origins = ["code:east"]', ("denied", ["UNKNOWN"])),
        ('deny_list = ["north"]', ("denied", ["UNKNOWN"])),
        ("[names]\nfirst_party_only = true", ("denied", ["INPUT_NAME_MISMATCHED"])),
        ("", ("verified", [])),
    ],
)
async def test_answers_to_authorizations_are_judged(record: Record, rules: str, would: tuple[str, list[str]]) -> None:
    await authorize(record)
    found = (await judged(record, rules))[EXCHANGE]
    assert words(found.was) == ("verified", [])
    assert words(found.would) == would


async def test_an_authorization_that_the_lists_were_not_asked_about(record: Record) -> None:
    """Denied for another reason it is known; else it depends on what the lists say."""
    await authorize(record)
    required = 'sanctions = "required"\n'
    assert "the lists" in (await judged(record, required))[EXCHANGE].undetermined
    found = (await judged(record, required + 'deny_list = ["north"]'))[EXCHANGE]
    assert words(found.would) == ("denied", ["UNKNOWN"])


async def test_a_deposit_whose_exchange_would_be_answered_otherwise(record: Record) -> None:
    north = record.north
    await authorize(record)
    deposit = f"deposit:{DEPOSIT_ID}"
    await north.submit(an_input(EXCHANGE, "txid-report.received", txid_report(), "/hub"))
    await north.submit(an_input(deposit, "deposit.detected.v1", detected()))
    await north.submit(an_input(deposit, "deposit.confirmed.v1", CONFIRMED))
    await tell_each_other(record)
    same = await judged(record, "")
    assert words(same[deposit].was) == words(same[deposit].would) == ("allow", ["MATCHED"])
    found = (await judged(record, 'deny_list = ["north"]'))[deposit]
    assert found.undetermined == f"{EXCHANGE} would be answered otherwise"
    rated = (await judged(record, '[screening]\ndeposits = ["transaction"]'))[deposit]
    assert rated.undetermined == "an assessment (transaction) would be asked"


async def assessed(record: Record, rules: str) -> None:
    """A withdrawal under rules that require the lists: they answer after 20 seconds, then it continues."""
    north = record.north
    north.rules.current = await in_force(record, rules)
    await north.withdraw("w-5")
    await tell_each_other(record)
    (call,) = await north.rows(tables.calls, tables.calls.c.operation == "look-up")
    north.clock.forward(20)
    report = lists()
    item = replace(an_input(call.subject, f"call.{report.outcome}", report, "/hub"), id=call.id)
    assert (await north.submit(item)).status == "applied"
    await tell_each_other(record)
    await north.calls_all()


async def test_an_assessment_that_stands_under_the_same_rules_and_not_under_other_ones(record: Record) -> None:
    required = 'sanctions = "required"\n'
    await assessed(record, required)
    w5 = "withdrawal:w-5"
    same = (await judged(record, required))[w5]
    assert words(same.was) == words(same.would) == ("allow", ["VERIFIED"])
    other = (await judged(record, required + "[screening]\nname_threshold = 0.95"))[w5]
    assert other.undetermined.endswith("the own store (screening) would be asked with other facts")
    hasty = (await judged(record, required + "[time_limits]\nscreening = 5"))[w5]
    assert words(hasty.would) == ("hold", ["RISK_UNKNOWN"])
    without = (await judged(record, ""))[w5]
    assert without.differs is False
    assert without.undetermined == "", "the address search and its answer do not depend on the lists"


async def test_nothing_is_changed_and_nothing_is_sent(record: Record) -> None:
    async def counts() -> dict[str, Any]:
        async with record.database.read() as connection:
            return {
                table.name: (await connection.execute(select(func.count()).select_from(table))).scalar_one()
                for table in tables.metadata.sorted_tables
            }

    before, seen = await counts(), len(record.north.seen())
    rows = [tuple(row) for row in await record.north.rows(tables.subjects)]
    await judged(record, 'deny_list = ["south"]\nsanctions = "required"')
    assert await counts() == before
    assert [tuple(row) for row in await record.north.rows(tables.subjects)] == rows
    assert len(record.north.seen()) == seen


async def test_each_verdict_names_the_policy_that_a_running_process_had_taken_up(record: Record) -> None:
    north = record.north
    active = ActivePolicy(record.policies, OWN, None, north.clock)
    north.engine.policy = active
    await active.load()
    first = active().version
    other = await in_force(record, 'allow_list = ["south"]')
    await active.load()
    await north.withdraw("w-7", "nobody")
    named = {data["subject"]: data["policyVersion"] for data in await north.said("verdicts")}
    assert first != other.version
    assert named[SUBJECT] == first
    assert named["withdrawal:w-7"] == other.version
    assert (await record.verify()).ok


async def test_only_what_was_touched_since_then(record: Record) -> None:
    record.north.clock.forward(60)
    since = record.north.clock()
    assert await judged(record, "", since) == {}
    await record.north.withdraw("w-4", "west")
    assert set(await judged(record, "", since)) == {"withdrawal:w-4"}


async def test_more_subjects_than_a_page(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "PAGE", 2)
    for number in range(3, 6):
        await record.north.withdraw(f"w-{number}", "west")
    assert len(await judged(record, "")) == 5


async def erased(record: Record) -> None:
    await record.change(delete(tables.data_keys).where(tables.data_keys.c.subject == SUBJECT))


async def policy_gone(record: Record) -> None:
    await record.change(delete(tables.policies))


async def input_gone(record: Record) -> None:
    inputs = tables.inputs
    await record.change(delete(inputs).where(inputs.c.subject == SUBJECT, inputs.c.record == 2))


async def sealed_changed(record: Record) -> None:
    inputs = tables.inputs
    await record.change(update(inputs).where(inputs.c.subject == SUBJECT).values(sealed=b"x" * 64))


async def record_changed(record: Record) -> None:
    where = (tables.audit.c.subject == SUBJECT, tables.audit.c.record == 3)
    body = bytes((await record.one(tables.audit, *where)).body)
    other = body.replace(b'"state":"', b'"state":"00')
    await record.change(update(tables.audit).where(*where).values(body=other))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (erased, "its data were erased"),
        (policy_gone, "is missing: see audit verify"),
        (input_gone, "is missing: see audit verify"),
        (sealed_changed, "something sealed was changed"),
        (record_changed, "gives another result: see audit verify"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_what_cannot_be_decided_again_is_said(record: Record, harm: Any, reason: str) -> None:
    await harm(record)
    found = (await judged(record, 'deny_list = ["south"]'))[SUBJECT]
    assert found.undetermined.endswith(reason)
    assert found.was == {"verdict": "allow"}
    assert found.would is None
