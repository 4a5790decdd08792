"""Screening of wallet owners: each at registration, and all of them when other lists are in force.

One process at a time screens (a lease), a few wallets per round. The wallet's row holds the lists it was screened with,
so there is no other progress to store: after a crash the next process continues with the remaining wallets. A result is
an input of the wallet, identified by the wallet's revision: results of two processes for one wallet have one effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol
from uuid import uuid4

import orjson

from travelrule import logs, metrics
from travelrule.crypto.fingerprint import fingerprint
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.lists.active_lists import ScreeningResult
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.machine.input import Input
from travelrule.machine.sources import InternalSource, internal_input
from travelrule.messages.assessment import Party
from travelrule.messages.owner import ListedAs, OwnerScreened
from travelrule.messages.screened_parties import parties_of_person
from travelrule.policy.policy import Policy
from travelrule.store.leases import LeaseRepository
from travelrule.store.owner_screenings import OwnerScreeningRepository, UnscreenedWallet

LEASE = "owners"
LEASE_SECONDS = 10.0
POLL_SECONDS = 1.0
AT_ONCE = 20
"""Wallets of one round. Their results are applied together, which holds the event loop for some milliseconds."""
AGAIN = timedelta(minutes=1)
"""When a wallet that cannot be read, or whose result is refused, is tried again; the others do not wait for it."""
PUT_OFF_MAX = 1000
COUNT_EVERY = timedelta(seconds=5)

log = logs.get("owners")


class ListScreening(Protocol):
    """The part of ``ActiveLists`` that this job needs."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Code to version of the lists in use; empty: none."""

    async def screen(
        self, parties: Sequence[Party], addresses: Sequence[str], *, threshold: Decimal
    ) -> ScreeningResult:
        """Search the lists for parties, in steps between which the event loop runs other tasks."""


def mark(versions: Mapping[str, str], threshold: Decimal) -> str:
    """Identify a set of lists and a threshold: the start of a SHA-256 over both."""
    content = orjson.dumps([sorted(versions.items()), format(threshold.normalize(), "f")])
    return fingerprint(content)


class OwnerScreeningJob:
    """Screens wallet owners. ``submit`` is the intake's; commits that changed wallets set ``wake``."""

    def __init__(
        self,
        owners: OwnerScreeningRepository,
        lists: ListScreening,
        leases: LeaseRepository,
        policy: Callable[[], Policy],
        submit: Callable[[Input], Awaitable[InputOutcome]],
        wake: asyncio.Event,
        clock: Callable[[], datetime],
    ) -> None:
        self._owners = owners
        self._lists = lists
        self._leases = leases
        self._policy = policy
        self._submit = submit
        self._wake = wake
        self._clock = clock
        self._put_off: dict[str, datetime] = {}
        self._counted: datetime | None = None
        self._ours_until = 0.0

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Screen until cancelled."""
        await PeriodicJob(
            "owner-screening",
            self._step,
            interval=POLL_SECONDS,
            failed=database_failed,
            lease=self._is_ours,
            wake=self._wake,
        ).run()

    async def _step(self) -> bool:
        return await self.round() > 0

    async def _is_ours(self) -> bool:
        """Take the lease, or renew it after half of its time. Return whether this process holds it."""
        now = asyncio.get_running_loop().time()
        if now >= self._ours_until:
            ours = await self._leases.take(LEASE, LEASE_SECONDS)
            self._ours_until = now + LEASE_SECONDS / 2 if ours else now
            if not ours:
                self._leave()
            return ours
        return True

    async def round(self) -> int:
        """Screen the next few wallets. Return their number; 0 if there is nothing to do or screening is off."""
        policy, versions = self._policy(), self._lists.versions
        if policy.sanctions == "off" or not versions:
            return self._leave()
        threshold = policy.screening.name_threshold
        lists = mark(versions, threshold)
        await self._count(lists)
        items = []
        for row in await self._next(lists):
            item = await self._screen(row, threshold)
            if item is not None:
                items.append(item)
            await asyncio.sleep(0)
        outcomes = await asyncio.gather(*(self._submit(item) for item in items))
        for item, outcome in zip(items, outcomes, strict=True):
            if outcome.status == "rejected":
                log.warning("owner-not-screened", code=outcome.code)
                self._put_off[item.subject] = self._clock() + AGAIN
        return len(items)

    async def _next(self, lists: str) -> list[UnscreenedWallet]:
        now = self._clock()
        self._put_off = {subject: until for subject, until in self._put_off.items() if until > now}
        if len(self._put_off) >= PUT_OFF_MAX:
            return []
        rows = await self._owners.unscreened(lists, AT_ONCE + len(self._put_off))
        return [row for row in rows if row.subject not in self._put_off][:AT_ONCE]

    async def _screen(self, row: UnscreenedWallet, threshold: Decimal) -> Input | None:
        """Screen one wallet. Return the result as an input; None if the owner or the lists cannot be read."""
        try:
            parties = parties_of_person(self._owners.person(row))
        except ValueError as error:
            # The row is not what was stored: a fault of this one wallet.
            log.warning("wallet-unreadable", error=error)
            self._put_off[row.subject] = self._clock() + AGAIN
            return None
        screened = await self._lists.screen(parties, (), threshold=threshold)
        if screened.unnamed and not screened.hits:
            # Registered before such names were refused: it stays unscreened, and the others do not wait for it.
            log.warning("owner-without-name")
            self._put_off[row.subject] = self._clock() + AGAIN
            return None
        if not screened.checked and not screened.hits:
            return None
        best = {(hit.list, hit.entry): hit for hit in sorted(screened.hits, key=lambda one: one.score)}
        data = OwnerScreened(
            revision=row.revision,
            owner=row.owner,
            lists=mark(screened.versions, threshold),
            hits=tuple(
                ListedAs(list_code=hit.list, entry=hit.entry, score=str(hit.score), reason=hit.reason)
                for _, hit in sorted(best.items(), key=lambda one: one[0])
            ),
        )
        name = f"{row.subject}/{row.revision}"
        return internal_input(
            InternalSource.LISTS, name, "owner.screened", row.subject, data, at=self._clock(), salt=uuid4()
        )

    async def _count(self, lists: str) -> None:
        now = self._clock()
        if self._counted is None or now - self._counted >= COUNT_EVERY:
            self._counted = now
            metrics.OWNERS_UNSCREENED.set(await self._owners.number_unscreened(lists))

    def _leave(self) -> int:
        """Reset the count of this process: another one screens, or screening is off. Return 0."""
        self._counted = None
        metrics.OWNERS_UNSCREENED.set(0)
        return 0
