"""Which subject does a person mean? A qualified one as it is; a bare id if only one subject has it."""

from __future__ import annotations

from sqlalchemy import or_, select

from schemas.registry import SUBJECT_KINDS
from travelrule.bootstrap.installation import Installation
from travelrule.errors import UsageError
from travelrule.store import tables


async def resolve(opened: Installation, text: str) -> str:
    """The qualified subject. Raises ``UsageError`` if there is none, or more than one."""
    table = tables.subjects
    kind, colon, _ = text.partition(":")
    names = [text] if colon and kind in SUBJECT_KINDS else [f"{kind}:{text}" for kind in SUBJECT_KINDS]
    query = select(table.c.subject).where(
        table.c.vasp == opened.entity_id, or_(*(table.c.subject == name for name in names))
    )
    async with opened.database.read() as connection:
        found = list((await connection.execute(query)).scalars())
    if not found:
        raise UsageError(f"no subject {text} is known here; write withdrawal:ID or exchange:ORIGIN/TRANSFERID")
    if len(found) > 1:
        raise UsageError(f"{text} is ambiguous: {', '.join(sorted(found))}")
    return str(found[0])
