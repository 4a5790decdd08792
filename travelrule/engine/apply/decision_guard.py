"""Who may decide, asked before a decision is accepted: no machine sees one that was not authorized (ADR 0023).

A signature serves once. An accepted decision is known by its id, so that the same record again is a duplicate; one that
the machine refused is not remembered as an input, therefore what was verified is kept in ``used_decisions`` until it
could not be accepted any more. The same record read again (same topic, partition and offset) is no replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.events.decisions import DecisionRecorded
from schemas.registry import is_qualified
from travelrule.engine.apply.batch_rows import BatchRows
from travelrule.engine.apply.locked_subject import LockedSubject
from travelrule.machine.decision_authority import REFUSED_DECISIONS, AuthorityRefusal, RefusedDecision, key_of
from travelrule.machine.effects import Alert
from travelrule.machine.input import Input, Rejected
from travelrule.policy.decisions import CLOCK_SKEW_SECONDS, VALID_SECONDS_MAX
from travelrule.policy.policy import Policy
from travelrule.store import tables

KEPT = timedelta(seconds=VALID_SECONDS_MAX + 2 * CLOCK_SKEW_SECONDS)
"""Longer than any policy accepts a decision: raising ``valid_seconds`` must not make a used one valid again."""


def own_subject(vasp: str) -> str:
    """What an alert names when there is no subject that it could name."""
    return f"vasp:{vasp}"


def may_refuse(policy: Policy, items: Sequence[Input | Rejected]) -> bool:
    """Whether one of the items may be an unauthorized decision."""
    return policy.decisions.authority != "open" and any(map(_may_be_refused, items))


def _may_be_refused(item: Input | Rejected) -> bool:
    if isinstance(item, Rejected):
        return item.code in REFUSED_DECISIONS
    return isinstance(item.data, DecisionRecorded)


def refuse_bare(
    vasp: str, items: Sequence[Input | Rejected], policy: Policy, now: datetime
) -> Sequence[Input | Rejected]:
    """Refuse decisions about a bare id before it is looked up, unless the policy lets everybody decide."""
    if policy.decisions.authority == "open":
        return items
    return [_bare_refused(vasp, item, policy, now) for item in items]


def _bare_refused(vasp: str, item: Input | Rejected, policy: Policy, now: datetime) -> Input | Rejected:
    if isinstance(item, Rejected) or item.raw is None or not isinstance(item.data, DecisionRecorded):
        return item
    refusal = None if is_qualified(item.subject) else key_of(vasp, item, item.data, policy.decisions, now)
    if not isinstance(refusal, AuthorityRefusal):
        return item
    return Rejected(item.raw, refusal.code, refusal.field, refusal.fix, type=item.type, event=item.event)


def note_refused(batch: BatchRows, slot: LockedSubject, item: Input | None, rejected: Rejected) -> None:
    """Note that an operator is to be told of a decision that was refused for who made it."""
    batch.refused_decisions.setdefault(batch.letter_id(rejected), (slot, item))


def alert_refused(batch: BatchRows) -> None:
    """Tell an operator, once it is known which dead letters are new: a record may be delivered again."""
    for letter_id, (slot, item) in batch.refused_decisions.items():
        if letter_id in batch.dead_letters:
            batch.alert(slot, item, Alert("DECISION_REFUSED", "critical"))


class DecisionGuard:
    """Checks the decisions of one batch."""

    def __init__(self, policy: Policy, batch: BatchRows) -> None:
        self._rules = policy.decisions
        self._batch = batch
        self._used: dict[tuple[str, str], str] = {}

    async def load(self, connection: AsyncConnection, items: Sequence[Input]) -> None:
        """Look up which signed decisions of the batch were used before. Their subjects are locked."""
        names = [
            (item.source, item.id)
            for item in items
            if isinstance(item.data, DecisionRecorded) and item.data.signature is not None
        ]
        if not names:
            return
        table = tables.used_decisions
        query = select(table).where(
            table.c.vasp == self._batch.vasp, tuple_(table.c.source, table.c.id).in_(sorted(set(names)))
        )
        self._used = {(row.source, row.id): row.place for row in (await connection.execute(query)).all()}

    def check(self, item: Input, now: datetime) -> Input | AuthorityRefusal:
        """The input with what was verified of it, or why it is refused. What is no decision is let through."""
        if not isinstance(item.data, DecisionRecorded):
            return item
        key_id = key_of(self._batch.vasp, item, item.data, self._rules, now)
        if isinstance(key_id, AuthorityRefusal) or not key_id:
            return key_id if isinstance(key_id, AuthorityRefusal) else replace(item, verified_by="")
        place = _place(item)
        if self._used.setdefault((item.source, item.id), place) != place and self._rules.authority == "signed":
            fix = "decide again: a signature serves once"
            return AuthorityRefusal(RefusedDecision.DECISION_REPLAYED, "data.signature", fix)
        self._keep(item, place)
        return replace(item, verified_by=key_id)

    def _keep(self, item: Input, place: str) -> None:
        row = {"vasp": self._batch.vasp, "source": item.source, "id": item.id, "place": place}
        self._batch.used_decisions.append({**row, "expires_at": item.at + KEPT})


def _place(item: Input) -> str:
    return "" if item.raw is None else f"{item.raw.topic}/{item.raw.partition}/{item.raw.offset}"
