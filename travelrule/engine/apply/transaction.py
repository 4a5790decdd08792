"""``apply()``: the one way in which anything changes (design section 2).

A batch of inputs becomes one SQL transaction: lock the subjects in sorted order, look up which inputs are known, call
the pure ``decide`` in arrival order, write rows, audit records, outbox and calls. A transaction that lost a race is
repeated; one that fails for its content is bisected until the one culprit is found and dead-lettered; a failing
database stops the process, because then no message is to blame.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule import logs, metrics
from travelrule.engine.apply.accepted_answers import accepted_answers
from travelrule.engine.apply.batch_rows import BatchRows, DeadLetterHeaders, Observation
from travelrule.engine.apply.decision_guard import alert_refused, may_refuse, note_refused, own_subject, refuse_bare
from travelrule.engine.apply.input_decision import InputDecider, KnownInput
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.parked_inputs import ParkedInputs
from travelrule.engine.apply.preclaimed import PreclaimedCalls, PreclaimedEvents
from travelrule.engine.apply.projection_rows import subject_writes
from travelrule.engine.apply.refused_requests import is_refused_request, refusal_of, refused_input
from travelrule.engine.apply.subject_loader import SubjectLoader
from travelrule.engine.apply.subject_resolver import resolve
from travelrule.engine.committed_lines import write_facts
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.messages.message_record import is_message
from travelrule.engine.ports import CallPreclaimer, EventPreclaimer
from travelrule.engine.vault import Vault
from travelrule.machine.decision_authority import REFUSED_DECISIONS
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input, Rejected
from travelrule.machine.port import Machine
from travelrule.machine.sources import source_class
from travelrule.policy.policy import Policy
from travelrule.store import bulk
from travelrule.store.database import Database, is_infrastructure_failure, is_lost_race, is_serialisation_failure

MAX_REPEATS = 10
MAX_LOST_RACES = 3
"""Another process was faster with the same new key: once repeated, its rows are seen. More often it is the content."""
REPEAT_DELAY_SECONDS = 0.02

# OFFSET 0: one look into the index per input, see ``subject_loader``.
_KNOWN_POSTGRESQL = text(
    "SELECT i.* FROM unnest(CAST(:sources AS text[]), CAST(:ids AS text[])) AS v(source, id) CROSS JOIN LATERAL"
    " (SELECT source, id, fingerprint, subject, status, code, reply FROM inputs"
    " WHERE vasp = :vasp AND inputs.source = v.source AND inputs.id = v.id OFFSET 0) i"
)
_KNOWN_SQLITE = text(
    "SELECT i.source, i.id, i.fingerprint, i.subject, i.status, i.code, i.reply FROM inputs i"
    " JOIN json_each(:pairs) v ON i.source = json_extract(v.value, '$[0]') AND i.id = json_extract(v.value, '$[1]')"
    " WHERE i.vasp = :vasp"
)

log = logs.get("engine")


class Engine:
    """Applies batches for one VASP. Safe to run in any number of processes against one database."""

    def __init__(
        self,
        vasp: str,
        database: Database,
        machines: dict[str, Machine],
        vault: Vault,
        policy: Callable[[], Policy],
        dead_letter_headers: DeadLetterHeaders,
        *,
        deadletter_plain: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.vasp = vasp
        self.database = database
        self.vault = vault
        self.policy = policy
        self.clock = clock
        self.committed = CommitSignal()
        self.caller: CallPreclaimer | None = None
        """Who makes calls in this process, if anybody does."""
        self.relay: EventPreclaimer | None = None
        """Who publishes events in this process, if anybody does."""
        self._machines = machines
        self._slots = SubjectLoader(vasp, vault, machines)
        self._dead_letter_headers = dead_letter_headers
        self._deadletter_plain = deadletter_plain

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """Apply ``items`` in order and give each one's outcome. Raises only when the database fails."""
        if not items:
            return []
        try:
            return await self._repeatedly(items)
        except Exception as error:
            # The boundary between "this content cannot be stored" and "the database is gone".
            if is_infrastructure_failure(error) or is_serialisation_failure(error):
                raise
            if len(items) > 1:
                middle = len(items) // 2
                return [*await self.apply(items[:middle]), *await self.apply(items[middle:])]
            return [await self._give_up_on(items[0], error)]

    async def alert(self, subject: str, alert: Alert) -> None:
        """An operator alert that no input led to (a call result that cannot be stored, a worker that cannot go on)."""
        now = self.clock()
        async with self.database.begin() as connection:
            batch = BatchRows(self.vasp, self.vault, now, self._dead_letter_headers)
            slots = await self._slots.lock(connection, [subject], {subject})
            batch.alert(slots[subject], None, alert)
            await self._write(connection, batch, slots, now, PreclaimedEvents(None))
        _count(batch.observations)
        write_facts(batch.facts.committed(batch.dead_letters))
        self.committed.announce("outbox")

    async def _repeatedly(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        for repeat in range(MAX_REPEATS):
            try:
                return await self._once(items)
            except Exception as error:
                limit = MAX_LOST_RACES if is_lost_race(error) else MAX_REPEATS
                again = is_serialisation_failure(error) or is_lost_race(error)
                if not again or repeat >= limit - 1:
                    raise
                # Two batches met: back off a little, unequally, so that they do not meet again.
                await asyncio.sleep(REPEAT_DELAY_SECONDS * (repeat + 1))
        raise AssertionError

    async def _give_up_on(self, item: Input | Rejected, error: Exception) -> InputOutcome:
        code = "UNPROCESSABLE"
        log.error("input-unprocessable", subject=item.subject, error=error, type=item.type or "rejected")
        if item.raw is None:
            return InputOutcome("rejected", code)
        fix = "the message was kept; report it with its dead-letter id"
        rejected = Rejected(item.raw, code, "", fix, item.subject, item.type, item.event)
        try:
            await self._once([rejected])
        except Exception as failure:
            # The boundary of one odd subject: if it cannot even be read, the message is kept without telling of it.
            if is_infrastructure_failure(failure) or is_serialisation_failure(failure):
                raise
            log.error("subject-unreadable", subject=item.subject, error=failure)  # noqa: TRY400 - our own log, which must not hold the text
            await self._once([replace(rejected, subject="", type="")])
        return InputOutcome("rejected", code)

    async def _once(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        now = self.clock()
        policy = self.policy()
        batch = BatchRows(self.vasp, self.vault, now, self._dead_letter_headers, self._deadletter_plain)
        decider = InputDecider(self._machines, policy, batch)
        taken = PreclaimedCalls(self.caller)
        events = PreclaimedEvents(self.relay if self.database.is_postgresql else None)
        with taken:
            async with self.database.begin() as connection:
                items = await resolve(connection, self.vasp, refuse_bare(self.vasp, items, policy, now))
                wanted = [item for item in items if isinstance(item, Input)]
                slots = await self._lock(connection, items, policy)
                decider.own = slots.get(own_subject(self.vasp))
                await decider.guard.load(connection, wanted)
                told = [refusal_of(item, batch.letter_id(item), now) for item in items if is_refused_request(item)]
                known = await self._known(connection, [(item.source, item.id) for item in [*wanted, *told]])
                decider.accepted = await accepted_answers(connection, self.vasp, wanted)
                parked = ParkedInputs(connection, batch, self.vault, slots, wanted)
                outcomes = [
                    await self._one(connection, item, slots, known, decider, batch, parked, now) for item in items
                ]
                left = taken.of(batch, now)
                await self._write(connection, batch, slots, now, events)
                wallets = any(slot.kind == "wallet" and slot.changed for slot in slots.values())
                what = _what(outbox=events.left, calls=left, tells=bool(batch.tells), wallets=wallets)
                if self.database.is_postgresql and what:
                    await connection.execute(text("SELECT pg_notify('travelrule', :what)"), {"what": what})
        events.publish()
        self._slots.recent.keep(slots.values(), now)
        _count(batch.observations)
        write_facts(batch.facts.committed(batch.dead_letters))
        self.committed.announce(what)
        return outcomes

    async def _write(
        self,
        connection: AsyncConnection,
        batch: BatchRows,
        slots: dict[str, LockedSubject],
        now: datetime,
        events: PreclaimedEvents,
    ) -> None:
        await batch.forget_known_dead_letters(connection)
        alert_refused(batch)
        await batch.revoked_calls.mark(connection)
        events.lease(batch, now)
        subjects = subject_writes(slots.values(), self._machines, self.vault, self.vasp, now)
        events.written(batch, await bulk.write(connection, [*subjects, *batch.writes()]))

    async def _lock(
        self, connection: AsyncConnection, items: Sequence[Input | Rejected], policy: Policy
    ) -> dict[str, LockedSubject]:
        own = {own_subject(self.vasp)} if may_refuse(policy, items) else set()
        items = [one for one in items if isinstance(one, Input) or is_message(one.raw) or is_refused_request(one)]
        subjects = {item.subject for item in items if item.subject} | own
        if not subjects:
            return {}
        creatable = {
            item.subject
            for item in items
            if not (isinstance(item, Input) and item.reply_to_unknown)
            and item.subject.partition(":")[0] in self._machines
        }
        return await self._slots.lock(connection, sorted(subjects), creatable | own)

    async def _known(
        self, connection: AsyncConnection, names: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], KnownInput]:
        if not names:
            return {}
        if self.database.is_postgresql:
            parameters = {"sources": [source for source, _ in names], "ids": [name for _, name in names]}
            rows = await connection.execute(_KNOWN_POSTGRESQL, {"vasp": self.vasp, **parameters})
        else:
            pairs = orjson.dumps(names).decode()
            rows = await connection.execute(_KNOWN_SQLITE, {"vasp": self.vasp, "pairs": pairs})
        return {
            (row.source, row.id): KnownInput(bytes(row.fingerprint), row.subject, row.status, row.code, row.reply)
            for row in rows
        }

    async def _one(
        self,
        connection: AsyncConnection,
        item: Input | Rejected,
        slots: dict[str, LockedSubject],
        known: dict[tuple[str, str], KnownInput],
        decider: InputDecider,
        batch: BatchRows,
        parked: ParkedInputs,
        now: datetime,
    ) -> InputOutcome:
        if isinstance(item, Rejected):
            batch.refuse(item, slots.get(item.subject))
            if item.code in REFUSED_DECISIONS and decider.own is not None:
                note_refused(batch, decider.own, None, item)
            source = "subjects" if is_message(item.raw) else "kafka"
            batch.observations.append(_observation(source, "undecodable", "rejected"))
            if is_refused_request(item):
                refusal = refusal_of(item, batch.letter_id(item), now)
                await self._one(connection, refusal, slots, known, decider, batch, parked, now)
            return InputOutcome("rejected", item.code, item.field, item.fix)
        slot = slots[item.subject]
        was_there = decider.arrived(slot)
        before = slot.changed, slot.parked, slot.due_at
        outcome = decider.apply(item, slot, known, now)
        if outcome.status == "parked":
            waiting = await parked.under(item)
            if waiting != "nothing":
                batch.parked.pop()
                slot.changed, slot.parked, slot.due_at = before
            if waiting == "another":
                outcome = decider.conflict(item, slot)
        batch.observations.append(_observation(source_class(item.source), item.type, outcome.status))
        if slot.parked and not was_there and decider.arrived(slot):
            await self._release(connection, slot, known, decider, parked, now)
        if (rejected := refused_input(item, outcome)) is not None:
            refusal = refusal_of(rejected, batch.letter_id(rejected), now)
            for name, stored in (await self._known(connection, [(refusal.source, refusal.id)])).items():
                known.setdefault(name, stored)
            await self._one(connection, refusal, slots, known, decider, batch, parked, now)
        return outcome

    async def _release(
        self,
        connection: AsyncConnection,
        slot: LockedSubject,
        known: dict[tuple[str, str], KnownInput],
        decider: InputDecider,
        parked: ParkedInputs,
        now: datetime,
    ) -> None:
        """Apply what waited for a subject that has arrived. An id that was used for something else meanwhile is a
        conflict of the input that waited, and none of this batch's business.
        """
        waited, names = await parked.release(slot)
        for name, stored in (await self._known(connection, names)).items():
            known.setdefault(name, stored)
        decider.release_parked(slot, waited, known, now)


class CommitSignal:
    """Wakes what works on tables of this process's commits, without polling."""

    def __init__(self) -> None:
        self.outbox = asyncio.Event()
        self.calls = asyncio.Event()
        self.tells = asyncio.Event()
        self.wallets = asyncio.Event()

    def announce(self, what: str) -> None:
        """Something new stands in the named tables (comma-separated)."""
        for name in ("outbox", "calls", "tells", "wallets"):
            if name in what:
                event: asyncio.Event = getattr(self, name)
                event.set()


def _what(**written: bool) -> str:
    return ",".join(name for name, there in written.items() if there)


def _observation(source: str, kind: str, outcome: str) -> Observation:
    return Observation("inputs", {"source": source, "type": kind, "outcome": outcome})


def _count(observations: Sequence[Observation]) -> None:
    for seen in observations:
        match seen.metric:
            case "inputs":
                metrics.INPUTS_TOTAL.labels(**seen.labels).inc()
            case "verdicts":
                metrics.VERDICTS_TOTAL.labels(**seen.labels).inc()
            case "age":
                metrics.INPUT_AGE_SECONDS.observe(seen.value)
            case "alerts":
                metrics.ALERTS_TOTAL.labels(**seen.labels).inc()
            case "dead_letters":
                metrics.DEAD_LETTERS_TOTAL.labels(**seen.labels).inc()
