"""The record proves itself: untouched it is fine, and whatever is changed, taken out or cut off is found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from tests.contract.engine.recorded_history import KEY, SUBJECT, Record
from tests.contract.store.rows import NOW
from tests.support.installation import seconds
from tests.support.toy_machine import TOY, dead_letter_headers, told
from tests.support.vasps import NORTH as OWN
from travelrule.crypto.signing import SigningKey
from travelrule.engine.apply.engine import Engine
from travelrule.engine.audit.recompute import RecordVerifier
from travelrule.engine.audit.verifier import AuditReport, AuditVerifier
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository

audit, inputs, subjects, log, roots = (
    tables.audit,
    tables.inputs,
    tables.subjects,
    tables.audit_log,
    tables.audit_roots,
)
OF_W1 = audit.c.subject == SUBJECT


async def test_untouched_everything_is_proved(record: Record) -> None:
    report = await record.verify()
    assert report.faults == []
    assert report.ok
    assert (report.subjects, report.roots) == (2, 2)
    assert report.records == report.recomputed == 7


def flipped(value: Any) -> bytes:
    raw = bytearray(bytes(value))
    raw[-1] ^= 1
    return bytes(raw)


async def body(record: Record) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == 2)
    changed = bytes(row.body).replace(b'"status":"applied"', b'"status":"rejected"')
    await record.change(update(audit).where(OF_W1, audit.c.record == 2).values(body=changed))


async def hash_(record: Record) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == 1)
    await record.change(update(audit).where(OF_W1, audit.c.record == 1).values(hash=flipped(row.hash)))


async def record_in_the_middle(record: Record) -> None:
    await record.change(delete(audit).where(OF_W1, audit.c.record == 2))


async def last_record(record: Record) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == 4)
    assert row is not None
    await record.change(delete(audit).where(OF_W1, audit.c.record >= 4))


async def history_cut_with_its_head(record: Record) -> None:
    """An attacker who can rebuild the chain truncates it and adjusts head and count: only the log shows it."""
    await record.change(delete(audit).where(OF_W1, audit.c.record > 1))
    await record.change(delete(inputs).where(inputs.c.subject == SUBJECT, inputs.c.record > 1))
    first = await record.one(audit, OF_W1)
    await record.change(update(subjects).where(subjects.c.subject == SUBJECT).values(head=bytes(first.hash), records=1))


async def subject(record: Record) -> None:
    await record.change(delete(subjects).where(subjects.c.subject == SUBJECT))


async def subject_and_all_its_rows(record: Record) -> None:
    for table in (subjects, audit, inputs, tables.data_keys):
        await record.change(delete(table).where(table.c.subject == SUBJECT))


async def input_content(record: Record) -> None:
    row = await record.one(inputs, inputs.c.subject == SUBJECT)
    await record.change(update(inputs).where(inputs.c.id == row.id).values(sealed=flipped(row.sealed)))


async def input_exchanged(record: Record) -> None:
    """Both open under the subject's key: one result put in the place of another."""
    calls = inputs.c.type == "call.answered"
    async with record.database.read() as connection:
        query = select(inputs).where(inputs.c.subject == SUBJECT, calls).order_by(inputs.c.record)
        first, second, *_ = (await connection.execute(query)).all()
    await record.change(update(inputs).where(inputs.c.id == first.id).values(sealed=bytes(second.sealed)))


async def input_fingerprint(record: Record) -> None:
    row = await record.one(inputs, inputs.c.subject == SUBJECT)
    await record.change(update(inputs).where(inputs.c.id == row.id).values(fingerprint=flipped(row.fingerprint)))


async def input_outcome(record: Record) -> None:
    """What a repetition would be answered."""
    await record.change(update(inputs).where(inputs.c.subject == SUBJECT).values(code="CONFLICT"))


async def input_removed(record: Record) -> None:
    row = await record.one(inputs, inputs.c.subject == SUBJECT)
    await record.change(delete(inputs).where(inputs.c.id == row.id))


