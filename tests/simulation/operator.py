"""The calls of one VASP: the real ``engine.calls.call_executor`` on virtual time, with its own directory and line
to the hub.

What is decided at the edge (whom to defer, which key to seal to, when to refresh it, when to try again) is the real
code; the claiming of rows, their leases and their postponing are played here, crashes of the process included.
"""

from __future__ import annotations

import asyncio
import base64
import random
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from schemas.hub.bodies import PublicKey
from tests.simulation.clock import Clock
from tests.simulation.engine_model import CallRow, EngineModel
from tests.simulation.member_endpoints import Keys
from tests.simulation.network import Hub, Request
from travelrule.client.answer_status import Answer, read
from travelrule.client.errors import NoAnswer
from travelrule.client.hub_transport import RawAnswer
from travelrule.client.operations import OPERATIONS
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.calls.attempt_router import AttemptRouter
from travelrule.engine.calls.call_dispatcher import LEASE_SECONDS
from travelrule.engine.calls.call_executor import CallExecutor, Postpone
from travelrule.engine.directory.counterparties import HEALTH_SECONDS, CounterpartyDirectory
from travelrule.engine.directory.counterparties import _input as directory_input
from travelrule.engine.local_lookups.look_up_executor import LookUpExecutor
from travelrule.engine.ports import CallContent
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult
from travelrule.store.call_rows import CallItem
from travelrule.store.directory import StoredVasp

DIRECTORY_SECONDS = 3600
STORAGE_KEY = base64.b64encode(b"k" * 32).decode()
DEFERRED_LOOK = timedelta(minutes=30)
"""The real caller looks every ten seconds at what waits for a VASP; here a change of the directory wakes it."""


class ModelDirectory(CounterpartyDirectory):
    """``engine.directory.counterparties`` for one VASP; its copy is as old as its last look at the hub's list."""

    def __init__(self, engine_model: EngineModel, network: Hub, clock: Clock, dice: random.Random) -> None:
        super().__init__(cast("Any", None), cast("Any", None), clock)
        self._house = engine_model
        self._network = network
        self._dice = dice

    @property
    def copy(self) -> dict[str, StoredVasp]:
        return self._copy

    async def get(self, entity_id: str, *, fresh: bool = False) -> StoredVasp | None:
        """There is one process: nothing is fresher than its copy."""
        return self._copy.get(entity_id)

    def _stale(self) -> bool:
        return False

    def outdated(self) -> bool:
        """The operator looks when something changed: that nothing did makes its copy no older."""
        return False

    def fetched_since(self, at: datetime) -> bool:
        """Everyone is listed from the first day on."""
        return True

    def look(self) -> bool:
        """Take the hub's list, if it answers; what changed is told to the subjects."""
        if self._network.faults.away(self._clock()):
            return False
        self.wanted.clear()
        now = self._clock()
        for entity_id, entry in self._network.entries().items():
            before = self._copy.get(entity_id)
            if before is not None and before.entry != entry:
                self._tell(entity_id, before, entry)
            self._copy[entity_id] = StoredVasp(entry, listed=True, refreshed_at=now)
        return True

    def _tell(self, entity_id: str, before: StoredVasp, entry: Any) -> None:
        item = directory_input(entity_id, before.entry, entry, self._clock())
        names = {"id": str(_uuid(self._dice)), "salt": _uuid(self._dice)}
        self._house.apply(Input(**{**_fields(item), **names}))

    async def refresh_keys(self, entity_id: str, *, refused: str | None = None) -> tuple[PublicKey, ...]:
        if self._network.faults.away(self._clock()):
            raise NoAnswer("public-key", sent_maybe=False)
        keys = tuple(self._network.entries()[entity_id].pubkeys)
        before = self._copy[entity_id]
        entry = before.entry.model_copy(update={"pubkeys": keys})
        if entry != before.entry:
            self._tell(entity_id, before, entry)
        self._copy[entity_id] = StoredVasp(entry, before.listed, self._clock())
        return keys


class HubLine:
    """``client.hub.HubClient`` for one VASP: bytes to the hub, and what comes back read by the real rules."""

    def __init__(self, name: str, hub: Hub, clock: Clock, keyring: Keys) -> None:
        self.name = name
        self.current: CallRow | None = None
        self._hub = hub
        self._clock = clock
        self._keyring = keyring

    async def call(
        self, operation: str, place: str, sent: bytes, remote_key: str | None = None, *, traceparent: str | None = None
    ) -> Answer:
        answered: asyncio.Future[RawAnswer | NoAnswer] = asyncio.get_running_loop().create_future()

        def answer(what: RawAnswer | NoAnswer) -> None:
            if not answered.done():
                answered.set_result(what)
                self._clock.stir()

        assert self.current is not None
        own = self._keyring.signing.public_base64
        self._hub.take(Request(self.name, operation, place, sent, remote_key, own, self.current), answer)
        what = await answered
        if isinstance(what, NoAnswer):
            raise what
        return read(OPERATIONS[operation], what, self._clock.now)


class LookUps:
    """``engine.local_lookups.local_answers`` on the search model."""

    def __init__(self, engine_model: EngineModel) -> None:
        self._house = engine_model

    async def answer(self, question: str, parameters: dict[str, Any]) -> dict[str, Any]:
        assert question == "deposit-context"
        return self._house.search_model.deposit_context(parameters)


