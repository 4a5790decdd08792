"""Who may decide: what a producer on the decisions topic can do who is not entitled, with real machines on both stores.

`w-2` goes to a VASP that is down and is on hold; the policy lets an operator allow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid5

import orjson
import pytest
from sqlalchemy import select

from schemas.events.decisions import DecisionRecorded
from schemas.moments import time_text
from streams.codec import read
from tests.contract.engine.recorded_history import Record
from tests.support.vasps import NORTH as OWN
from travelrule.crypto.decision_signature import SignedDecision
from travelrule.crypto.signing import SigningKey
from travelrule.engine.apply.decision_guard import KEPT, DecisionGuard
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.retention.job import RetentionJob
from travelrule.machine.input import Input, RawMessage
from travelrule.policy.policy import Policy
from travelrule.store import tables

W2 = "withdrawal:w-2"
ALICE, BOB, EVE = (SigningKey(letter * 32) for letter in (b"A", b"B", b"E"))
OPEN = 'sanctions = "off"\noperator_override = true\n'
OFF = f'{OPEN}[decisions]\nauthority = "off"\n'
SIGNED = f"""{OPEN}
[decisions]
authority = "signed"
[decisions.keys.alice-1]
actor = "alice"
public_key = "{ALICE.public_base64}"
[decisions.keys.bob-1]
actor = "bob"
public_key = "{BOB.public_base64}"
"""


class Desk:
    """Producers of the decisions topic, entitled and not: each event goes through codec and engine."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.north = record.north
        self._offsets = count(1)

    async def rule(self, text: str) -> None:
        """Put a policy in force."""
        policy = Policy.from_toml(text).with_own(OWN)
        await self.record.policies.activate(policy.version, text, self.north.clock())
        self.north.rules.current = policy

    def event(
        self, *, key: SigningKey | None = ALICE, key_id: str = "alice-1", vasp: str = "north", **changes: Any
    ) -> dict[str, Any]:
        """A decision about `w-2` as its producer writes it, signed unless ``key`` is None."""
        said = {"subject": W2, "decision": "allow", "actor": "alice", "reason": "checked by phone"}
        event = {
            "specversion": "1.0",
            "type": "decision.recorded.v1",
            "id": "d-1",
            "source": "/console",
            "time": time_text(self.north.clock()),
            "data": said,
        }
        said.update({name: changes.pop(name) for name in list(changes) if name in said})
        event.update(changes)
        if key is not None:
            names = ("source", "id", "time")
            content = SignedDecision(vasp=vasp, key_id=key_id, **said, **{name: event[name] for name in names})
            said["signature"] = {"keyId": key_id, "value": content.sign(key)}
        return event

    def read(self, event: dict[str, Any], offset: int | None = None) -> Input:
        """The event as the agent reads it, at the next offset unless it is a record that was read before."""
        bare = event["data"]["subject"].partition(":")[2] or event["data"]["subject"]
        place = next(self._offsets) if offset is None else offset
        value = orjson.dumps({**event, "subject": bare})
        raw = RawMessage("decisions", 0, place, bare.encode(), value)
        item = read(raw, "decisions", received_at=self.north.clock())
        assert isinstance(item, Input), item
        return replace(item, salt=uuid5(UUID(int=2), str(place)))

    async def send(self, event: dict[str, Any], offset: int | None = None) -> InputOutcome:
        return (await self.north.engine.apply([self.read(event, offset)]))[0]

    async def subject(self, name: str = W2) -> Any:
        """The row of a subject without what an alert may change; None if there is none."""
        rows = await self.north.rows(tables.subjects, tables.subjects.c.subject == name)
        columns = ("status", "verdict", "sealed", "head", "records", "parked", "due_at")
        return [tuple(getattr(row, column) for column in columns) for row in rows]

    async def letters(self) -> list[str]:
        return [row.code for row in await self.north.rows(tables.dead_letters)]

    async def alerted(self) -> list[str]:
        """The subjects that an alert about a decision named."""
        return [one["subject"] for one in await self.north.said("alerts") if one["code"] == "DECISION_REFUSED"]

    async def audited(self, subject: str = W2) -> dict[str, Any]:
        """The last audit record of a subject."""
        async with self.north.database.read() as connection:
            table = tables.audit
            query = select(table.c.body).where(table.c.subject == subject).order_by(table.c.record.desc())
            return dict(orjson.loads((await connection.execute(query)).scalars().first()))


