"""The content of a dead letter: found by a prefix of its id, and never read without a record of the reader."""

from __future__ import annotations

import getpass
import os
import socket
from typing import Any
from uuid import uuid4

import orjson
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select

from schemas.texts import Id
from travelrule.bootstrap.installation import Installation
from travelrule.disclosures.disclosure import MACHINE, DeadLetterShown, DisclosureState
from travelrule.engine.input_envelope import unpack_raw
from travelrule.errors import TravelRuleError, UsageError
from travelrule.machine.input import RawMessage
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.store import dead_letters, tables

CANDIDATES_MAX = 10
_ACTOR = TypeAdapter(Id)


class NotRecordedError(TravelRuleError):
    """A disclosure that cannot be recorded."""


async def resolve_id(opened: Installation, given: str) -> str:
    """The full id. Raise ``UsageError`` if no id has this prefix, or several have."""
    found: list[str] = []
    if given:
        async with opened.database.read() as connection:
            found = await dead_letters.ids_with_prefix(connection, opened.entity_id, given.lower(), CANDIDATES_MAX + 1)
    if given.lower() in found:
        return given.lower()
    if not found:
        raise UsageError(f"no dead letter has the id {given or '(empty)'}: see `travelrule dead-letters list`")
    if len(found) > 1:
        more = ", ..." if len(found) > CANDIDATES_MAX else ""
        raise UsageError(f"{given} is the beginning of several ids: {', '.join(found[:CANDIDATES_MAX])}{more}")
    return found[0]


async def read(opened: Installation, letter_id: str) -> tuple[Any, RawMessage | None]:
    """The row and the record; None in place of an erased record."""
    letters, keys = tables.dead_letters, tables.data_keys
    subject = f"deadletter:{letter_id}"
    one = select(letters).where(letters.c.vasp == opened.entity_id, letters.c.id == letter_id)
    key_of = select(keys.c.wrapped).where(keys.c.vasp == opened.entity_id, keys.c.subject == subject)
    async with opened.database.read() as connection:
        row = (await connection.execute(one)).one()
        wrapped = (await connection.execute(key_of)).scalar()
    if wrapped is None:
        return row, None
    key = opened.vault.unwrap(subject, bytes(wrapped))
    return row, unpack_raw(orjson.loads(opened.vault.open(key, "deadletter", subject, bytes(row.sealed))))


async def record_disclosure(opened: Installation, letter_id: str, actor: str) -> dict[str, Any] | None:
    """Record the disclosure. Return the earlier ones. Raise ``NotRecordedError`` if it cannot be recorded."""
    subject = f"disclosure:{letter_id}"
    before = await _disclosed(opened, subject)
    item = internal_input(
        InternalSource.KAFKA,
        str(uuid4()),
        "dead-letter.shown",
        subject,
        DeadLetterShown(actor=actor),
        path="dead-letters",
        at=opened.clock(),
        salt=uuid4(),
    )
    (outcome,) = await opened.engine.apply([item])
    if outcome.status != "applied":
        raise NotRecordedError(f"it cannot be recorded that dead letter {letter_id} is shown ({outcome.code})")
    return before


def reader(given: str | None) -> str:
    """The reader: the given name or the login. Raise ``UsageError`` for a name that no decision may have."""
    if not given:
        return _login()
    try:
        return _ACTOR.validate_python(given)
    except ValidationError:
        raise UsageError("--actor must be 1 to 200 characters on one line") from None


def _login() -> str:
    """The login and host of this process."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = f"uid {os.getuid()}"  # no name in the environment, and none in the user database
    return f"{name}@{socket.gethostname()}"


async def _disclosed(opened: Installation, subject: str) -> dict[str, Any] | None:
    table, keys = tables.subjects, tables.data_keys
    query = (
        select(table.c.sealed, keys.c.wrapped)
        .join(keys, (keys.c.vasp == table.c.vasp) & (keys.c.subject == table.c.subject))
        .where(table.c.vasp == opened.entity_id, table.c.subject == subject, table.c.sealed.is_not(None))
    )
    async with opened.database.read() as connection:
        row = (await connection.execute(query)).first()
    if row is None:
        return None
    key = opened.vault.unwrap(subject, bytes(row.wrapped))
    state: DisclosureState = MACHINE.load(opened.vault.open(key, "state", subject, bytes(row.sealed)))
    return {"times": state.times, "at": state.last_at, "by": state.last_actor}