async def input_added(record: Record) -> None:
    """An input that is known and was never decided: the real one would be taken for a duplicate."""
    row = await record.one(inputs, inputs.c.subject == SUBJECT)
    async with record.database.begin() as connection:
        await connection.execute(inputs.insert(), [{**row._mapping, "id": "planted"}])


async def data_key_of_another(record: Record) -> None:
    other = await record.one(tables.data_keys, tables.data_keys.c.subject == "withdrawal:w-2")
    await record.change(
        update(tables.data_keys).where(tables.data_keys.c.subject == SUBJECT).values(wrapped=bytes(other.wrapped))
    )


async def verdict_in_the_clear(record: Record) -> None:
    await record.change(update(subjects).where(subjects.c.subject == "withdrawal:w-2").values(verdict="allow"))


async def root(record: Record) -> None:
    row = await record.one(roots, roots.c.size == 4)
    await record.change(update(roots).where(roots.c.size == 4).values(root=flipped(row.root)))


async def signature(record: Record) -> None:
    first = await record.one(roots, roots.c.size == 2)
    await record.change(update(roots).where(roots.c.size == 4).values(signature=first.signature))


async def time_of_a_root(record: Record) -> None:
    await record.change(update(roots).where(roots.c.size == 4).values(at=NOW - seconds(86400)))


async def root_removed(record: Record) -> None:
    await record.change(delete(roots).where(roots.c.size == 4))


async def log_head(record: Record) -> None:
    row = await record.one(log, log.c.leaf == 1)
    await record.change(update(log).where(log.c.leaf == 1).values(head=flipped(row.head)))


async def log_cut(record: Record) -> None:
    await record.change(delete(log).where(log.c.leaf >= 2))


async def log_cut_with_its_root(record: Record) -> None:
    await record.change(delete(log).where(log.c.leaf >= 2))
    await record.change(delete(roots).where(roots.c.size == 4))


async def log_gone(record: Record) -> None:
    await record.change(delete(log))
    await record.change(delete(roots))


async def policy_removed(record: Record) -> None:
    await record.change(delete(tables.policies))


async def profile_removed(record: Record) -> None:
    await record.change(delete(tables.profiles))


async def profile_changed(record: Record) -> None:
    row = await record.one(tables.profiles)
    await record.change(update(tables.profiles).values(content=row.content.replace("North", "Other")))


async def policy_changed(record: Record) -> None:
    await record.change(update(tables.policies).values(content='deny_list = ["west"]'))


TAMPERINGS: dict[Callable[[Record], Awaitable[None]], str] = {
    body: "record 2 was changed",
    hash_: "record 1 was changed",
    record_in_the_middle: "record 2 was changed or is missing",
    last_record: "does not end in the subject's head",
    history_cut_with_its_head: "the log knows a head at record",
    subject: "the subject is not",
    subject_and_all_its_rows: "the log knows a head at record",
    input_content: "something sealed was changed, at record 1",
    input_exchanged: "the input of record 2 is missing or another one",
    input_fingerprint: "the input of record 1 is missing or another one",
    input_outcome: "the input of record 1 is missing or another one",
    input_removed: "records, but",
    input_added: "records, but",
    data_key_of_another: "something sealed was changed",
    verdict_in_the_clear: "the row says something else",
    root: "size 4 does not fit",
    signature: "size 4 does not fit",
    time_of_a_root: "size 4 does not fit",
    root_removed: "leaves behind its last signed root",
    log_head: "the log knows a head",
    log_cut: "size 4 does not fit",
    log_cut_with_its_root: "the log does not know record",
    log_gone: "the log does not know record",
    policy_removed: "policy",
    policy_changed: "policy",
    profile_removed: "of record 1 is missing or was changed",
    profile_changed: "of record 1 is missing or was changed",
}


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda one: one.__name__)
async def test_every_tampering_is_found(record: Record, tamper: Callable[[Record], Awaitable[None]]) -> None:
    await tamper(record)
    report = await record.verify()
    assert not report.ok
    assert any(TAMPERINGS[tamper] in fault for fault in report.faults), report.faults
    assert "Lind" not in str(report.faults)