@pytest.fixture
async def desk(record: Record) -> Desk:
    return Desk(record)


async def refused(desk: Desk, event: dict[str, Any], code: str, told: str = W2) -> None:
    """The event is a dead letter with an alert, and the subject is as it was."""
    before, letters, alerts = await desk.subject(), await desk.letters(), await desk.alerted()
    outcome = await desk.send(event)
    assert (outcome.status, outcome.code) == ("rejected", code)
    assert await desk.subject() == before
    assert await desk.letters() == [*letters, code]
    assert await desk.alerted() == [*alerts, told]


async def test_everybody_decides_where_the_policy_is_open(desk: Desk) -> None:
    """The earlier behaviour, and the default: nothing is required of the producer."""
    assert Policy.default().decisions.authority == "open"
    await desk.rule(OPEN)
    assert (await desk.send(desk.event(key=None, actor="somebody"))).status == "applied"
    assert "decidedBy" not in await desk.audited()


async def test_an_open_policy_records_a_signature_that_is_right_and_ignores_one_that_is_not(desk: Desk) -> None:
    await desk.rule(SIGNED.replace('"signed"', '"open"'))
    wrong = desk.event(key=EVE, subject="withdrawal:w-1", id="d-0", decision="deny")
    assert (await desk.send(wrong)).code == "ALREADY_FINAL"
    assert (await desk.send(desk.event())).status == "applied"
    assert (await desk.audited())["decidedBy"] == {"actor": "alice", "keyId": "alice-1"}
    assert (await desk.record.verify()).faults == []


@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_nobody_decides_where_decisions_are_off(desk: Desk, decision: str) -> None:
    await desk.rule(OFF)
    await refused(desk, desk.event(decision=decision), "DECISIONS_OFF")
    await refused(desk, desk.event(key=None, decision=decision, id="d-2"), "DECISIONS_OFF")


async def test_a_signed_decision_is_made_and_names_its_key_in_the_audit(desk: Desk) -> None:
    await desk.rule(SIGNED)
    assert (await desk.send(desk.event())).status == "applied"
    assert (await desk.north.verdicts())[-1] == ("allow", "OPERATOR")
    assert (await desk.audited())["decidedBy"] == {"actor": "alice", "keyId": "alice-1"}
    assert await desk.alerted() == []
    report = await desk.record.verify()
    assert (report.faults, report.ok) == ([], True)


async def test_without_a_signature_nothing_is_decided(desk: Desk) -> None:
    await desk.rule(SIGNED)
    await refused(desk, desk.event(key=None), "DECISION_UNSIGNED")


def forged(desk: Desk, **changes: Any) -> dict[str, Any]:
    """An event of alice's with something changed after she signed it."""
    event = desk.event()
    data = {name: changes.pop(name) for name in list(changes) if name in event["data"]}
    return {**event, **changes, "data": {**event["data"], **data}}


@pytest.mark.parametrize(
    "changes",
    [
        {"decision": "deny"},
        {"reason": "another reason"},
        {"id": "d-2"},
        {"source": "/another"},
        {"time": "2026-11-20T09:00:01Z"},
        {"signature": {"keyId": "alice-1", "value": "AAAA"}},
        {"signature": {"keyId": "alice-1", "value": "no base64 at all"}},
    ],
    ids=lambda changes: "-".join(changes),
)
async def test_a_signature_serves_for_exactly_what_was_signed(desk: Desk, changes: dict[str, Any]) -> None:
    await desk.rule(SIGNED)
    await refused(desk, forged(desk, **changes), "DECISION_SIGNATURE_INVALID")


async def test_a_signature_serves_for_no_other_subject(desk: Desk) -> None:
    await desk.rule(SIGNED)
    event = desk.event(subject="withdrawal:w-1")
    await refused(desk, {**event, "data": {**event["data"], "subject": W2}}, "DECISION_SIGNATURE_INVALID")


async def test_a_signature_for_another_vasp_serves_for_none_here(desk: Desk) -> None:
    await desk.rule(SIGNED)
    await refused(desk, desk.event(vasp="south"), "DECISION_SIGNATURE_INVALID")


