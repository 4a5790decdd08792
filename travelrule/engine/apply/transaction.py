"""One batch in one SQL transaction.

Lock the subjects in sorted order, look up which inputs are known, decide in order of arrival, write the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.apply.accepted_answers import accepted_answers
from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.decision_guard import may_refuse, note_refused, own_subject, raise_refused, refuse_bare
from travelrule.engine.apply.input_decision import InputDecider
from travelrule.engine.apply.known_inputs import InputName, KnownInputs, known_inputs
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.engine.apply.observations import Observation
from travelrule.engine.apply.parked_inputs import ParkedInputs
from travelrule.engine.apply.preclaimed import PreclaimedCalls, PreclaimedEvents
from travelrule.engine.apply.projection_rows import subject_writes
from travelrule.engine.apply.refused_requests import is_refused_request, refusal_of, refused_input
from travelrule.engine.apply.subject_loader import SubjectLoader
from travelrule.engine.apply.subject_resolver import resolve
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.messages.message_record import is_message
from travelrule.machine.decision_authority import REFUSED_DECISIONS
from travelrule.machine.input import Input, Rejected
from travelrule.machine.port import Machine
from travelrule.machine.sources import source_class
from travelrule.policy.policy import Policy
from travelrule.store import bulk

_NOTIFY = text("SELECT pg_notify('travelrule', :what)")


class BatchTransaction:
    """Applies one batch on ``connection``. The caller begins and commits."""

    def __init__(
        self,
        connection: AsyncConnection,
        loader: SubjectLoader,
        machines: dict[str, Machine],
        policy: Policy,
        batch: BatchRows,
    ) -> None:
        self.subjects: dict[str, LockedSubject] = {}
        self._connection = connection
        self._loader = loader
        self._machines = machines
        self._policy = policy
        self._batch = batch
        self._vasp = batch.vasp
        self._now = batch.now
        self._decider = InputDecider(machines, policy, batch)
        self._known: KnownInputs = {}
        self._parked: ParkedInputs

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """Decide ``items`` in order. Nothing but locks is written yet."""
        items = await resolve(self._connection, self._vasp, refuse_bare(self._vasp, items, self._policy, self._now))
        inputs = [item for item in items if isinstance(item, Input)]
        await self._lock(items)
        await self._decider.guard.load(self._connection, inputs)
        refusals = [self._refusal_of(item) for item in items if is_refused_request(item)]
        self._known = await self._look_up([(item.source, item.id) for item in [*inputs, *refusals]])
        self._decider.accepted = await accepted_answers(self._connection, self._vasp, inputs)
        self._parked = ParkedInputs(self._connection, self._batch, self.subjects, inputs)
        return [await self._apply_one(item) for item in items]

    async def write(self, calls: PreclaimedCalls, events: PreclaimedEvents) -> str:
        """Write the rows and notify other processes. Return the names of the tables that have new work."""
        calls_left = calls.preclaim(self._batch, self._now)
        await write_rows(self._connection, self._batch, self.subjects, self._machines, events)
        wallets = any(subject.kind == "wallet" and subject.changed for subject in self.subjects.values())
        what = _what(outbox=events.left, calls=calls_left, tells=bool(self._batch.messages), wallets=wallets)
        if what and self._connection.dialect.name == "postgresql":
            await self._connection.execute(_NOTIFY, {"what": what})
        return what

    async def _lock(self, items: Sequence[Input | Rejected]) -> None:
        own = {own_subject(self._vasp)} if may_refuse(self._policy, items) else set()
        items = [one for one in items if isinstance(one, Input) or is_message(one.raw) or is_refused_request(one)]
        names = {item.subject for item in items if item.subject} | own
        if not names:
            return
        creatable = {
            item.subject
            for item in items
            if not (isinstance(item, Input) and item.reply_to_unknown)
            and item.subject.partition(":")[0] in self._machines
        }
        self.subjects = await self._loader.lock(self._connection, sorted(names), creatable | own)
        self._decider.own = self.subjects.get(own_subject(self._vasp))

    async def _look_up(self, names: Sequence[InputName]) -> KnownInputs:
        return await known_inputs(self._connection, self._vasp, names)

    async def _look_up_more(self, names: Sequence[InputName]) -> None:
        """Look up further inputs. Those that this batch has decided meanwhile stay as decided."""
        for name, stored in (await self._look_up(names)).items():
            self._known.setdefault(name, stored)

    async def _apply_one(self, item: Input | Rejected) -> InputOutcome:
        if isinstance(item, Rejected):
            return await self._refuse(item)
        subject = self.subjects[item.subject]
        had_arrived = self._decider.has_arrived(subject)
        before = subject.changed, subject.parked, subject.due_at
        outcome = self._decider.apply(item, subject, self._known, self._now)
        if outcome.status == "parked":
            content = await self._parked.parked_under_id(item)
            if content != "nothing":
                self._batch.parked.pop()
                subject.changed, subject.parked, subject.due_at = before
            if content == "another":
                outcome = self._decider.refuse_conflict(item, subject)
        self._observe(source_class(item.source), item.type, outcome.status)
        if subject.parked and not had_arrived and self._decider.has_arrived(subject):
            await self._release(subject)
        if (rejected := refused_input(item, outcome)) is not None:
            refusal = self._refusal_of(rejected)
            await self._look_up_more([(refusal.source, refusal.id)])
            await self._apply_one(refusal)
        return outcome

    async def _refuse(self, item: Rejected) -> InputOutcome:
        self._batch.refuse(item, self.subjects.get(item.subject))
        if item.code in REFUSED_DECISIONS and self._decider.own is not None:
            note_refused(self._batch, self._decider.own, None, item)
        self._observe("subjects" if is_message(item.raw) else "kafka", "undecodable", "rejected")
        if is_refused_request(item):
            await self._apply_one(self._refusal_of(item))
        return InputOutcome("rejected", item.code, item.field, item.fix)

    async def _release(self, subject: LockedSubject) -> None:
        """Apply the parked inputs of a subject that has arrived. If the id of one names another input by now, that one
        is the conflict, and no input of this batch.
        """
        released, names = await self._parked.release(subject)
        await self._look_up_more(names)
        self._decider.release_parked(subject, released, self._known, self._now)

    def _refusal_of(self, rejected: Rejected) -> Input:
        return refusal_of(rejected, self._batch.letters.letter_id(rejected), self._now)

    def _observe(self, source: str, kind: str, outcome: str) -> None:
        labels = {"source": source, "type": kind, "outcome": outcome}
        self._batch.observations.append(Observation("inputs", labels))


async def write_rows(
    connection: AsyncConnection,
    batch: BatchRows,
    subjects: dict[str, LockedSubject],
    machines: dict[str, Machine],
    events: PreclaimedEvents,
) -> None:
    """Write the rows of a batch and of its subjects."""
    await batch.letters.drop_known(connection)
    raise_refused(batch)
    await batch.revoked_calls.mark(connection)
    events.lease(batch, batch.now)
    changed = subject_writes(subjects.values(), machines, batch.vault, batch.vasp, batch.now)
    events.note_written(batch, await bulk.write(connection, [*changed, *batch.writes()]))


def _what(**written: bool) -> str:
    return ",".join(name for name, is_written in written.items() if is_written)
