"""Every job of the program that takes a lock, for two processes that meet in it: ``JOBS[name](database, who)``."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.signing import SigningKey
from travelrule.engine.apply.engine import Engine
from travelrule.engine.audit.log import AuditLogJob
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import schema_version
from travelrule.store.database import Database
from travelrule.store.directory_fetches import DirectoryFetchRepository
from travelrule.store.key_checks import KeyCheckRepository
from travelrule.store.leases import LeaseRepository
from travelrule.store.limits import SERVING
from travelrule.store.list_versions import ListRepository, ListVersion
from travelrule.store.nonce_leases import NonceRepository
from travelrule.store.outbox_rows import OutboxRepository
from travelrule.store.policies import PolicyRepository

QUICK = replace(SERVING, idle_transaction_s=2.0, lock_s=1.0)
NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
LIST = ListVersion("un", "a" * 64, "un-xml", 1, 1, 0, "{}", None, NOW)


def engine(database: Database) -> Engine:
    """The engine of both processes."""
    vault = Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))
    return Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)


def _leases(database: Database, who: str) -> LeaseRepository:
    return LeaseRepository(database, "north", who, lambda: datetime.now(UTC))


async def lease(database: Database, who: str) -> None:
    """Take the same lease."""
    await _leases(database, who).take("timers", 600)


async def nonces(database: Database, who: str) -> None:
    """Lease a block of the same counter."""
    await NonceRepository(database, "code:north").lease()


async def subject(database: Database, who: str) -> None:
    """Decide about the same subject."""
    (outcome,) = await engine(database).apply([told(who, "w-1", input_id=who)])
    if outcome.status not in ("applied", "duplicate"):
        raise AssertionError(outcome)


async def imported_list(database: Database, who: str) -> None:
    """Import a version of the same list."""
    await ListRepository(database, "north").activate(replace(LIST, version=who[0] * 64), who.encode() * 100)


async def profile(database: Database, who: str) -> None:
    """Keep the same version of the profile."""
    await PolicyRepository(database, "north").keep_profile("v-1", who, NOW)


async def audit_log(database: Database, who: str) -> None:
    """Append to the log of audit heads."""
    key = SigningKey(b"s" * 32)
    await AuditLogJob(database, "north", key, _leases(database, who), lambda: datetime.now(UTC)).round()


async def migration(database: Database, who: str) -> None:
    """Bring the tables to the newest form."""
    await schema_version.upgrade(database)


async def keys(database: Database, who: str) -> None:
    """Read the check values of keys."""
    async with database.begin() as connection:
        checks = KeyCheckRepository(connection, "north")
        await checks.lock()
        await checks.stored()


async def directory(database: Database, who: str) -> None:
    """Ask for a new list of VASPs."""
    await DirectoryFetchRepository(database, "north").want(datetime.now(UTC))


async def claims(database: Database, who: str) -> None:
    """Claim events to publish, and put them off."""
    queues = OutboxRepository(database, "north", who)
    items = await queues.claim(10, datetime.now(UTC), datetime.now(UTC))
    await queues.postpone([item.id for item in items], datetime.now(UTC))


JOBS: dict[str, Callable[[Database, str], Awaitable[None]]] = {
    "lease": lease,
    "nonces": nonces,
    "subject": subject,
    "list": imported_list,
    "profile": profile,
    "audit log": audit_log,
    "migration": migration,
    "claims": claims,
    "keys": keys,
    "directory": directory,
}