@pytest.mark.parametrize(
    "maker",
    [
        {"key": EVE, "key_id": "eve-1", "actor": "eve"},
        {"key": EVE, "key_id": "eve-1"},
        {"key": BOB, "key_id": "bob-1"},
        {"key": ALICE, "key_id": "alice-1", "actor": "bob"},
    ],
    ids=["a-stranger", "an-unknown-key", "bob-as-alice", "alice-as-bob"],
)
async def test_an_actor_decides_with_his_own_key_only(desk: Desk, maker: dict[str, Any]) -> None:
    await desk.rule(SIGNED)
    await refused(desk, desk.event(**maker), "DECISION_KEY_UNKNOWN")


async def test_a_stranger_with_the_name_of_a_key_signs_nothing(desk: Desk) -> None:
    await desk.rule(SIGNED)
    await refused(desk, desk.event(key=EVE), "DECISION_SIGNATURE_INVALID")


@pytest.mark.parametrize(("seconds", "code"), [(901, "DECISION_EXPIRED"), (-61, "DECISION_EXPIRED"), (899, "")])
async def test_a_decision_has_its_time(desk: Desk, seconds: int, code: str) -> None:
    await desk.rule(SIGNED)
    event = desk.event(time=time_text(desk.north.clock() - timedelta(seconds=seconds)))
    if code:
        await refused(desk, event, code)
    else:
        assert (await desk.send(event)).status == "applied"


async def test_a_key_that_is_over_decides_nothing(desk: Desk) -> None:
    over = desk.north.clock()
    await desk.rule(SIGNED.replace('actor = "alice"', f'actor = "alice"\nvalid_until = {over.isoformat()}'))
    await refused(desk, desk.event(), "DECISION_KEY_EXPIRED")
    assert (await desk.send(desk.event(key=BOB, key_id="bob-1", actor="bob", id="d-2"))).status == "applied"


async def test_an_accepted_decision_that_comes_again_is_a_duplicate_even_when_it_is_too_old(desk: Desk) -> None:
    await desk.rule(SIGNED)
    event = desk.event()
    assert (await desk.send(event)).status == "applied"
    desk.north.clock.forward(2000)
    assert [(await desk.send(event)).status, (await desk.send(event, offset=1)).status] == ["duplicate"] * 2
    assert (await desk.letters(), await desk.alerted()) == ([], [])


async def refused_by_the_machine(desk: Desk) -> dict[str, Any]:
    """A decision of alice's that the policy's override does not cover; then the policy is another one."""
    await desk.rule(SIGNED.replace("operator_override = true", "operator_override = false"))
    event = desk.event()
    assert (await desk.send(event, offset=71)).code == "NOT_VERIFIED"
    await desk.rule(SIGNED)
    return event


async def test_a_decision_that_was_refused_cannot_be_sent_again_by_who_read_it(desk: Desk) -> None:
    """The withdrawal's situation may have changed since: alice did not decide that one."""
    event = await refused_by_the_machine(desk)
    await refused(desk, event, "DECISION_REPLAYED")
    assert (await desk.send(desk.event(id="d-2"))).status == "applied", "alice decides again"


async def test_the_same_record_read_again_is_no_replay(desk: Desk) -> None:
    """A worker that is killed between commit and acknowledgement reads the record once more."""
    await desk.rule(SIGNED.replace("operator_override = true", "operator_override = false"))
    event = desk.event()
    for _ in range(2):
        assert (await desk.send(event, offset=71)).code == "NOT_VERIFIED"
    assert (await desk.letters(), await desk.alerted()) == (["NOT_VERIFIED"], [])


async def test_what_was_used_is_kept_for_longer_than_any_policy_accepts_it(desk: Desk) -> None:
    event = await refused_by_the_machine(desk)
    north = desk.north
    retention = RetentionJob(
        north.database, "north", north.vault, {}, desk.record.log._leases, north.rules, north.clock
    )
    north.clock.forward(86_400)
    await retention.round()
    await desk.rule(SIGNED.replace('authority = "signed"', 'authority = "signed"\nvalid_seconds = 86400'))
    await refused(desk, event, "DECISION_REPLAYED")
    north.clock.forward(KEPT.total_seconds())
    await retention.round()
    assert await north.rows(tables.used_decisions) == []


