"""Replay of a refused message between subjects: it is queued again, as the last one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, text

from travelrule.engine.messages.message_record import names_of
from travelrule.engine.stable_ids import stable_id
from travelrule.engine.vault import Vault
from travelrule.machine.input import RawMessage
from travelrule.store import bulk, tables
from travelrule.store.bulk import BulkWrite
from travelrule.store.database import Database

_NOTIFY = text("SELECT pg_notify('travelrule', 'tells')")


async def requeue(
    database: Database, vasp: str, vault: Vault, letter_id: str, code: str, raw: RawMessage, now: datetime
) -> bool:
    """Queue the message again and mark its dead letter. Return False if its sender was erased.

    The message keeps its id, so that two replays have one effect; only an id that names another input is replaced.
    """
    names = names_of(raw)
    keys = tables.data_keys
    query = select(keys.c.wrapped).where(keys.c.vasp == vasp, keys.c.subject == names.sender)
    async with database.begin() as connection:
        wrapped = (await connection.execute(query)).scalar()
        if wrapped is None or raw.value is None:
            return False
        sealed = raw.value
        if names.readable:
            data_key = vault.unwrap(names.sender, bytes(wrapped))
            sealed = vault.seal(data_key, "tell", names.sender, raw.value)
        message = {
            "id": stable_id(vasp, "replay", letter_id) if code == "CONFLICT" else names.message_id,
            "vasp": vasp,
            "from_subject": names.sender,
            "to_subject": names.receiver,
            "type": names.type,
            "sealed": sealed,
            "traceparent": names.traceparent,
            "created_at": now,
        }
        marked = {"vasp": vasp, "id": letter_id, "replayed_at": now}
        await bulk.write(connection, [BulkWrite("insert", tables.tells, [message], "nothing")])
        await bulk.write(connection, [BulkWrite("update", tables.dead_letters, [marked])])
        if database.is_postgresql:
            await connection.execute(_NOTIFY)
    return True
