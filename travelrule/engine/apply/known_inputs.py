"""The inputs of a batch that are stored already, looked up under the locks of its subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

InputName = tuple[str, str]
"""Source and id of an input."""

# OFFSET 0: one index access per input, see ``subject_loader``.
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


@dataclass(frozen=True, slots=True)
class KnownInput:
    """A stored input: enough to answer a repetition, or to detect other content under the id."""

    fingerprint: bytes
    subject: str
    status: str
    code: str
    sealed_reply: bytes | None


KnownInputs = dict[InputName, KnownInput]


async def known_inputs(connection: AsyncConnection, vasp: str, names: Sequence[InputName]) -> KnownInputs:
    """Return those of ``names`` that are stored."""
    if not names:
        return {}
    if connection.dialect.name == "postgresql":
        parameters = {"sources": [source for source, _ in names], "ids": [input_id for _, input_id in names]}
        rows = await connection.execute(_KNOWN_POSTGRESQL, {"vasp": vasp, **parameters})
    else:
        rows = await connection.execute(_KNOWN_SQLITE, {"vasp": vasp, "pairs": orjson.dumps(names).decode()})
    return {
        (row.source, row.id): KnownInput(bytes(row.fingerprint), row.subject, row.status, row.code, row.reply)
        for row in rows
    }