async def test_both_in_one_batch_are_one_decision(desk: Desk) -> None:
    await desk.rule(SIGNED.replace("operator_override = true", "operator_override = false"))
    event = desk.event()
    outcomes = await desk.north.engine.apply([desk.read(event), desk.read(event)])
    assert [outcome.code for outcome in outcomes] == ["NOT_VERIFIED", "DECISION_REPLAYED"]


async def test_what_is_behind_a_refused_decision_is_processed(desk: Desk) -> None:
    await desk.rule(SIGNED)
    items = [desk.read(desk.event(key=None, id="d-0")), desk.read(desk.event())]
    assert [outcome.status for outcome in await desk.north.engine.apply(items)] == ["rejected", "applied"]


@pytest.mark.parametrize("rules", [OFF, SIGNED], ids=["off", "signed"])
async def test_a_refused_decision_about_an_unknown_subject_leaves_no_row(desk: Desk, rules: str) -> None:
    """A row would make a bare id ambiguous, and a stranger could fill the table."""
    await desk.rule(rules)
    code = "DECISIONS_OFF" if rules is OFF else "DECISION_UNSIGNED"
    await refused(desk, desk.event(key=None, subject="deposit:w-2"), code, told="vasp:north")
    assert await desk.subject("deposit:w-2") == []


@pytest.mark.parametrize("subject", [W2, "withdrawal:made-up", "w-2"])
async def test_a_refused_record_that_is_read_again_alerts_once(desk: Desk, subject: str) -> None:
    await desk.rule(SIGNED)
    event = desk.event(key=None, subject=subject)
    await desk.send(event, 7)
    await desk.north.engine.apply([desk.read(event, 7), desk.read(event, 7)])
    assert (len(await desk.letters()), len(await desk.alerted())) == (1, 1)
    await desk.send(event, 8)
    assert (len(await desk.letters()), len(await desk.alerted())) == (2, 2)


@pytest.mark.parametrize("subject", ["w-2", "nothing"])
async def test_a_signature_names_its_subject_with_the_kind(desk: Desk, subject: str) -> None:
    await desk.rule(SIGNED)
    await refused(desk, desk.event(subject=subject), "DECISION_SUBJECT_BARE", told="vasp:north")
    await refused(desk, desk.event(subject=subject, key=None, id="d-2"), "DECISION_UNSIGNED", told="vasp:north")


async def arrive(desk: Desk, name: str) -> None:
    await desk.north.withdraw(name, "west")


async def test_a_decision_that_waits_for_its_subject_is_asked_again_when_it_comes(desk: Desk) -> None:
    await desk.rule(SIGNED)
    early = desk.event(subject="withdrawal:w-3", decision="deny")
    assert (await desk.send(early)).status == "parked"
    await arrive(desk, "w-3")
    assert (await desk.audited("withdrawal:w-3"))["decidedBy"] == {"actor": "alice", "keyId": "alice-1"}
    assert (await desk.send(desk.event(subject="withdrawal:w-4", decision="deny", id="d-4"))).status == "parked"
    desk.north.clock.forward(901)
    await arrive(desk, "w-4")
    assert (await desk.audited("withdrawal:w-4"))["type"] == "withdrawal.requested.v1"
    assert await desk.letters() == ["DECISION_EXPIRED"]
    assert await desk.alerted() == ["withdrawal:w-4"]
    assert (await desk.record.verify()).faults == []


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An engine that accepts every decision."""
    with monkeypatch.context() as patched:
        patched.setattr(DecisionGuard, "check", lambda _guard, item, _now: item)
        yield


@pytest.mark.usefixtures("careless")
async def test_an_audit_notices_a_decision_that_was_not_signed(desk: Desk) -> None:
    await desk.rule(SIGNED)
    assert (await desk.send(desk.event(key=None))).status == "applied"
    (fault,) = (await desk.record.verify()).faults
    assert fault.startswith(W2)
    assert fault.endswith("is not signed as its policy requires")


def test_the_optional_field_is_absent_in_what_producers_send_today() -> None:
    data = DecisionRecorded.model_validate({"subject": W2, "decision": "deny", "actor": "a", "reason": "r"})
    assert data.signature is None
    assert "signature" not in data.to_wire()
