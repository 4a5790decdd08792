"""Alerts about a member that are raised beside its requests: one per entity and hour of this process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from datetime import datetime, timedelta

from travelrule import logs
from travelrule.gateway.ports import RaiseAlert
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.effects import Alert

TOLD_AGAIN = timedelta(hours=1)
KEPT_MAX = 4096
AT_ONCE_MAX = 4
"""Alerts on their way at once: an answer never waits for one, and a flood of senders is not a flood of writes."""

log = logs.get("gateway")


class MemberAlerts:
    """Raises one code."""

    def __init__(self, alert: RaiseAlert, code: AlertCode) -> None:
        self._alert = alert
        self._code = code
        self._told: OrderedDict[str, datetime] = OrderedDict()
        self._raising: set[asyncio.Task[None]] = set()

    def tell(self, entity_id: str, now: datetime) -> None:
        """Raise the alert if it was not raised lately."""
        told = self._told.get(entity_id)
        if (told is not None and now - told < TOLD_AGAIN) or len(self._raising) >= AT_ONCE_MAX:
            return
        self._told[entity_id] = now
        self._told.move_to_end(entity_id)
        if len(self._told) > KEPT_MAX:
            self._told.popitem(last=False)
        task = asyncio.create_task(self._raise(entity_id))
        self._raising.add(task)
        task.add_done_callback(self._raising.discard)

    async def _raise(self, entity_id: str) -> None:
        try:
            await self._alert(f"vasp:{entity_id}", Alert(self._code.value, "warning", entity_id))
        except Exception as error:  # noqa: BLE001 -- the request was answered; the next one tries again
            self._told.pop(entity_id, None)
            log.warning("alert-not-raised", error=error)
