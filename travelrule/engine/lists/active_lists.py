"""The sanctions lists that this process screens with: loaded at the start, reloaded when another version is in force.

A new version is loaded beside the old one, which serves until the new one is complete. Loading and searching run in
steps between which the event loop runs other tasks. A version that cannot be read changes nothing: the earlier one
stays in use, an alert is raised, and loading is tried again.
"""

from __future__ import annotations

import asyncio
import gc
import math
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from time import perf_counter
from typing import TypeVar

from travelrule import logs, metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.machine.effects import Alert
from travelrule.messages.assessment import Party
from travelrule.screening.list_snapshot import ListHit, ListSnapshot, LoadedList, empty_snapshot, load_in_steps
from travelrule.screening.lists.list_content import ContentError, unpack
from travelrule.screening.names import NameKind, is_comparable
from travelrule.store.list_versions import ListContentMissingError, ListRepository, ListVersion, ListVersionWatch

POLL_SECONDS = 2.0
RETRY = timedelta(minutes=1)
TOLD_AGAIN = timedelta(days=1)
SLICE_SECONDS = 0.001
"""How long building or searching holds the event loop; a started step is completed."""
STEPS_PER_TURN = 10
"""Steps of a search before other tasks run, however short they are; a usual name takes about ten."""

log = logs.get("lists")

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """The result of a screening.

    ``checked`` False: no hits does not mean clean, because no list is loaded, a list in force could not be read in any
    version, or a party has no comparable name (``unnamed``). ``versions``: the lists that were searched.
    """

    checked: bool
    hits: tuple[ListHit, ...]
    versions: Mapping[str, str]
    unnamed: bool = False


class _InUse:
    """A snapshot with the number of searches that use it."""

    def __init__(self, snapshot: ListSnapshot) -> None:
        self.snapshot = snapshot
        self.idle = asyncio.Event()
        self.idle.set()
        self._users = 0

    @contextmanager
    def searched(self) -> Iterator[ListSnapshot]:
        """Keep the snapshot complete while the block runs."""
        self._users += 1
        self.idle.clear()
        try:
            yield self.snapshot
        finally:
            self._users -= 1
            if not self._users:
                self.idle.set()


