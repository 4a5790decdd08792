"""Bare ids: an operator may name a subject without its kind where that is unambiguous (contract section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.registry import SUBJECT_KINDS, is_qualified
from travelrule.machine.input import Input, Rejected
from travelrule.store import tables


async def resolve(connection: AsyncConnection, vasp: str, items: Sequence[Input | Rejected]) -> list[Input | Rejected]:
    """Return the items with each bare id replaced by the one subject that has it; refuse unknown and ambiguous ids."""
    bare = {item.subject for item in items if isinstance(item, Input) and not is_qualified(item.subject)}
    if not bare:
        return list(items)
    table = tables.subjects
    names = {f"{kind}:{text}": text for text in bare for kind in SUBJECT_KINDS}
    query = select(table.c.subject).where(table.c.vasp == vasp, table.c.subject.in_(names))
    found: dict[str, list[str]] = {text: [] for text in bare}
    for subject in (await connection.execute(query)).scalars():
        found[names[subject]].append(subject)
    return [_resolved(item, found) for item in items]


def _resolved(item: Input | Rejected, found: dict[str, list[str]]) -> Input | Rejected:
    if isinstance(item, Rejected) or item.subject not in found:
        return item
    subjects = found[item.subject]
    if len(subjects) == 1:
        return replace(item, subject=subjects[0])
    code = "AMBIGUOUS_SUBJECT" if subjects else "UNKNOWN_SUBJECT"
    if item.raw is None:
        return item
    fix = "name the subject with its kind, for example withdrawal:ID"
    return Rejected(item.raw, code, "data.subject", fix, type=item.type, event=item.event)
