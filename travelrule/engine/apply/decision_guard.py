"""The authority of decisions, checked before a machine decides on them (ADR 0023).

A signature is valid once. An accepted decision is a known input, so the same record again is a duplicate. One that the
machine refused is no stored input; its signature is kept in ``used_decisions`` until the time limit of decisions has
passed. The same record read again (same topic, partition and offset) is no replay.
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
"""Longer than any policy accepts a decision: a used one stays refused when ``valid_seconds`` is raised."""


def own_subject(vasp: str) -> str:
    """Return the subject of alerts about unknown subjects: our VASP."""
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
    """Refuse unauthorized decisions about bare ids before these are looked up, unless the authority is ``open``."""
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


def note_refused(batch: BatchRows, subject: LockedSubject, item: Input | None, rejected: Rejected) -> None:
    """Note the alert about a decision that was refused for its author."""
    batch.refused_decisions.setdefault(batch.letters.letter_id(rejected), (subject, item))


def raise_refused(batch: BatchRows) -> None:
    """Raise the noted alerts whose dead letters are new: a record may be delivered again."""
    for letter_id, (subject, item) in batch.refused_decisions.items():
        if letter_id in batch.letters.rows:
            batch.events.alert(subject, item, Alert("DECISION_REFUSED", "critical"))


class DecisionGuard:
    """Checks the decisions of one batch."""

    def __init__(self, policy: Policy, batch: BatchRows) -> None:
        self._rules = policy.decisions
        self._batch = batch
        self._used: dict[tuple[str, str], str] = {}

    async def load(self, connection: AsyncConnection, items: Sequence[Input]) -> None:
        """Look up which signed decisions of the batch are used. Their subjects are locked."""
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
        """Return the input with ``verified_by``, or the refusal. An input that is no decision is returned unchanged."""
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