class ActiveLists:
    """The lists of one process.

    ``changed`` is set when the lists change, and replaced by a new event. Take it before the work and wait for it
    afterwards (``seen = lists.changed``, work, ``await seen.wait()``): no change is missed.
    """

    def __init__(
        self, lists: ListRepository, alert: Callable[[str, Alert], Awaitable[None]], clock: Callable[[], datetime]
    ) -> None:
        self.changed = asyncio.Event()
        self._lists = lists
        self._in_force = ListVersionWatch(lists)
        self._alert = alert
        self._clock = clock
        self._current = _InUse(empty_snapshot())
        self._one_search = asyncio.Lock()
        self._dated: dict[str, datetime] = {}
        self._tried: dict[str, datetime] = {}
        self._told: dict[str, datetime] = {}

    @property
    def versions(self) -> Mapping[str, str]:
        """Code to version of the lists that this process screens with; empty: no lists."""
        return self._current.snapshot.versions

    async def start(self) -> None:
        """Load the lists in force. Raise what the database raises."""
        await self.round()

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Load new versions until cancelled."""
        await PeriodicJob("lists", self._step, interval=POLL_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.round()
        return False

    async def round(self) -> None:
        """Check once whether other versions are in force, and load them."""
        await self._in_force.poll()
        wanted, now = self._in_force.current, self._clock()
        loaded = {code: one for code, one in self._current.snapshot.lists.items() if code in wanted}
        for code, version in wanted.items():
            if code not in loaded or loaded[code].version != version.version:
                one = await self._taken_up(version, now, first=code not in loaded)
                if one is not None:
                    loaded[code] = one
            else:
                self._dated[code] = version.dated  # the same list may have been imported again
        if {code: one.version for code, one in loaded.items()} != self.versions:
            await self._replace(loaded)
        self._measure(now)

    async def screen(
        self, parties: Sequence[Party], addresses: Sequence[str], *, threshold: Decimal
    ) -> ScreeningResult:
        """Search for parties and addresses; the event loop runs other tasks meanwhile."""
        with self._current.searched() as snapshot:
            hits = list(snapshot.addresses(addresses))
            unnamed = False
            for party in parties:
                unnamed = unnamed or not any(is_comparable(name, party.kind) for name in party.names)
                born, country = _birth_date(party.date_of_birth), party.country
                hits += await self._found(
                    snapshot.search_in_steps(
                        party.names, party.kind, threshold=threshold, birth_date=born, country=country
                    )
                )
            checked = self._complete(snapshot) and not unnamed
            outcome = "hit" if hits else "clear" if checked else "unchecked"
            metrics.LIST_SEARCHES_TOTAL.labels(outcome=outcome).inc()
            return ScreeningResult(checked, tuple(hits), snapshot.versions, unnamed)

    async def search(self, text: str, kind: NameKind | None, *, threshold: Decimal) -> ScreeningResult:
        """Look for a name, of a person, an organisation or (None) either."""
        with self._current.searched() as snapshot:
            hits = await self._found(snapshot.search_in_steps((text,), kind, threshold=threshold))
            unnamed = not is_comparable(text, kind)
            return ScreeningResult(self._complete(snapshot) and not unnamed, hits, snapshot.versions, unnamed)

    async def _found(self, steps: Generator[None, None, _Result]) -> _Result:
        """Run one search at a time: each of several would take a slice of every turn of the event loop."""
        async with self._one_search:
            found = await _gently(steps, STEPS_PER_TURN)
        # A request may name hundreds of parties, each found in less than a slice.
        await asyncio.sleep(0)
        return found

    def _complete(self, snapshot: ListSnapshot) -> bool:
        return bool(snapshot.lists) and self._in_force.current.keys() <= snapshot.lists.keys()

    async def _taken_up(self, version: ListVersion, now: datetime, *, first: bool) -> LoadedList | None:
        """Load the version in force; with none in memory (``first``), fall back to the last readable stored version."""
        key = f"{version.code} {version.version}"
        if key in self._tried and now - self._tried[key] < RETRY:
            return None
        one = await self._read(version)
        if one is not None:
            self._tried.pop(key, None)
            self._told.pop(version.code, None)
            self._dated[version.code] = version.dated
            return one
        self._tried[key] = now
        await self._tell(version.code, now)
        for former in await self._lists.kept(version.code) if first else ():
            if former.version != version.version and (one := await self._read(former)) is not None:
                self._dated[version.code] = former.dated
                return one
        return None

    async def _read(self, version: ListVersion) -> LoadedList | None:
        try:
            content = await self._lists.content(version.code, version.version)
            with _collector_off():
                one = await _gently(
                    load_in_steps(version.code, version.version, unpack(version.code, version.version, content))
                )
        except (ContentError, ListContentMissingError) as error:
            log.error("list-unreadable", list=version.code, version=version.version, error=error)  # noqa: TRY400 -- our own log
            return None
        log.info("list-loaded", list=version.code, version=version.version, entries=one.entries)
        return one

    async def _tell(self, code: str, now: datetime) -> None:
        if code not in self._told or now - self._told[code] >= TOLD_AGAIN:
            await self._alert(f"list:{code}", Alert("LIST_UNREADABLE", "critical"))
            self._told[code] = now

    async def _replace(self, loaded: Mapping[str, LoadedList]) -> None:
        with _collector_off():
            built = await _gently(ListSnapshot.build_in_steps(loaded))
        former, self._current = self._current, _InUse(built)
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()
        await former.idle.wait()
        await _gently(former.snapshot.release_in_steps(loaded))

    def _measure(self, now: datetime) -> None:
        """Measure the lists in use; they differ from those in force while a version cannot be read."""
        metrics.LIST_ENTRIES.clear()
        metrics.LIST_AGE_SECONDS.clear()
        for code, one in self._current.snapshot.lists.items():
            metrics.LIST_ENTRIES.labels(list=code).set(one.entries)
            metrics.LIST_AGE_SECONDS.labels(list=code).set(max((now - self._dated[code]).total_seconds(), 0.0))


async def _gently(steps: Generator[None, None, _Result], at_once: float = math.inf) -> _Result:
    """Run steps, and yield to the event loop every millisecond and after ``at_once`` steps."""
    began, done = perf_counter(), 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result
        done += 1
        if done >= at_once or perf_counter() - began >= SLICE_SECONDS:
            await asyncio.sleep(0)
            began, done = perf_counter(), 0


@contextmanager
def _collector_off() -> Iterator[None]:
    """Switch the garbage collector off while many objects are built, none of which is garbage.

    A pass over them would stop the process for long. They are excluded from later passes too.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def _birth_date(text: str | None) -> date | None:
    """The date; None if the text is not one, and the name is searched without it."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None
