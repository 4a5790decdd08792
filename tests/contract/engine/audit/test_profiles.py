"""Who changes his profile does not accuse his own past: every record is decided again under the profile it names."""

from __future__ import annotations

from uuid import UUID

import orjson
from sqlalchemy import select, update

from tests.contract.engine.recorded_history import Record
from tests.support.vasps import NORTH as OWN
from tests.unit.deposits.test_served_request import request
from travelrule.crypto.audit_chain import CHAIN_START, record_hash
from travelrule.engine.input_outcome import InputOutcome
from travelrule.identity.profile import VaspProfile
from travelrule.machine.input import Input
from travelrule.policy.policy import OwnVasp, own_version
from travelrule.store import tables

RENAMED = OwnVasp(
    "north",
    "code:north",
    VaspProfile.from_toml(
        'legal_name = "Nordic Exchange Ltd."\ncountry_of_registration = "SG"\n[address]\ntown = "Oslo"\ncountry = "NO"'
    ),
)


async def asked(record: Record, name: str) -> InputOutcome:
    """A data request: its answer contains our profile."""
    item = Input(
        source="/gateway/code:south",
        id=f"data-request/{name}",
        type="data-request.received",
        subject=f"data-request:south/{name}",
        at=record.north.clock(),
        data=request(entity_id="south", origin="code:south"),
        content=orjson.dumps({"transferId": name}),
        salt=UUID(int=1),
    )
    return await record.north.submit(item)


async def test_a_profile_that_changed_accuses_nobody(record: Record) -> None:
    first = await asked(record, "r-1")
    await record.start_as(RENAMED)
    second = await asked(record, "r-2")
    assert "North Exchange Ltd." in str(first.reply), "else the profile would not matter here"
    assert "Nordic Exchange Ltd." in str(second.reply)
    report = await record.verify()
    assert report.faults == []
    assert report.recomputed == report.records == 9
    assert report.under_present_profile == 0


async def test_a_record_under_another_profile_than_it_names_is_found(record: Record) -> None:
    """Even where the other one is stored too: it would have led to another state."""
    await asked(record, "r-1")
    await record.start_as(RENAMED)
    await rewritten(record, "data-request:south/r-1", {"profileVersion": RENAMED.version})
    assert (await record.verify()).faults == [
        "data-request:south/r-1: deciding record 1 again gives another result",
    ]


async def test_records_older_than_the_versions_of_profiles_are_decided_under_the_present_one(record: Record) -> None:
    await asked(record, "r-1")
    await rewritten(record, "data-request:south/r-1", {"profileVersion": None})
    report = await record.verify()
    assert (report.faults, report.under_present_profile) == ([], 1)
    await record.start_as(RENAMED)
    assert not (await record.verify()).ok


async def test_a_version_names_everything_that_is_said(record: Record) -> None:
    assert own_version(OWN.content) == OWN.version
    others = {
        RENAMED.version,
        OwnVasp("north", "code:other", OWN.profile).version,
        OwnVasp("north", "code:north").version,
    }
    assert len({OWN.version, *others}) == 4
    async with record.database.read() as connection:
        rows = (await connection.execute(select(tables.profiles))).all()
    assert [(row.vasp, row.version, row.content) for row in rows] == [("north", OWN.version, OWN.content)]


async def rewritten(record: Record, subject: str, changes: dict[str, str | None]) -> None:
    """The only record of a subject has other content, and the chain fits it (None: the record lacks it)."""
    row = await record.one(tables.audit, tables.audit.c.subject == subject)
    body = {**orjson.loads(bytes(row.body)), **changes}
    content = orjson.dumps({name: value for name, value in body.items() if value is not None})
    head = record_hash(CHAIN_START, content)
    await record.change(update(tables.audit).where(tables.audit.c.subject == subject).values(body=content, hash=head))
    await record.change(update(tables.subjects).where(tables.subjects.c.subject == subject).values(head=head))
