"""The checks of the database: its presence and version, the keys it was written with, and the policy and lists in
force. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select, text

from travelrule.bootstrap import installation
from travelrule.bootstrap.installation import audit_key, verify_keys
from travelrule.commands.doctor.check import FIX_SETTINGS, Check, concern, failed, guarded, skipped
from travelrule.crypto.audit_chain import verify_root
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.policy.active import first_policy
from travelrule.errors import ConfigurationFault, TravelRuleError
from travelrule.machine.effects import Alert
from travelrule.policy.policy import Policy
from travelrule.settings import Settings
from travelrule.store import schema_version, tables
from travelrule.store.database import Database, sqlite_file
from travelrule.store.diagnosis import SETTING
from travelrule.store.list_versions import ListRepository
from travelrule.store.policies import PolicyRepository

LIST_SECONDS = 120.0
"""Parsing the largest lists takes many seconds."""


class StoredChecks:
    """The checks that use the database. ``ahead`` is how far the clock of a database server is ahead of ours."""

    def __init__(self, settings: Settings, faults: Sequence[ConfigurationFault]) -> None:
        self.ahead: timedelta | None = None
        self._settings = settings
        self._faults = faults
        self._vasp = settings.vasp_entity_id or ""
        self._schema = Check("database", ok=False, detail="was not asked")
        self._reached = False
        self._is_new = False

    async def run(self) -> list[Check]:
        """Run all checks, except those that need an unreachable database or a wrong setting."""
        if concern(self._faults, "DATABASE_", "DATA_DIR"):
            self._schema = skipped("database", FIX_SETTINGS)
            return await self._ask(None)
        file = sqlite_file(self._settings.database_url)
        if file is not None and not file.exists():  # opening it would create it
            self._is_new = True
            self._schema = Check("database", ok=False, detail=f"{file} is not there yet", fix="travelrule migrate")
            return await self._ask(None)
        try:
            database = Database.of(self._settings)
        except TravelRuleError as error:
            self._schema = failed("database", error)
            return await self._ask(None)
        try:
            self._schema = await guarded("database", SETTING, lambda: self._version(database))
            return await self._ask(database if self._reached else None)
        finally:
            await database.dispose()

    async def _ask(self, database: Database | None) -> list[Check]:
        with_tables = database if self._schema.ok else None
        keys, lists = skipped("storage and index keys", self._schema), skipped("lists", self._schema)
        if concern(self._faults, "STORAGE_KEYS", "INDEX_KEY"):
            keys = skipped(keys.name, FIX_SETTINGS)
        elif database is not None or self._is_new:
            keys = await guarded(keys.name, SETTING, lambda: self._keys(database))
        policy = await guarded("policy", SETTING, lambda: self._policy(with_tables))
        audit = skipped("audit key", FIX_SETTINGS)
        if not concern(self._faults, "AUDIT_KEY"):
            audit = await guarded(audit.name, SETTING, lambda: self._audit(with_tables))
        if with_tables is not None:
            lists = await guarded("lists", SETTING, lambda: self._lists(with_tables), LIST_SECONDS)
        return [keys, policy, audit, self._schema, lists]

    async def _version(self, database: Database) -> Check:
        async with database.explained():
            await database.check()
            current, newest = await schema_version.stored_revision(database), schema_version.newest_revision()
            self._reached = True
            if database.is_postgresql:
                async with database.read() as connection:
                    told: datetime = (await connection.execute(text("SELECT clock_timestamp()"))).scalar_one()
                self.ahead = told - installation.utc_now()
        return Check("database", current == newest, f"at {current or 'nothing'}, needs {newest}", "travelrule migrate")

    async def _keys(self, database: Database | None) -> Check:
        self._settings.require("vasp_entity_id", "storage_keys", "index_key")
        where = "nothing is stored yet"
        if database is not None:
            where = "those of the database"
            async with database.explained():
                await verify_keys(self._settings, database)
        count = len((self._settings.storage_keys.get_secret_value() if self._settings.storage_keys else "").split(","))
        return Check("storage and index keys", ok=True, detail=f"{where}, {count} storage key(s)")

    async def _policy(self, database: Database | None) -> Check:
        policy, from_database = await self._active_policy(database)
        where = "in force" if from_database else "of the settings, none is in force yet"
        if database is None:
            where = "of the settings; which is in force is not known, because this needs the database"
        return Check("policy", ok=True, detail=f"{policy.version}, {where}")

    async def _active_policy(self, database: Database | None) -> tuple[Policy, bool]:
        if database is not None:
            async with database.explained():
                stored = await PolicyRepository(database, self._vasp).active()
            if stored is not None:
                return Policy.from_toml(stored.content), True
        return first_policy(self._settings.policy_file)[1], False

    async def _audit(self, database: Database | None) -> Check:
        key = audit_key(self._settings)
        if database is not None and await self._another_signed(database, key.public_base64):
            fix = "give the key that signed it; after a rotation this passes with the next root (docs/keys.md)"
            return Check("audit key", ok=False, detail="another key than AUDIT_KEY signed the newest root", fix=fix)
        return Check("audit key", ok=True, detail=f"signs as {key.public_base64}")

    async def _another_signed(self, database: Database, public: str) -> bool:
        table = tables.audit_roots
        query = select(table).where(table.c.vasp == self._vasp).order_by(table.c.size.desc()).limit(1)
        async with database.explained(), database.read() as connection:
            root = (await connection.execute(query)).first()
        return root is not None and not verify_root(public, root.size, bytes(root.root), root.at, root.signature)

    async def _lists(self, database: Database) -> Check:
        """Whether the lists that the policy requires exist, can be read, and are not too old."""
        policy, _ = await self._active_policy(database)
        stored = ListRepository(database, self._vasp)
        async with database.explained():
            active = await stored.active()
        if not active and policy.sanctions == "required":
            fix = "`travelrule lists import FORMAT PATH`; until then nothing is taken for clean"
            return Check("lists", ok=False, detail="none is in force, and the policy requires them", fix=fix)
        unreadable: list[str] = []

        async def unread(subject: str, _: Alert) -> None:
            unreadable.append(subject.partition(":")[2])

        async with database.explained():
            await ActiveLists(stored, unread, installation.utc_now).start()
        if unreadable:
            fix = "import it again: `travelrule lists import FORMAT PATH`"
            return Check("lists", ok=False, detail=f"cannot be read: {', '.join(unreadable)}", fix=fix)
        limit = timedelta(seconds=policy.time_limits.list_age)
        old = [code for code, version in active.items() if installation.utc_now() - version.dated > limit]
        if old:
            fix = "import what the publisher offers now: `travelrule lists import FORMAT PATH`"
            return Check("lists", ok=False, detail=f"older than {limit.days} days: {', '.join(old)}", fix=fix)
        detail = ", ".join(f"{code} ({version.entries} entries)" for code, version in active.items())
        return Check("lists", ok=True, detail=detail or "none; the policy does not ask for them")
