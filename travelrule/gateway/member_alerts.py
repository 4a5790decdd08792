"""Alerts about a member, raised outside its requests: one per entity and hour of this process."""

from __future__ import annotations

import asyncio

from cachetools import TTLCache

from travelrule import logs
from travelrule.gateway.ports import Clock, RaiseAlert
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import Alert

REPEAT_S = 3600
KEPT_MAX = 4096
AT_ONCE_MAX = 4
"""Alerts that are written at once: no answer waits for one, and many senders do not cause as many writes."""

log = logs.get("gateway")


class MemberAlerts:
    """Raises one code."""

    def __init__(self, alert: RaiseAlert, code: AlertCode, clock: Clock) -> None:
        self._alert = alert
        self._code = code
        self._raised: TTLCache[str, bool] = TTLCache(KEPT_MAX, REPEAT_S, lambda: clock().timestamp())
        self._raising: set[asyncio.Task[None]] = set()

    def raise_once(self, entity_id: str) -> None:
        """Raise the alert unless it was raised within the last hour."""
        if entity_id in self._raised or len(self._raising) >= AT_ONCE_MAX:
            return
        self._raised[entity_id] = True
        task = asyncio.create_task(self._raise(entity_id))
        self._raising.add(task)
        task.add_done_callback(self._raising.discard)

    async def _raise(self, entity_id: str) -> None:
        try:
            await self._alert(f"vasp:{entity_id}", Alert(self._code.value, "warning", entity_id))
        except Exception as error:  # noqa: BLE001 -- the request was answered; the next one tries again
            self._raised.pop(entity_id, None)
            log.warning("alert-not-raised", error=error)
