"""One installation, built from the settings: the database and our identity.

Only this package names concrete adapters (design section 3).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from uuid import uuid4

from prometheus_client import Histogram
from pydantic import SecretStr

from streams.dead_letter_headers import DeadLetterHeaders
from streams.topics import Topics
from travelrule import metrics
from travelrule.client.hub import HubClient
from travelrule.client.signer import LocalSigner
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.crypto.request_nonces import NonceBlock, NonceLease
from travelrule.crypto.signing import KeyRing, SigningKey
from travelrule.engine.apply.engine import Engine
from travelrule.engine.callback_urls import CallbackUrls
from travelrule.engine.directory.counterparties import CounterpartyDirectory
from travelrule.engine.directory.directory_metrics import DirectoryMetrics
from travelrule.engine.key_guard import KeyGuard
from travelrule.engine.lists.active_lists import ActiveLists
from travelrule.engine.policy.active import ActivePolicy
from travelrule.engine.registry import MACHINES
from travelrule.engine.vault import Vault
from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationError
from travelrule.given_files import UnreadableError, read_text
from travelrule.identity.profile import VaspProfile
from travelrule.policy.policy import OwnVasp
from travelrule.settings import Settings
from travelrule.store import schema_version
from travelrule.store.call_rows import CallRepository
from travelrule.store.database import Database
from travelrule.store.directory import DirectoryRepository
from travelrule.store.leases import LeaseRepository
from travelrule.store.list_versions import ListRepository
from travelrule.store.nonce_leases import NonceRepository
from travelrule.store.outbox_rows import OutboxRepository
from travelrule.store.policies import PolicyRepository
from travelrule.store.search_rows import SearchRepository

PROFILE = f"{PREFIX}VASP_PROFILE_FILE"
KEY_SETTINGS = ("vasp_entity_id", "storage_keys", "index_key")
"""The settings needed to check whether the keys are those of a database."""
INSTALLATION_SETTINGS = (*KEY_SETTINGS, "vasp_profile_file", "signing_key")
"""The settings that every role and every command on stored data needs."""


def utc_now() -> datetime:
    """The present moment, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Installation:
    """What every role and most commands need: the database and our identity. No broker or hub is contacted."""

    settings: Settings
    entity_id: str
    owner: str
    clock: Callable[[], datetime]
    database: Database
    vault: Vault
    keyring: KeyRing
    profile: VaspProfile
    policy: ActivePolicy
    policies: PolicyRepository
    directory: DirectoryRepository
    lists: ListRepository
    calls: CallRepository
    outbox: OutboxRepository
    leases: LeaseRepository
    reads: SearchRepository
    engine: Engine

    async def close(self) -> None:
        """Close the connections to the database."""
        await self.database.dispose()


async def open_installation(settings: Settings, *, require_schema: bool = True) -> Installation:
    """Open the database of an installation. Raise ``ConfigurationError`` for missing settings, for storage and index
    keys that are not those of the database, and for a database that ``travelrule migrate`` has not upgraded to this
    version; ``ServiceUnavailable`` if it does not answer. Without ``require_schema`` nothing is written.
    """
    settings.require(*INSTALLATION_SETTINGS)
    profile = load_profile(settings)
    database = Database.of(settings)
    try:
        async with database.explained():
            await database.check()
            if require_schema:
                await _check_tables(database)
            installation = _assemble(settings, profile, database)
            if require_schema:
                await KeyGuard(database, installation.entity_id, installation.vault).register()
                await installation.policy.load()
    except BaseException:
        await database.dispose()  # an open connection keeps the process from ending
        raise
    return installation


async def _check_tables(database: Database) -> None:
    if await schema_version.stored_revision(database) != schema_version.newest_revision():
        fix = "the tables are not those of this version: run `travelrule migrate`"
        raise ConfigurationError(f"{PREFIX}DATABASE_URL", fix)


def _assemble(settings: Settings, profile: VaspProfile, database: Database) -> Installation:
    entity_id = _required(settings.vasp_entity_id, "VASP_ENTITY_ID", "the own entity id in the directory")
    vault = _vault(settings, entity_id)
    index = vault.index
    own = OwnVasp(entity_id=entity_id, origin=settings.vasp_origin or "", profile=profile)
    policies = PolicyRepository(database, entity_id)
    policy = ActivePolicy(policies, own, settings.policy_file, utc_now)
    owner = f"{socket.gethostname()}/{os.getpid()}/{uuid4().hex[:8]}"
    return Installation(
        settings=settings,
        entity_id=entity_id,
        owner=owner,
        clock=utc_now,
        database=database,
        vault=vault,
        keyring=keyring(settings),
        profile=profile,
        policy=policy,
        policies=policies,
        directory=DirectoryRepository(database, entity_id),
        lists=ListRepository(database, entity_id),
        calls=CallRepository(database, entity_id, owner),
        outbox=OutboxRepository(database, entity_id, owner),
        leases=LeaseRepository(database, entity_id, owner, utc_now),
        reads=SearchRepository(database, entity_id, index.of, vault.unwrap, vault.open),
        engine=Engine(
            entity_id,
            database,
            MACHINES,
            vault,
            policy,
            DeadLetterHeaders(Topics(settings.topic_prefix)),
            deadletter_plain=settings.deadletter_plain,
            clock=utc_now,
        ),
    )


