"""Policy versions in the database: every process of an installation adopts the same one.

The versions of our VASP's profile are stored too, because a decision depends on both. A profile is company data that
every counterparty receives, and no secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Text, bindparam, select, text

from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.types import Instant


@dataclass(frozen=True, slots=True)
class StoredPolicy:
    """One activated version: the TOML text as it was applied."""

    version: str
    content: str
    activated_at: datetime


_ALSO_AS = text(
    "INSERT INTO policies (vasp, version, content, activated_at) SELECT vasp, :version, content, :now FROM policies"
    " WHERE id = (SELECT MAX(id) FROM policies WHERE vasp = :vasp) AND version = :old"
).bindparams(bindparam("version", type_=Text()), bindparam("now", type_=Instant()))


class PolicyRepository:
    """The activated policies of one VASP, newest last."""

    def __init__(self, database: Database, vasp: str) -> None:
        self._database = database
        self._vasp = vasp

    async def active(self) -> StoredPolicy | None:
        """The policy in force; None if none was ever activated."""
        table = tables.policies
        query = select(table).where(table.c.vasp == self._vasp).order_by(table.c.id.desc()).limit(1)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else StoredPolicy(row.version, row.content, row.activated_at)

    async def by_version(self, version: str) -> StoredPolicy | None:
        """The content of a version that was in force at some time."""
        table = tables.policies
        query = select(table).where(table.c.vasp == self._vasp, table.c.version == version).limit(1)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else StoredPolicy(row.version, row.content, row.activated_at)

    async def also_as(self, stored: StoredPolicy, version: str, now: datetime) -> None:
        """Put the same text in force under another version, unless another policy was activated meanwhile."""
        names = {"vasp": self._vasp, "version": version, "now": now, "old": stored.version}
        async with self._database.single() as connection:
            await connection.execute(_ALSO_AS, names)

    async def activate(self, version: str, content: str, now: datetime) -> bool:
        """Put a policy in force; False if it already is."""
        active = await self.active()
        if active is not None and active.version == version:
            return False
        row = {"vasp": self._vasp, "version": version, "content": content, "activated_at": now}
        async with self._database.single() as connection:
            await bulk.insert(connection, tables.policies, [row])
        return True

    async def keep_profile(self, version: str, content: str, now: datetime) -> None:
        """Store a version of the profile before the first decision with it; an existing one is kept."""
        row = {"vasp": self._vasp, "version": version, "content": content, "first_used_at": now}
        async with self._database.single() as connection:
            await bulk.insert(connection, tables.profiles, [row], conflict="nothing")

    async def profile(self, version: str) -> str | None:
        """The content of a profile version; None if no process ever started with it."""
        table = tables.profiles
        query = select(table.c.content).where(table.c.vasp == self._vasp, table.c.version == version)
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar()
