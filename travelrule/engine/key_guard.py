"""Whether the storage keys and the index key are those of the database, before anything is read or written with them.

Each key leaves a check value at its first use. Storage keys rotate: a new one is taken if at least one of the others is
known, and none may be missing that a row still needs. The index key does not rotate. A database without check values
must prove a key with a row that it opens; an empty one adopts the keys of the first process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import orjson

from travelrule.crypto.errors import CryptoError
from travelrule.engine.vault import NONCE_BYTES, Vault
from travelrule.errors import ConfigurationError
from travelrule.store.database import Database
from travelrule.store.key_checks import KeyCheckRepository, Purpose

STORAGE_KEYS, INDEX_KEY = "TRAVELRULE_STORAGE_KEYS", "TRAVELRULE_INDEX_KEY"
SAMPLES = 20
"""Rows that are tried: a few damaged ones do not accuse the right key."""

NewValues = dict[tuple[Purpose, bytes], bytes]


class KeyGuard:
    """Checks the keys of ``vault`` against the database of ``vasp``."""

    def __init__(self, database: Database, vasp: str, vault: Vault) -> None:
        self._database = database
        self._vasp = vasp
        self._vault = vault
        self._context = vasp.encode()

    async def verify(self) -> None:
        """Raise ConfigurationError for a wrong key; nothing is written. Tables may be of any version, or missing."""
        async with self._database.snapshot() as connection:
            checks = KeyCheckRepository(connection, self._vasp)
            if not await checks.has_table("data_keys"):
                return
            stored = await checks.stored() if await checks.has_table("key_checks") else {}
            await self._missing(checks, stored)

    async def register(self) -> None:
        """The same with the tables of this version; check values that are missing are written."""
        async with self._database.snapshot() as connection:
            checks = KeyCheckRepository(connection, self._vasp)
            missing = await self._missing(checks, await checks.stored())
        if not missing:
            return
        async with self._database.begin() as connection:
            checks = KeyCheckRepository(connection, self._vasp)
            await checks.lock()  # another process may have been first, with other keys
            missing = await self._missing(checks, await checks.stored())
            await checks.add(missing, datetime.now(UTC))

    async def _missing(self, checks: KeyCheckRepository, stored: dict[tuple[str, bytes], bytes]) -> NewValues:
        """The check values to write; ConfigurationError if a key is not the right one."""
        known: dict[str, dict[bytes, bytes]] = {"storage": {}, "index": {}}
        for (purpose, key_id), value in stored.items():
            known[purpose][key_id] = value
        missing = await self._missing_storage(checks, known["storage"])
        return missing | await self._missing_index(checks, known["index"])

    async def _missing_storage(self, checks: KeyCheckRepository, known: dict[bytes, bytes]) -> NewValues:
        keys = self._vault.keys
        if known:
            if known.keys().isdisjoint(keys.ids):
                raise _wrong_storage_keys(known)
            for key_id in known.keys() & set(keys.ids):
                if not keys.opens_check(key_id, known[key_id], self._context):
                    raise ConfigurationError(
                        STORAGE_KEYS,
                        f"the check value of key {key_id.hex()} was changed: restore the table key_checks",
                    )
            gone = [key_id for key_id in known.keys() - set(keys.ids) if await checks.wrapped_by(key_id, 1)]
        else:
            used = await checks.used()
            gone = list(used - set(keys.ids))
            for key_id in used - set(gone):
                rows = await checks.wrapped_by(key_id, SAMPLES)
                if not any(self._unwraps(row) for row in rows):
                    raise _wrong_storage_keys([key_id])
        if gone:
            raise _wrong_storage_keys(gone)
        return {
            ("storage", key_id): keys.check_value(key_id, os.urandom(NONCE_BYTES), self._context)
            for key_id in keys.ids
            if key_id not in known
        }

    async def _missing_index(self, checks: KeyCheckRepository, known: dict[bytes, bytes]) -> NewValues:
        index = self._vault.index
        value = index.check_value(self._context)
        if known:
            if known != {index.id: value}:
                raise _wrong_index_key()
            return {}
        proofs = [proof for row in await checks.states(SAMPLES) if (proof := self._proof(row)) is not None]
        if proofs and not any(proofs):
            raise _wrong_index_key()
        return {("index", index.id): value}

    def _unwraps(self, row: Any) -> bool:
        try:
            self._vault.unwrap(row.subject, bytes(row.wrapped))
        except CryptoError:
            return False
        return True

    def _proof(self, row: Any) -> bool | None:
        """Whether the index key gives the recorded fingerprint of this state; None: the row proves nothing."""
        try:
            state = self._vault.open(
                self._vault.unwrap(row.subject, bytes(row.wrapped)), "state", row.subject, bytes(row.sealed)
            )
            recorded = orjson.loads(bytes(row.body))["state"]
        except (CryptoError, orjson.JSONDecodeError, KeyError):
            return None
        return bool(self._vault.index.fingerprint(row.subject.encode(), state).hex() == recorded)


def _wrong_storage_keys(needed: Iterable[bytes]) -> ConfigurationError:
    names = ", ".join(sorted(key_id.hex() for key_id in needed))
    return ConfigurationError(
        STORAGE_KEYS,
        f"these are not the keys of this database, which needs the key with the id {names}: give the right keys; "
        "to rotate, put the new key first and keep the old ones behind it",
    )


def _wrong_index_key() -> ConfigurationError:
    return ConfigurationError(
        INDEX_KEY, "this is not the key of this database, and it cannot be rotated: give the key it was written with"
    )
