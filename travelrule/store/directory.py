"""The stored VASP directory and the coin networks, shared by every process of an installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from schemas.hub.bodies import CoinNetworks, PublicKey, VaspEntry
from travelrule.store import bulk, tables
from travelrule.store.database import Database
from travelrule.store.directory_fetches import DirectoryFetchRepository


def networks_of(networks: CoinNetworks) -> dict[str, tuple[str, ...]]:
    """Network names by upper-case coin."""
    return {coin.coin.upper(): tuple(one.network for one in coin.network_list) for coin in networks.coin_networks}


@dataclass(frozen=True, slots=True)
class StoredVasp:
    """One VASP of the directory. ``listed`` False: it is no longer listed; its last entry is kept."""

    entry: VaspEntry
    listed: bool
    refreshed_at: datetime

    @property
    def up(self) -> bool:
        """Whether requests may be sent to it: anything but ``down`` (the field is an open text, hub-api.md 4.A.1)."""
        return self.listed and self.entry.health.strip().lower() != "down"


class DirectoryRepository:
    """Reads and replaces the directory of one VASP's installation."""

    def __init__(self, database: Database, vasp: str) -> None:
        self._database = database
        self._vasp = vasp
        self.fetches = DirectoryFetchRepository(database, vasp)

    async def all(self) -> dict[str, StoredVasp]:
        """Every known VASP by entity id."""
        table = tables.vasps
        async with self._database.read() as connection:
            rows = (await connection.execute(select(table).where(table.c.vasp == self._vasp))).all()
        return {
            row.entity_id: StoredVasp(VaspEntry.model_validate_json(row.entry), row.listed, row.refreshed_at)
            for row in rows
        }

    async def get(self, entity_id: str) -> StoredVasp | None:
        """One VASP, or None if it was never listed."""
        table = tables.vasps
        query = select(table).where(table.c.vasp == self._vasp, table.c.entity_id == entity_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        if row is None:
            return None
        return StoredVasp(VaspEntry.model_validate_json(row.entry), row.listed, row.refreshed_at)

    async def store(self, entries: Mapping[str, VaspEntry], known: Mapping[str, StoredVasp], now: datetime) -> None:
        """Replace the list by the one fetched at ``now``. VASPs missing from it are kept with ``listed`` False. Keys
        that were stored later (4.A.2) are kept. A list older than the stored one changes nothing.
        """
        async with self._database.begin() as connection:
            if not await self.fetches.stored(connection, now):
                return
            newer = await self._newer_keys(connection, now)
            rows = [self._row(_with(entry, newer), listed=True, now=now) for entry in entries.values()]
            rows += [
                self._row(stored.entry, listed=False, now=stored.refreshed_at)
                for entity_id, stored in known.items()
                if entity_id not in entries
            ]
            await bulk.insert(connection, tables.vasps, rows, conflict="update")

    async def _newer_keys(self, connection: AsyncConnection, now: datetime) -> dict[str, tuple[PublicKey, ...]]:
        table = tables.vasps
        query = select(table.c.entity_id, table.c.entry).where(table.c.vasp == self._vasp, table.c.refreshed_at > now)
        rows = (await connection.execute(query.with_for_update())).all()
        return {row.entity_id: tuple(VaspEntry.model_validate_json(row.entry).pubkeys) for row in rows}

    async def store_keys(self, entity_id: str, keys: tuple[PublicKey, ...], now: datetime) -> StoredVasp | None:
        """Replace one VASP's public keys (4.A.2); None if the VASP is unknown."""
        stored = await self.get(entity_id)
        if stored is None:
            return None
        entry = stored.entry.model_copy(update={"pubkeys": keys})
        async with self._database.begin() as connection:
            await self.fetches.changed(connection)
            row = self._row(entry, listed=stored.listed, now=now)
            await bulk.insert(connection, tables.vasps, [row], conflict="update")
        return StoredVasp(entry, stored.listed, now)

    async def store_networks(self, networks: CoinNetworks, now: datetime) -> None:
        """Replace the network names per coin (4.A.3)."""
        coins = {
            coin.coin.upper(): coin for coin in networks.coin_networks
        }  # of a coin named twice, the last entry counts
        rows = [
            {
                "vasp": self._vasp,
                "coin": name,
                "networks": coin.model_dump_json(by_alias=True),
                "refreshed_at": now,
            }
            for name, coin in coins.items()
        ]
        table = tables.coin_networks
        async with self._database.begin() as connection:
            await self.fetches.changed(connection)
            await connection.execute(table.delete().where(table.c.vasp == self._vasp))
            await bulk.insert(connection, table, rows, conflict="update")

    async def networks_at(self) -> datetime | None:
        """When the stored networks were fetched; None: there are none."""
        table = tables.coin_networks
        query = select(table.c.refreshed_at).where(table.c.vasp == self._vasp).limit(1)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else row.refreshed_at

    async def networks(self) -> dict[str, tuple[str, ...]]:
        """Network names by upper-case coin."""
        table = tables.coin_networks
        async with self._database.read() as connection:
            rows = (await connection.execute(select(table).where(table.c.vasp == self._vasp))).all()
        return {
            row.coin: tuple(item["network"] for item in orjson.loads(row.networks).get("networkList", ()))
            for row in rows
        }

    def _row(self, entry: VaspEntry, *, listed: bool, now: datetime) -> dict[str, object]:
        return {
            "vasp": self._vasp,
            "entity_id": entry.vasp_entity_id,
            "entry": entry.model_dump_json(by_alias=True),
            "health": entry.health,
            "listed": listed,
            "refreshed_at": now,
        }


def _with(entry: VaspEntry, newer: Mapping[str, tuple[PublicKey, ...]]) -> VaspEntry:
    keys = newer.get(entry.vasp_entity_id)
    return entry if keys is None else entry.model_copy(update={"pubkeys": keys})
