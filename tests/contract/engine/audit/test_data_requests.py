"""A data request is decided on facts that were looked up for it: they are stored with it, and the record proves it."""

from __future__ import annotations

from uuid import UUID

from tests.contract.engine.recorded_history import Record
from tests.support.toy_machine import dead_letter_headers
from tests.unit.deposits.test_served_request import request
from travelrule.engine.apply.engine import Engine
from travelrule.engine.registry import MACHINES
from travelrule.machine.input import Input


async def test_a_data_request_is_proved(record: Record) -> None:
    north = record.north
    engine = Engine("north", north.database, MACHINES, north.vault, north.rules, dead_letter_headers, clock=north.clock)
    data = request(entity_id="south", origin="code:south")
    item = Input(
        source="/gateway/code:south",
        id="data-request/r-1",
        type="data-request.received",
        subject="data-request:south/r-1",
        at=north.clock(),
        data=data,
        content=b'{"transferId":"r-1"}',
        salt=UUID(int=1),
    )
    (outcome,) = await engine.apply([item])
    assert outcome.reply is not None
    assert outcome.reply["result"] == "normal"
    before = await record.verify()
    assert before.faults == []
    assert before.recomputed == before.records == 8
