"""One check, and the boundary around it: neither an exception nor a missing answer ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationFault, ServiceUnavailable, TravelRuleError
from travelrule.log_fields import describe
from travelrule.settings import Settings

LIMIT_SECONDS = 15.0
"""The limit of one check; checks run concurrently."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check: the answer, what was found, and the fix if the answer is no."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""


SETTINGS = "settings and keys"
FIX_SETTINGS = Check(SETTINGS, ok=False, fix="mend the settings that are named there, then ask again")


@dataclass(frozen=True, slots=True)
class SingleCheck:
    """An independent check. ``needs`` names what it depends on; ``settings`` are prefixes of the names of the settings
    that it uses.
    """

    name: str
    needs: str
    ask: Callable[[Settings], Awaitable[Check]]
    settings: tuple[str, ...] = ()

    async def answer(self, settings: Settings, faults: Sequence[ConfigurationFault]) -> Check:
        """Run the check, unless one of its settings is wrong: it would then test a default."""
        if concern(faults, *self.settings):
            return skipped(self.name, FIX_SETTINGS)
        return await guarded(self.name, self.needs, partial(self.ask, settings))


def concern(faults: Sequence[ConfigurationFault], *settings: str) -> bool:
    """Whether one of the faults concerns a setting with one of these prefixes."""
    return any(fault.name.removeprefix(PREFIX).startswith(settings) for fault in faults)


async def guarded(name: str, needs: str, check: Callable[[], Awaitable[Check]], seconds: float | None = None) -> Check:
    """Run a check within its limit. ``needs`` names the setting to correct if there is no answer."""
    seconds = LIMIT_SECONDS if seconds is None else seconds
    try:
        async with asyncio.timeout(seconds):
            return await check()
    except TravelRuleError as error:
        return failed(name, error)
    except TimeoutError:
        fix = f"check {needs}, and that no firewall is between"
        return Check(name, ok=False, detail=f"no answer within {seconds:.0f} s", fix=fix)
    except Exception as error:  # noqa: BLE001 - the other checks must still run
        told = describe(error)
        detail = f"{told['class']} at {told.get('place', 'no place')}"
        return Check(name, ok=False, detail=detail, fix="report this fault of the program")


def failed(name: str, error: TravelRuleError) -> Check:
    """The failed check of an error, with its fix if it has one (``ConfigurationError``, ``ServiceUnavailable``)."""
    fix = getattr(error, "fix", "") or "see the detail"
    if isinstance(error, ServiceUnavailable):
        detail = f"{error.problem} ({error.place})" if error.place else error.problem
        return Check(name, ok=False, detail=detail, fix=fix)
    return Check(name, ok=False, detail=str(error), fix=fix)


def skipped(name: str, needed: Check) -> Check:
    """The result of a check that was not run, because another check that it depends on failed."""
    return Check(name, ok=False, detail=f"not asked, because this needs the {needed.name}", fix=needed.fix)
