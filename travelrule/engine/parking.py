"""Inputs that wait for their subject: an id that waits already names one content there too.

Without this look a second message under the id of a waiting one would be acknowledged and kept nowhere.
"""

from __future__ import annotations

from typing import Literal

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from travelrule.engine.batch import Batch
from travelrule.engine.envelope import pack, unpack
from travelrule.engine.slot import Slot
from travelrule.engine.vault import Vault
from travelrule.exchange.inputs import Input

_WAITING = text(
    "SELECT p.subject, p.sealed, k.wrapped FROM parked p"
    " JOIN data_keys k ON k.vasp = p.vasp AND k.subject = p.subject"
    " WHERE p.vasp = :vasp AND p.source = :source AND p.id = :id"
)

Waiting = Literal["nothing", "the same", "another"]


async def waiting_under(
    connection: AsyncConnection, item: Input, slots: dict[str, Slot], batch: Batch, vault: Vault
) -> Waiting:
    """What waits under the id of an input that this batch parked last: in the store, or earlier in the batch."""
    for row in batch.parked[:-1]:
        if (row["source"], row["id"]) == (item.source, item.id):
            key = slots[row["subject"]].data_key
            return _compared(vault, key, row["subject"], row["sealed"], item)
    names = {"vasp": batch.vasp, "source": item.source, "id": item.id}
    stored = (await connection.execute(_WAITING, names)).first()
    if stored is None:
        return "nothing"
    key = vault.unwrap(stored.subject, bytes(stored.wrapped))
    return _compared(vault, key, stored.subject, bytes(stored.sealed), item)


def _compared(vault: Vault, key: bytes, subject: str, sealed: bytes, item: Input) -> Waiting:
    there, new = unpack(vault.open(key, "parked", subject, sealed)), unpack(pack(item))
    same = (there.type, there.subject, there.content) == (new.type, new.subject, new.content)
    return "the same" if same else "another"
