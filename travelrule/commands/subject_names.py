"""The subject that an operator's text names: a qualified one, or a bare id that only one subject has."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.registry import SUBJECT_KINDS
from travelrule.bootstrap.installation import Installation
from travelrule.errors import UsageError
from travelrule.store import tables


async def resolve(opened: Installation, text: str, *, refused: bool = False) -> str:
    """The qualified subject. Raise ``UsageError`` if there is none, or more than one. ``refused``: also accept a
    subject that only refused inputs name.
    """
    kind, colon, _ = text.partition(":")
    names = [text] if colon and kind in SUBJECT_KINDS else [f"{kind}:{text}" for kind in SUBJECT_KINDS]
    async with opened.database.read() as connection:
        found = await _named(connection, tables.subjects, opened.entity_id, names)
        if not found and refused:
            found = await _named(connection, tables.dead_letters, opened.entity_id, names)
    if not found:
        raise UsageError(f"no subject {text} is known here; write withdrawal:ID or exchange:ORIGIN/TRANSFERID")
    if len(found) > 1:
        raise UsageError(f"{text} is ambiguous: {', '.join(sorted(found))}")
    return str(found[0])


async def _named(connection: AsyncConnection, table: Any, vasp: str, names: list[str]) -> list[str]:
    query = select(table.c.subject).where(table.c.vasp == vasp, table.c.subject.in_(names)).distinct()
    return list((await connection.execute(query)).scalars())
