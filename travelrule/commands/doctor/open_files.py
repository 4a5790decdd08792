"""Whether a gateway process may open as many files as its connections need."""

from __future__ import annotations

from travelrule.commands.doctor.check import Check
from travelrule.gateway.server import DESCRIPTORS_BESIDE, LIMITS
from travelrule.listener.descriptors import raise_limit
from travelrule.settings import Settings

NEEDED = LIMITS.connections + DESCRIPTORS_BESIDE


async def open_files(_: Settings) -> Check:
    """Check the hard limit; a serving process raises the soft one itself."""
    allowed = raise_limit()
    return Check(
        "open files",
        ok=allowed >= NEEDED,
        detail=f"{allowed} allowed to a process, {NEEDED} needed for all connections of a gateway",
        fix="raise the hard limit (ulimit -Hn, LimitNOFILE, the container's ulimits); until then it takes fewer",
    )
