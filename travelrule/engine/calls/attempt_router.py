"""The choice of the executor of a queued row: the local store for a look-up, the hub for everything else.

Look-ups share the table ``calls`` with calls to the hub, and with it claim, lease and result input; they have a target
of their own there, ``LOCAL_STORE``.
"""

from __future__ import annotations

from travelrule.engine.calls.call_executor import AttemptResult, CallExecutor
from travelrule.engine.local_lookups.look_up_executor import LookUpExecutor
from travelrule.engine.ports import CallContent
from travelrule.machine.effects import LookUp
from travelrule.store.call_rows import CallItem


class AttemptRouter:
    """Executes any row of ``calls``."""

    def __init__(self, calls: CallExecutor, look_ups: LookUpExecutor) -> None:
        self._calls = calls
        self._look_ups = look_ups

    async def attempt(self, item: CallItem, jitter: float, content: CallContent | None = None) -> AttemptResult:
        """Execute ``item`` once; see ``CallExecutor.attempt``."""
        if item.operation != LookUp.operation:
            return await self._calls.attempt(item, jitter, content)
        result = await self._look_ups.execute(item, content)
        return AttemptResult(result.stored(), outcome="not-sent" if result.found is None else "answer")
