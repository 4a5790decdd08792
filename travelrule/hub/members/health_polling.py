"""Health of the members, polled at an interval (hub-api.md section 10, member-api.md M8)."""

from __future__ import annotations

import asyncio
from collections import Counter

from schemas.operations import Operation
from travelrule import logs, metrics
from travelrule.hub.members.call_failures import failures_recorded
from travelrule.hub.members.member import HUB_ALLIANCE, HUB_ENTITY, Member
from travelrule.hub.operations import OPERATIONS
from travelrule.hub.ports import Clock, HubState, Journal, MemberCall, MemberTransport
from travelrule.hub.records import CallRecord

log = logs.get("hub")

_OK = 200


class HealthPollingJob:
    """Polls the health of every member but the hub: 200 means up, anything else means down.

    ``timeout_seconds`` is the limit for one answer.
    """

    def __init__(
        self,
        state: HubState,
        transport: MemberTransport,
        clock: Clock,
        *,
        interval_seconds: float,
        timeout_seconds: float,
        journal: Journal | None = None,
    ) -> None:
        self._state = state
        self._transport = transport
        self._clock = clock
        self._interval_seconds = interval_seconds
        self._timeout_seconds = timeout_seconds
        self._journal = journal
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Poll until cancelled: at once, then at each interval, and after ``wake``."""
        while True:
            self._wake.clear()
            await self.poll()
            try:
                async with asyncio.timeout(self._interval_seconds):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def wake(self) -> None:
        """Poll now, because a member was added or moved."""
        self._wake.set()

    async def poll(self) -> None:
        """Poll all members at the same time."""
        async with asyncio.TaskGroup() as group:
            for member, _ in await self._state.members():
                if member.entity_id != HUB_ENTITY:
                    group.create_task(self._poll_member(member))
        health = Counter(is_up for member, is_up in await self._state.members() if member.entity_id != HUB_ENTITY)
        metrics.MEMBERS.labels(health="up").set(health[True])
        metrics.MEMBERS.labels(health="down").set(health[False])

    async def _poll_member(self, member: Member) -> None:
        record = CallRecord(
            at=self._clock(), operation=Operation.HEALTH, caller=HUB_ENTITY, target=member.entity_id, reached=True
        )
        headers = {"X-Request-Origin": f"{HUB_ALLIANCE}:{HUB_ENTITY}"}
        try:
            with failures_recorded(record):
                async with asyncio.timeout(self._timeout_seconds):
                    answer = await self._transport.forward(
                        member, MemberCall(OPERATIONS[Operation.HEALTH], headers, b"", record)
                    )
                record.member_status = record.status = answer.status
        except Exception as error:  # noqa: BLE001 -- the edge to a transport: one failure must not end all polling
            log.error("health-poll-failed", member=member.entity_id, error=error)  # noqa: TRY400 -- no texts in logs
        if self._journal is not None:
            self._journal.record(record)
        up = record.status == _OK
        if await self._state.set_health(member.entity_id, up=up):
            if up:
                log.info("member-up", member=member.entity_id)
            else:
                log.warning("member-down", member=member.entity_id)
