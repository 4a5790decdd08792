"""Sealed answers that were accepted earlier, looked up in the transaction that decides on the next one.

The row of an accepted answer is written with the state that it led to. Of two transactions that accept the same bytes
at once the later one fails on the primary key; it is repeated and then finds the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.machine.effects import AcceptAnswer
from travelrule.machine.input import Input, Rejected
from travelrule.machine.internal_inputs import CallResult
from travelrule.store import tables

AcceptedAnswers = dict[str, str]
"""From a seal (``CallResult.answer_seal``) to the ``transferId`` for which it was accepted."""


async def accepted_answers(
    connection: AsyncConnection, vasp: str, items: Sequence[Input | Rejected]
) -> AcceptedAnswers:
    """Return the stored acceptances of the sealed answers of a batch."""
    seals = [bytes.fromhex(seal) for item in items if (seal := _seal(item))]
    if not seals:
        return {}
    table = tables.accepted_answers
    query = select(table.c.seal, table.c.transfer_id).where(table.c.vasp == vasp, table.c.seal.in_(seals))
    return {bytes(row.seal).hex(): row.transfer_id for row in await connection.execute(query)}


def with_accepted(item: Input, accepted: AcceptedAnswers) -> Input:
    """Return the input with ``accepted_for`` of its sealed answer, a fact of the decision that is stored with it."""
    transfer_id = accepted.get(_seal(item), "")
    if not transfer_id:
        return item
    return replace(item, data=item.data.model_copy(update={"accepted_for": transfer_id}))


def accepted_row(vasp: str, subject: str, accepted: AcceptAnswer, now: datetime) -> dict[str, Any]:
    """Return the row of an accepted answer. It holds no personal data."""
    return {
        "vasp": vasp,
        "seal": bytes.fromhex(accepted.seal),
        "transfer_id": accepted.transfer_id,
        "subject": subject,
        "accepted_at": now,
    }


def _seal(item: Input | Rejected) -> str:
    data = item.data if isinstance(item, Input) else None
    return data.answer_seal if isinstance(data, CallResult) else ""
