"""The directory in this process: which counterparties may be called, and with which key.

The stored directory is authoritative. A copy, reloaded when the stored one changed, saves a query per call.
``refresh_keys`` fetches one VASP's current keys from the hub (4.A.2), ``fetch`` the whole list and, when they are due,
the coin networks (4.A.1, 4.A.3).

Changes are submitted before they are stored: a process that crashes in between submits them again, so no alert is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from schemas.hub.bodies import CoinNetworks, PublicKey, VaspEntry
from travelrule import logs, metrics
from travelrule.client.directory import by_entity, changes
from travelrule.client.errors import HubError, HubRefused
from travelrule.client.hub import HubClient
from travelrule.crypto.peer_keys import choose_key
from travelrule.engine.directory.directory_metrics import DirectoryMetrics
from travelrule.engine.directory.fetch_schedule import is_outdated
from travelrule.engine.directory.key_throttle import KeyThrottle
from travelrule.identity.payload_faults import is_own_network
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CoinFacts
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.messages.directory import DirectoryChanged, DirectoryEntry, DirectoryKey
from travelrule.policy.policy import HUB_ENTITY
from travelrule.store.directory import DirectoryRepository, StoredVasp, networks_of
from travelrule.store.directory_fetches import FetchState

COPY_SECONDS = 1.0
"""How long a process uses its copy before it checks whether the stored directory changed."""
HEALTH_SECONDS = 20.0
"""The default interval between fetches of the list."""
NETWORKS_SECONDS = 3600.0
"""The default interval between fetches of the coin networks."""
NETWORKS_STALE_INTERVALS = 3
"""A table older than so many intervals decides nothing."""
KEY_REFRESH_SECONDS = 5.0
"""The least time between two key requests for one VASP; bounds requests to the hub on hostile headers."""

log = logs.get("directory")


@dataclass(frozen=True, slots=True)
class FetchedDirectory:
    """A fetched directory that is not stored yet, with its differences, and what changed in each. ``networks`` None:
    not fetched.
    """

    at: datetime
    known: Mapping[str, StoredVasp]
    fetched: Mapping[str, VaspEntry]
    differences: tuple[Input, ...]
    changes: tuple[str, ...]
    networks: CoinNetworks | None
    networks_changed: bool


class CounterpartyDirectory:
    """The directory for the calls and the gateway of one process."""

    def __init__(
        self,
        directory: DirectoryRepository,
        hub: HubClient,
        clock: Callable[[], datetime],
        *,
        interval_seconds: float = HEALTH_SECONDS,
        networks_seconds: float = NETWORKS_SECONDS,
        measures: DirectoryMetrics | None = None,
    ) -> None:
        self._measures = measures or DirectoryMetrics()
        self._networks_interval = timedelta(seconds=networks_seconds)
        self._directory = directory
        self._hub = hub
        self._clock = clock
        self._interval = timedelta(seconds=interval_seconds)
        self._copy: dict[str, StoredVasp] = {}
        self._copied_at: datetime | None = None
        self._state = FetchState()
        self._throttle = KeyThrottle(clock, KEY_REFRESH_SECONDS)
        self._refreshing = asyncio.Lock()
        self._copying = asyncio.Lock()
        self.wanted = asyncio.Event()
        """Set when a call needs a fresh list; this process's refresh job stores the demand for all processes."""
        self.networks_wanted = False
        """Whether the next demand includes the coin networks."""
        self.networks: dict[str, tuple[str, ...]] = {}
        self._networks_at: datetime | None = None
        self.tell: Callable[[Input], Awaitable[Any]] | None = None
        """Submits the input about keys that changed between two fetches of the list."""

    async def get(self, entity_id: str, *, fresh: bool = False) -> StoredVasp | None:
        """One VASP of the directory, at most ``COPY_SECONDS`` old; None if it is unknown.

        ``fresh`` reads the store: another process may just have stored the keys that a refused call needs.
        """
        if self._stale():
            async with self._copying:
                if self._stale():  # one of several simultaneous callers reloads
                    await self._renew()
        return await self._directory.get(entity_id) if fresh else self._copy.get(entity_id)

    def outdated(self) -> bool:
        """Whether the stored list is too old to show which VASPs are up; nothing is sent to a VASP then."""
        return is_outdated(self._state.fetched_at, self._clock(), self._interval)

    def fetched_since(self, at: datetime) -> bool:
        """Whether the stored list was fetched after ``at``."""
        return self._state.fetched_at is not None and self._state.fetched_at > at

    async def left_out(self, asked: Collection[str] | None, own: str) -> bool:
        """Whether a search did not cover some listed VASP of our network.

        The hub searches only at VASPs that are up (hub-api.md section 10), at none if all are down. Without a list
        of those asked (``asked`` None) the result is False.
        """
        if asked is None:
            return False
        await self.get(own)
        known = {*asked, own, HUB_ENTITY}
        return any(
            one.listed and entity_id not in known and is_own_network(one.entry.alliance_name or "")
            for entity_id, one in self._copy.items()
        )

    def _stale(self) -> bool:
        return self._copied_at is None or self._clock() - self._copied_at > timedelta(seconds=COPY_SECONDS)

    async def _renew(self) -> None:
        """Reload the copy if the stored directory changed."""
        state = await self._directory.fetches.read()
        if self._copied_at is None or state.version != self._state.version:
            await self.reload()
        self._state = state
        self._copied_at = self._clock()

    async def measure(self) -> None:
        """Serve the state of the stored directory now: a key expires, or is not ours, without a new list."""
        if self._stale():
            async with self._copying:
                await self._renew()
        self._measures.show(self._copy, self._clock())

    async def reload(self) -> None:
        """Replace the copy by the stored directory."""
        self._copy = await self._directory.all()
        self.networks = await self._directory.networks()
        self._networks_at = await self._directory.networks_at()
        self._copied_at = self._clock()
        self._measures.show(self._copy, self._clock())

    def network_name(self, currency: str, network: str | None) -> str | None:
        """The hub's spelling of a coin's network (4.A.3), so that every member recognizes it.

        Without a network, the only one of a coin is returned. A name that the hub does not list is returned unchanged:
        the hub's examples are not a complete list, and the counterparty decides.
        """
        listed = self.networks.get(currency.upper(), ())
        if not network:
            return listed[0] if len(listed) == 1 else None
        return next((name for name in listed if _plain(name) == _plain(network)), network)

    def unlisted(self, currency: str, network: str | None) -> CoinFacts | None:
        """The facts if the hub's table lacks this coin on this network; None if it has them or decides nothing.

        An empty or outdated table decides nothing.
        """
        at, now = self._networks_at, self._clock()
        if not self.networks or at is None or now - at > self._networks_interval * NETWORKS_STALE_INTERVALS:
            return None
        listed = self.networks.get(currency.upper())
        if listed is not None and (not network or not listed or _plain(network) in map(_plain, listed)):
            return None
        return CoinFacts(
            currency=currency, network=network, listed=listed is not None, networks=listed or (), table_at=at
        )

    def want_networks(self) -> None:
        """Demand a fresh table of networks; the refresh job shares and limits the demand."""
        self.networks_wanted = True
        self.wanted.set()

    async def refresh_keys(self, entity_id: str, *, refused: str | None = None) -> tuple[PublicKey, ...]:
        """Fetch the VASP's current keys, and store them if it is in the directory. Empty: unknown to the hub.

        The hub is called once in ``KEY_REFRESH_SECONDS`` for one VASP. In between the stored keys are returned, unless
        they still lead to the key that the hub just ``refused``: then it changed after the last request. Raise
        ``HubError`` if the hub does not answer.
        """
        now = self._clock()
        async with self._refreshing:
            if self._throttle.recent(entity_id) is not None:
                await self.reload()
                stored = self._copy.get(entity_id)
                keys = tuple(stored.entry.pubkeys) if stored is not None else ()
                chosen = choose_key(keys, now)
                if refused is None or (chosen is not None and chosen.pubkey != refused):
                    return keys
            self._throttle.note(entity_id)
            keys = await self._fetch_keys(entity_id)
            await self._tell_of_keys(entity_id, keys, now)
            await self._directory.store_keys(entity_id, keys, now)
        await self.reload()
        return keys

    async def _fetch_keys(self, entity_id: str) -> tuple[PublicKey, ...]:
        try:
            return tuple((await self._hub.public_keys(entity_id)).pubkeys)
        except HubRefused as error:
            if error.error_code == "INVALID_TARGET_VASP_ID":
                return ()
            raise

    async def _tell_of_keys(self, entity_id: str, keys: tuple[PublicKey, ...], now: datetime) -> None:
        stored = await self._directory.get(entity_id)
        if self.tell is None or stored is None or {k.pubkey for k in keys} == {k.pubkey for k in stored.entry.pubkeys}:
            return
        await self.tell(_input(entity_id, stored.entry, stored.entry.model_copy(update={"pubkeys": keys}), now))

    async def fetch(self, *, networks: bool) -> FetchedDirectory | None:
        """Fetch the list, with the coin networks on request, and find the differences, which become alerts.

        Return None for an empty list, which is discarded. Raise ``HubError`` if the hub does not return the list.
        """
        now = self._clock()
        known = await self._directory.all()
        fetched = by_entity((await self._hub.vasp_list()).vasps)
        if not fetched and known:
            # An empty directory is far more likely a fault of the hub than the end of the network.
            log.error("directory-empty", entries=0)
            return None
        listed = {name: stored.entry for name, stored in known.items() if stored.listed}
        # The first list of a new installation is not a change.
        found = changes(listed, fetched) if known else ()
        differences = tuple(
            _input(one.entity_id, listed.get(one.entity_id), fetched.get(one.entity_id), now) for one in found
        )
        coins = await self._fetch_networks() if networks else None
        before = await self._directory.networks()
        changed = coins is not None and bool(before) and networks_of(coins) != before
        what = tuple(part for one in found for part in one.what)
        return FetchedDirectory(now, known, fetched, differences, what, coins, changed)

    async def store(self, news: FetchedDirectory) -> None:
        """Store a fetched directory, and use it in this process at once."""
        await self._directory.store(news.fetched, news.known, news.at)
        if news.networks is not None:
            await self._directory.store_networks(news.networks, news.at)
        self._state = await self._directory.fetches.read()
        for change in news.changes:
            metrics.DIRECTORY_CHANGES_TOTAL.labels(change=change).inc()
        await self.reload()

    async def _fetch_networks(self) -> CoinNetworks | None:
        try:
            return await self._hub.coin_networks()
        except HubError as error:
            # The list was fetched; the stored networks stay in use until the next fetch.
            log.warning(
                "networks-not-refreshed",
                code=error.error_code or None,
                http_status=error.status or None,
                error=error,
            )
            return None


def _input(entity_id: str, old: VaspEntry | None, new: VaspEntry | None, now: datetime) -> Input:
    data = DirectoryChanged(entity_id=entity_id, old=_entry(old), new=_entry(new))
    subject = f"vasp:{entity_id}"
    return internal_input(
        InternalSource.DIRECTORY, str(uuid4()), "directory.changed", subject, data, at=now, salt=uuid4()
    )


def _entry(entry: VaspEntry | None) -> DirectoryEntry | None:
    if entry is None:
        return None
    return DirectoryEntry(
        entity_id=entry.vasp_entity_id,
        alliance=entry.alliance_name,
        country=entry.country_of_registration,
        legal_name=entry.vasp_legal_name,
        health=entry.health,
        pubkeys=tuple(DirectoryKey(pubkey=key.pubkey, expires_at=key.expires_at) for key in entry.pubkeys),
    )


def _plain(network: str) -> str:
    """A network name for comparison: upper case, letters and digits only (screening.md section 11)."""
    return "".join(letter for letter in network.upper() if letter.isalnum())