class CallOperator:
    """``engine.calls.call_dispatcher`` for one VASP."""

    def __init__(self, engine_model: EngineModel, hub: Hub, clock: Clock, keyring: Keys, dice: random.Random) -> None:
        self.vasp_directory = ModelDirectory(engine_model, hub, clock, dice)
        self.asleep_until = clock.now
        self.crash_share = 0.0
        self.repeat_share = 0.0
        self.crashed: set[str] = set()
        self._house = engine_model
        self._clock = clock
        self._dice = dice
        self._line = HubLine(engine_model.vasp, hub, clock, keyring)
        self._running: set[asyncio.Task[None]] = set()
        self._looks_again = False
        index = BlindIndex(engine_model.vasp.encode().ljust(32))
        vault = Vault(engine_model.vasp, KeyEncryptionKeys([STORAGE_KEY]), index)
        executor = CallExecutor(
            vault=vault,
            hub=cast("Any", self._line),
            counterparties=self.vasp_directory,
            keyring=cast("Any", keyring),
            policy=engine_model.policy,
            clock=clock,
            randomness=dice.randbytes,
        )
        self._calling = AttemptRouter(executor, LookUpExecutor(vault, cast("Any", LookUps(engine_model))))
        engine_model.on_call = self._plan
        hub.health_changed.append(self.look_at_directory)
        clock.after(dice.uniform(1, DIRECTORY_SECONDS), self._refresh)

    def _refresh(self) -> None:
        self.look_at_directory()
        self._clock.after(DIRECTORY_SECONDS, self._refresh)

    def look_at_directory(self) -> None:
        """Refresh the directory, and wake what waited for somebody who is up again."""
        if not self.vasp_directory.look():
            self._look_again()
        for row in list(self._house.calls.values()):
            stored = self.vasp_directory.copy.get(row.target)
            if row.deferred and stored is not None and stored.up:
                row.deferred = False
                row.due_at = self._clock.now
                self._plan(row)

    def _look_again(self) -> None:
        """The hub did not give the list: one more look within an interval, however many looks failed."""
        if self._looks_again:
            return
        self._looks_again = True

        def look() -> None:
            self._looks_again = False
            self.look_at_directory()

        self._clock.after(self._dice.uniform(5, HEALTH_SECONDS), look)

    def _plan(self, row: CallRow) -> None:
        when = max(row.due_at, self.asleep_until) + timedelta(seconds=self._dice.uniform(0.001, 0.5))
        self._clock.at(when, lambda: self._claim(row))

    def _claim(self, row: CallRow) -> None:
        now = self._clock.now
        leased = row.leased_until is not None and row.leased_until > now
        if self._house.calls.get(row.id) is not row or row.due_at > now or leased:
            return
        if now < self.asleep_until:
            self._plan(row)
            return
        row.leased_until = now + timedelta(seconds=LEASE_SECONDS)
        task = asyncio.get_running_loop().create_task(self._run(row))
        self._running.add(task)
        task.add_done_callback(self._done)
        self._clock.stir()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._clock.failures.append(error)

    async def stop(self) -> None:
        """Give up the requests on their way."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _run(self, row: CallRow) -> None:
        self._line.current = row
        attempt = await self._calling.attempt(_item(row), self._dice.random(), CallContent(row.clear, row.payload))
        if self._dice.random() < self.crash_share and row.id in self._house.calls:
            # Killed before anything was written: the lease runs out, and the call is made again.
            self.crashed.add(row.id)
            row.due_at = cast("datetime", row.leased_until)
            self._plan(row)
            return
        row.leased_until = None
        if attempt.notice is not None:
            self._submit(row, attempt.notice, f"{row.id}/{attempt.notice.outcome}/{row.tries}")
        if isinstance(attempt.next_step, Postpone):
            self._postpone(row, attempt.next_step)
            return
        self._submit(row, attempt.next_step, row.id)
        if self._dice.random() < self.repeat_share:
            assert self._submit(row, attempt.next_step, row.id).status in ("duplicate", "rejected")

    def _postpone(self, row: CallRow, step: Postpone) -> None:
        if self._house.calls.get(row.id) is not row:
            return
        row.tries = row.tries if step.tries is None else step.tries
        row.key_refreshed = row.key_refreshed or step.key_refreshed
        row.deferred = step.deferred
        row.hub_held = step.hub_held
        row.note = row.note if step.note is None else step.note
        row.due_at = self._clock.now + DEFERRED_LOOK if step.deferred else step.due_at
        if self.vasp_directory.wanted.is_set():
            self.vasp_directory.wanted.clear()
            self._clock.after(1.0, self.look_at_directory)
        self._plan(row)

    def _submit(self, row: CallRow, report: CallResult, input_id: str) -> Any:
        return self._house.apply(
            Input(
                source="/hub",
                id=input_id,
                type=f"call.{report.outcome}",
                subject=row.subject,
                at=self._clock.now,
                data=report,
                content=report.model_dump_json(by_alias=True).encode(),
                salt=_uuid(self._dice),
            )
        )


def _item(row: CallRow) -> CallItem:
    return CallItem(
        id=row.id,
        subject=row.subject,
        operation=row.operation,
        target=row.target,
        correlation_id=row.transfer_id,
        sealed=b"",
        first_at=row.first_at,
        tries=row.tries,
        key_refreshed=row.key_refreshed,
        deferred=row.deferred,
        hub_held=row.hub_held,
        ends_unsent=row.ends_unsent,
        note=row.note,
        traceparent=None,
    )


def _uuid(dice: random.Random) -> UUID:
    return UUID(int=dice.getrandbits(128), version=4)


def _fields(item: Input) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__slots__}
