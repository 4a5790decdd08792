"""The engine model and the engine do the same with the real machines: both receive the inputs of a simulated VASP.

``test_same_laws`` compares the engine's laws on both with a scripted machine; here every input
of a short simulation is applied again, in its order and at its time, and outcomes, states, events, calls, timers and
what the store's reads find must be the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from tests.contract.store.databases import sqlite_url
from tests.simulation.clock import START
from tests.simulation.engine_model import EngineModel
from tests.simulation.simulation import TRAFFIC_DAYS, Simulation
from tests.simulation.test_same_laws import vault
from tests.support.toy_machine import dead_letter_headers
from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.local_lookups.local_answers import LocalAnswers
from travelrule.engine.queries.authorizations import AuthorizationReader
from travelrule.engine.queries.served_withdrawals import ServedWithdrawals
from travelrule.engine.registry import MACHINES
from travelrule.exchange.originator.state import WithdrawalState
from travelrule.identity.account_numbers import join
from travelrule.machine.input import Input
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.list_versions import ListRepository
from travelrule.store.search_rows import SearchRepository

SEED = 29
WITHDRAWALS = 40
DAYS = 5
VASP = "north"


@dataclass(frozen=True)
class Taken:
    """One input that an engine model took."""

    item: Input
    at: datetime
    policy: Policy
    outcome: InputOutcome


@dataclass
class Recorder:
    """Records the inputs that an engine model receives from outside; inputs that it admits by itself belong to the
    input before."""

    engine_model: EngineModel
    taken: list[Taken] = field(default_factory=list)
    _inside: bool = False

    def __post_init__(self) -> None:
        self._real = self.engine_model.apply
        self.engine_model.apply = self.apply  # type: ignore[method-assign]

    def apply(self, item: Input) -> InputOutcome:
        if self._inside:
            return self._real(item)
        self._inside = True
        try:
            outcome = self._real(item)
        finally:
            self._inside = False
        self.taken.append(Taken(item, self.engine_model.clock(), self.engine_model.policy(), outcome))
        return outcome


class Real:
    """The engine on SQLite, at the time and under the policy that a recorded input had."""

    def __init__(self, database: Database) -> None:
        keys = vault()
        self.now, self.policy = START, Policy.default()
        self.database = database
        self.engine = Engine(
            VASP, database, MACHINES, keys, lambda: self.policy, dead_letter_headers, clock=lambda: self.now
        )
        self.reads = SearchRepository(database, VASP, keys.index.of, keys.unwrap, keys.open)
        lists = ActiveLists(ListRepository(database, VASP), self.engine.alert, lambda: self.now)
        self.look_ups = LocalAnswers(self.reads, AuthorizationReader(database, VASP, keys, self.reads), lists)
        self.served = ServedWithdrawals(self.reads)

    async def take(self, taken: Taken) -> InputOutcome:
        self.now, self.policy = taken.at, taken.policy
        return (await self.engine.apply([taken.item]))[0]

    async def rows(self, table: Any) -> list[Any]:
        async with self.database.read() as connection:
            return list((await connection.execute(select(table))).all())

    async def states(self, subjects: list[str]) -> dict[str, Any]:
        async with self.database.begin() as connection:
            slots = await self.engine.loader.lock(connection, sorted(subjects), set())
        return {name: slot.state for name, slot in slots.items()}


def _announced(engine_model: EngineModel) -> list[str]:
    """Addresses at which an authorization waits for its transaction."""
    return [
        one.address
        for one in engine_model.search_model.wallets.values()
        if engine_model.search_model.announced(one.address)
    ]


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[EngineModel, Real]]:
    """An engine model in the middle of a simulation, with many subjects open, and the engine after the same inputs."""
    simulation = Simulation(SEED)
    engine_model = simulation.processes[VASP].engine_model
    recorder = Recorder(engine_model)
    await simulation.run_until(DAYS, WITHDRAWALS)
    while not (engine_model.calls and _announced(engine_model)):
        await simulation.clock.run(simulation.clock.now + timedelta(seconds=10))
        assert simulation.clock.now < START + timedelta(days=TRAFFIC_DAYS), "nothing is ever under way"
    for process in simulation.processes.values():
        await process.operator.stop()
    database = Database(sqlite_url(tmp_path))
    real = Real(database)
    for taken in recorder.taken:
        said = await real.take(taken)
        same = (said.status, said.code, said.reply) == (taken.outcome.status, taken.outcome.code, taken.outcome.reply)
        assert same, f"{taken.item.type} for {taken.item.subject}: {said} and not {taken.outcome}"
    assert len(recorder.taken) > 10 * WITHDRAWALS
    yield engine_model, real
    await database.dispose()


async def test_after_the_same_inputs_everything_is_the_same(both: tuple[EngineModel, Real]) -> None:
    engine_model, real = both
    await _same_states(engine_model, real)
    await _same_effects(engine_model, real)
    await _same_finds(engine_model, real)


async def _same_states(engine_model: EngineModel, real: Real) -> None:
    there = {subject: slot.state for subject, slot in engine_model.slots.items() if slot.state is not None}
    states = await real.states(list(there))
    for subject, state in there.items():
        assert states[subject] == state, subject
    due = {row.subject: (row.due_timer, row.due_at) for row in await real.rows(tables.subjects) if row.due_at}
    assert due == {name: (slot.due_timer, slot.due_at) for name, slot in engine_model.slots.items() if slot.due_at}


async def _same_effects(engine_model: EngineModel, real: Real) -> None:
    rows = sorted(await real.rows(tables.outbox), key=lambda row: row.id)
    events = [(row.topic, row.key, row.type, orjson.loads(row.value)) for row in rows if row.topic != "deadletters"]
    assert len(events) == len(engine_model.outbox) > 100
    for (topic, key, kind, event), one in zip(events, engine_model.outbox, strict=True):
        assert (topic, key, kind) == (one.topic, one.key, one.type)
        assert {name: event["data"].get(name) for name in one.data} == orjson.loads(orjson.dumps(one.data))
    calls = {(row.id, row.subject, row.operation, row.transfer_id) for row in await real.rows(tables.calls)}
    assert calls == {(row.id, row.subject, row.operation, row.transfer_id) for row in engine_model.calls.values()}
    assert {row.id for row in await real.rows(tables.tells)} == set(engine_model.tells)
    assert {row.id for row in await real.rows(tables.parked)} == {
        item.id for slot in engine_model.slots.values() for item in slot.parked
    }


async def _same_finds(engine_model: EngineModel, real: Real) -> None:
    """Each question that the gateway and the machines ask of the store."""
    search_model = engine_model.search_model
    wallets = list(search_model.wallets.values())
    assert len(wallets) > 50
    places = {join(one.address, tag) for one in wallets for tag in (one.tag or None, "99", None)}
    for place in places:
        found = await real.reads.wallets_at([place])
        assert sorted(found, key=repr) == sorted(search_model.wallets_at(place), key=repr)
        for _, row in search_model.announced(place)[:3]:
            assert row.amount is not None
            announced = await real.reads.open_authorizations(place, row.currency, row.amount)
            same = search_model.open_authorizations(place, row.currency, row.amount)
            assert sorted(one.subject for one in announced) == sorted(subject for subject, _ in same)
    for (side, counterparty, transfer_id), row in search_model.exchanges.items():
        outgoing = await real.reads.outgoing_exchange(transfer_id, counterparty)
        assert (outgoing is not None) == (side == "originating")
        assert outgoing is None or (outgoing.status, outgoing.txid, outgoing.vout) == (row.status, row.txid, row.vout)
    await _same_deposits(engine_model, real)
    await _same_sent(engine_model, real)


async def _same_deposits(engine_model: EngineModel, real: Real) -> None:
    deposits = [slot.state for name, slot in engine_model.slots.items() if name.startswith("deposit:") and slot.state]
    assert deposits
    for state in deposits:
        address, tag = state.address
        amount = str(state.detected.amount)
        asked = {"address": address, "tag": tag, "currency": state.detected.currency, "amount": amount}
        answer = await real.look_ups.answer("deposit-context", asked)
        assert answer == engine_model.search_model.deposit_context(asked)


async def _same_sent(engine_model: EngineModel, real: Real) -> None:
    states = [slot.state for slot in engine_model.slots.values() if isinstance(slot.state, WithdrawalState)]
    sent = [state for state in states if state.txid]
    assert any(state.request.destination.tag for state in sent)
    for state in sent:
        destination = state.request.destination
        places = (join(destination.address, tag) for tag in (destination.tag, None, "99"))
        for account in (*places, "elsewhere"):
            found = await real.served.facts((str(state.txid), account))
            stand_in = engine_model.search_model.sent(engine_model.states(), str(state.txid), account)
            assert [one.subject for one in found] == [one.subject for one in stand_in]
            assert [one.vout for one in found] == [one.vout for one in stand_in]
