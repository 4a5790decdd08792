"""The rates of one member: of its requests, of its address searches, and of searches that find nothing.

Only a bound identity is charged: for a sealed request once its payload has opened with a current key of the entity, for
a clear one once the key that the hub forwards is one of the entity's. A request that only names a member is counted
separately, so that no sender can use up another's rate. The check before a body is read counts and stores nothing.

An address search or an authorization that finds nothing, or whose name is not the owner's, reveals that a person is not
a customer. Such answers have their own rate, far below that of searches: a member that looks up the addresses of its
users stays below it, one that searches for our customers exceeds it soon.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cachetools import TTLCache

from schemas.operations import MemberOperation
from travelrule.gateway.member_alerts import MemberAlerts
from travelrule.gateway.ports import Clock, RaiseAlert, no_alert
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_origin import RequestOrigin
from travelrule.gateway.senders import Sender
from travelrule.listener.token_buckets import BucketStore, MemoryBuckets, Rate, retry_after_seconds
from travelrule.machine.alert_codes import AlertCode
from travelrule.metrics import GATEWAY_LIMITED_TOTAL
from travelrule.policy.policy import HUB_ENTITY

REQUESTS_PER_MINUTE = 6000
SEARCHES_PER_MINUTE = 1200
MISSES_PER_MINUTE = 120
NAMES_PER_TOKEN = 10
"""Names are screened and compared: a request costs one token more for each ten."""

SEARCH = MemberOperation.ADDRESS_SEARCH
SEALED = frozenset({SEARCH, MemberOperation.TRANSFER_AUTHORIZATION, MemberOperation.DATA_REQUEST})
REVEALING = frozenset({SEARCH, MemberOperation.TRANSFER_AUTHORIZATION})
"""The operations whose answers reveal whether a person is a customer."""

OUTSIDERS = "outsiders"
"""The one name of all senders that no directory lists: they may use another name for each request."""

PAUSE = timedelta(minutes=2)
LONG = timedelta(minutes=10)
EPISODES_MAX = 4096


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of one member. 0: no limit."""

    requests: int = REQUESTS_PER_MINUTE
    searches: int = SEARCHES_PER_MINUTE
    misses: int = MISSES_PER_MINUTE


@dataclass(frozen=True, slots=True)
class Episode:
    """A time in which a member was limited, without a pause longer than ``PAUSE``."""

    since: datetime
    last: datetime

    @property
    def is_long(self) -> bool:
        """Whether this is no burst any more."""
        return self.last - self.since >= LONG


class MemberRates:
    """The rates of the members of one gateway, in ``buckets``."""

    def __init__(
        self, rates: Rates, clock: Clock, buckets: BucketStore | None = None, alert: RaiseAlert = no_alert
    ) -> None:
        self._requests, self._searches, self._misses = map(Rate.of, (rates.requests, rates.searches, rates.misses))
        self._clock = clock
        self._buckets = buckets if buckets is not None else MemoryBuckets()
        self._alerts = MemberAlerts(alert, AlertCode.MEMBER_RATE_LIMITED, clock)
        self._episodes: TTLCache[str, Episode] = TTLCache(
            EPISODES_MAX, PAUSE.total_seconds(), lambda: clock().timestamp()
        )

    async def check(self, caller: RequestOrigin, operation: MemberOperation) -> None:
        """Raise ``Refused`` if the member that the headers name has used up a rate; count nothing."""
        entity, now = caller.entity_id, self._clock()
        if entity == HUB_ENTITY:
            return
        proven = caller.public_key is not None
        for name, rate, reason in self._rates_of(entity, operation, proven=proven):
            self._refuse(entity, operation, reason, await self._buckets.wait(name, rate, now))
        if operation in REVEALING:
            self._refuse(entity, operation, "misses", await self._buckets.wait(_misses(entity), self._misses, now))

    async def take(self, sender: Sender, operation: MemberOperation, names: int = 0) -> None:
        """Count a request of a bound sender, with a cost by its names; raise ``Refused`` if its rate is used up."""
        entity, now = sender.caller.entity_id, self._clock()
        if entity == HUB_ENTITY:
            return
        counted = entity if sender.listed else OUTSIDERS
        cost = 1 + names // NAMES_PER_TOKEN
        for name, rate, reason in self._rates_of(counted, operation, proven=sender.vouched):
            self._refuse(entity, operation, reason, await self._buckets.take(name, rate, now, cost))

    async def count_miss(self, sender: Sender) -> None:
        """Count an answer that revealed that a person is not a customer."""
        if sender.caller.entity_id != HUB_ENTITY:
            await self._buckets.charge(_misses(sender.caller.entity_id), self._misses, self._clock())

    def _rates_of(self, entity: str, operation: MemberOperation, *, proven: bool) -> tuple[tuple[str, Rate, str], ...]:
        # Only the hub vouches for the sender of a clear request, so it does not use up the rate of sealed ones.
        kind = "sealed" if operation in SEALED else "clear" if proven else "claimed"
        requests = (f"member/{entity}/{kind}", self._requests, "requests")
        if operation != SEARCH:
            return (requests,)
        return ((f"member/{entity}/searches", self._searches, "searches"), requests)

    def _refuse(self, entity: str, operation: MemberOperation, reason: str, wait: float) -> None:
        if not wait:
            return
        GATEWAY_LIMITED_TOTAL.labels(operation, reason).inc()
        self._note(entity)
        raise Refused(
            "VASP_BACKEND_INTERNAL_ERROR",
            "",
            "too many requests of this VASP; repeat it later",
            retry_after_seconds=retry_after_seconds(wait),
        )

    def _note(self, entity: str) -> None:
        now = self._clock()
        known = self._episodes.get(entity)
        episode = self._episodes[entity] = Episode(now if known is None else known.since, now)
        if episode.is_long:
            self._alerts.raise_once(entity)


def unlimited() -> MemberRates:
    """Make the rates of a gateway that limits no member."""
    return MemberRates(Rates(0, 0, 0), lambda: datetime.now(UTC))


def _misses(entity: str) -> str:
    return f"member/{entity}/misses"