async def verify_keys(settings: Settings, database: Database) -> None:
    """Raise ``ConfigurationError`` if storage or index key is not that of the database, whose tables may be of any
    version. Nothing is written.
    """
    settings.require(*KEY_SETTINGS)
    entity_id = settings.vasp_entity_id or ""
    await KeyGuard(database, entity_id, _vault(settings, entity_id)).verify()


def _vault(settings: Settings, entity_id: str) -> Vault:
    return Vault(entity_id, _storage_keys(settings), BlindIndex.from_base64(_secret(settings.index_key, "INDEX_KEY")))


def keyring(settings: Settings) -> KeyRing:
    """The keys that sign requests and open payloads."""
    return KeyRing.from_text(_secret(settings.signing_key, "SIGNING_KEY"))


def audit_key(settings: Settings) -> SigningKey:
    """The key that signs audit roots."""
    return SigningKey.from_base64(_secret(settings.audit_key, "AUDIT_KEY"))


def load_profile(settings: Settings) -> VaspProfile:
    """Our legal data, as ``OriginatingVASP`` and ``BeneficiaryVASP`` need them."""
    path = settings.vasp_profile_file
    if path is None:
        raise ConfigurationError(PROFILE, "give a TOML file with the own legal name, address and country")
    try:
        content = read_text(path)
    except UnreadableError as error:
        raise ConfigurationError(PROFILE, f"{error.reason}: {path}; correct the setting, or write the file") from error
    return VaspProfile.from_toml(content)


def open_hub(installation: Installation) -> HubClient:
    """A client of the hub with our signing key and nonces leased from the database."""
    settings = installation.settings
    nonces = NonceRepository(installation.database, settings.vasp_origin or f"code:{installation.entity_id}")
    return hub_client(settings, installation.keyring, nonces.lease)


def hub_client(settings: Settings, keyring: KeyRing, lease: Callable[[], Awaitable[NonceBlock]]) -> HubClient:
    """A client of the settings' hub, with nonces from ``lease``."""
    settings.require("hub_url", "vasp_entity_id")
    return HubClient(
        str(settings.hub_url),
        settings.vasp_origin or f"code:{settings.vasp_entity_id}",
        LocalSigner(keyring, NonceLease(lease), utc_now),
        transport="aiohttp",
        observe=_observe_hub,
        screening_prefix=settings.hub_screening_prefix,
    )


def open_counterparties(installation: Installation, hub: HubClient) -> CounterpartyDirectory:
    """The directory for the calls and the gateway of this process."""
    settings = installation.settings
    return CounterpartyDirectory(
        installation.directory,
        hub,
        utc_now,
        interval_seconds=settings.health_refresh_seconds,
        networks_seconds=settings.directory_refresh_seconds,
        measures=DirectoryMetrics(installation.entity_id, installation.keyring.publics),
    )


def open_lists(installation: Installation) -> ActiveLists:
    """The sanctions lists of this process; ``start`` loads them."""
    return ActiveLists(installation.lists, installation.engine.alert, installation.clock)


def open_searches(installation: Installation) -> CallbackUrls:
    """The callback URLs of searches, the same in worker and gateway."""
    return CallbackUrls(
        installation.database,
        installation.entity_id,
        installation.vault.index,
        installation.settings.public_url,
        installation.clock,
    )


def _observe_hub(operation: str, outcome: str, seconds: float) -> None:
    _hub_durations(operation, outcome).observe(seconds)


@lru_cache(maxsize=256)
def _hub_durations(operation: str, outcome: str) -> Histogram:
    """Cache the histogram of some labels: finding it costs more than a measurement."""
    return metrics.HUB_REQUEST_DURATION_SECONDS.labels(operation=operation, outcome=outcome)


def _storage_keys(settings: Settings) -> KeyEncryptionKeys:
    text = _secret(settings.storage_keys, "STORAGE_KEYS")
    return KeyEncryptionKeys(part for part in text.split(",") if part.strip())


def _secret(value: SecretStr | None, name: str) -> str:
    if value is None:
        raise ConfigurationError(f"{PREFIX}{name}", "set it, or the file that holds it in the same name with _FILE")
    return value.get_secret_value()


def _required(value: str | None, name: str, what: str) -> str:
    if not value:
        raise ConfigurationError(f"{PREFIX}{name}", f"set it: {what}")
    return value