async def test_a_state_rolled_back_to_an_older_one_is_found(record: Record) -> None:
    before = await record.one(subjects, subjects.c.subject == SUBJECT)
    await record.north.forward(0)
    await record.north.withdraw("w-3")
    old = await record.one(subjects, subjects.c.subject == "withdrawal:w-3")
    await record.north.calls_all()
    assert (await record.verify()).ok
    await record.change(update(subjects).where(subjects.c.subject == "withdrawal:w-3").values(sealed=bytes(old.sealed)))
    report = await record.verify()
    assert report.faults == ["withdrawal:w-3: the stored state is not the one that the records lead to"]
    assert before.subject == SUBJECT


async def test_an_erased_subject_is_still_proved_as_far_as_it_can_be(record: Record) -> None:
    await record.change(delete(tables.data_keys).where(tables.data_keys.c.subject == SUBJECT))
    report = await record.verify()
    assert report.faults == []
    assert (report.records, report.recomputed) == (7, 2)
    await hash_(record)
    assert not (await record.verify()).ok


async def test_another_audit_key_proves_nothing(record: Record) -> None:
    other = SigningKey(b"o" * 32).public_base64
    verifier = AuditVerifier(record.database, "north", record.north.vault, MACHINES, record.policies, OWN, other)
    assert not (await verifier.verify()).ok


async def test_an_empty_installation_is_fine(database: Database, vault: Vault) -> None:
    policies = PolicyRepository(database, "north")
    report = await AuditVerifier(database, "north", vault, MACHINES, policies, OWN, KEY.public_base64).verify()
    assert (report.ok, report.subjects) == (True, 0)


async def test_another_vasp_in_the_same_database_is_none_of_its_business(record: Record, vault: Vault) -> None:
    row = await record.one(audit, OF_W1, audit.c.record == 1)
    async with record.database.begin() as connection:
        await connection.execute(audit.insert(), [{**row._mapping, "vasp": "south"}])
    assert (await record.verify()).ok


async def test_it_may_run_while_the_installation_works(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records and roots that come into being in between are no faults."""
    subjects_read = AuditVerifier._subjects

    async def meanwhile(self: AuditVerifier, report: AuditReport) -> Any:
        seen = await subjects_read(self, report)
        await record.north.withdraw("w-9")
        await record.log.round()
        return seen

    async def before(self: AuditVerifier, report: AuditReport) -> Any:
        await record.north.withdraw("w-8")
        await record.log.round()
        return await subjects_read(self, report)

    for patched in (meanwhile, before):
        monkeypatch.setattr(AuditVerifier, "_subjects", patched)
        assert (await record.verify()).faults == []


async def test_more_subjects_than_a_page(database: Database, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    from travelrule.engine.audit import verifier

    monkeypatch.setattr(verifier, "PAGE", 4)
    engine = Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
    policies = PolicyRepository(database, "north")
    await policies.activate(Policy.default().version, "", NOW)
    await policies.keep_profile(Policy.default().own.version, Policy.default().own.content, NOW)
    await engine.apply([told(word, f"w-{number}") for number in range(8) for word in ("reply", "emit", "alert")])
    verifier = AuditVerifier(database, "north", vault, {"withdrawal": TOY}, policies, OWN, KEY.public_base64)
    report = await verifier.verify()
    assert (report.faults, report.subjects, report.recomputed) == ([], 8, 24)
    async with database.begin() as connection:
        rows = (await connection.execute(select(inputs).where(inputs.c.reply.is_not(None)))).all()
        await connection.execute(update(inputs).where(inputs.c.id == rows[0].id).values(reply=None))
    assert [fault.partition(": ")[2] for fault in (await verifier.verify()).faults] == [
        "the stored answer of record 1 is another one"
    ]


async def test_a_kind_of_subject_that_this_version_does_not_know_is_said(record: Record) -> None:
    recomputing = RecordVerifier(record.north.vault, {}, record.policies, OWN)
    row = await record.one(subjects, subjects.c.subject == SUBJECT)
    proof = await recomputing.check(row, b"", [], [])
    assert (proof.agreed, proof.fault) == (0, "this version has no rules for this kind of subject")
