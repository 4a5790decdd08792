"""The policy in force in this process: read from the database, and again every few seconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from travelrule import logs, metrics
from travelrule.engine.periodic_job import PeriodicJob
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.given_files import UnreadableError, read_text
from travelrule.policy.policy import OwnVasp, Policy
from travelrule.policy.policy_file import PolicyFaults
from travelrule.store.policies import PolicyRepository, StoredPolicy

REFRESH_SECONDS = 2.0
SETTING = "POLICY_FILE"

log = logs.get("policy")


class ActivePolicy:
    """A callable that returns the policy in force. Every verdict names the version that decided it."""

    def __init__(
        self, policies: PolicyRepository, own: OwnVasp, first_file: Path | None, clock: Callable[[], datetime]
    ) -> None:
        self._policies = policies
        self._own = own
        self._first_file = first_file
        self._clock = clock
        self._current = Policy.default().with_own(own)
        self._own_kept = False

    def __call__(self) -> Policy:
        """The policy in force."""
        return self._current

    async def load(self) -> None:
        """Load the newest version. The first start activates the file of the settings, or the built-in policy.

        Our profile is stored first, because every record names it. Raise ``ConfigurationError`` if the file is not a
        policy.
        """
        if not self._own_kept:
            await self._policies.keep_profile(self._own.version, self._own.content, self._clock())
            self._own_kept = True
        stored = await self._policies.active()
        if stored is None:
            content, first = first_policy(self._first_file)
            await self._policies.activate(first.version, content, self._clock())
            self._current = first.with_own(self._own)
        elif stored.version != self._current.version:
            await self._take_up(stored)
        metrics.POLICY_INFO.clear()
        metrics.POLICY_INFO.labels(version=self._current.version).set(1)

    async def _take_up(self, stored: StoredPolicy) -> None:
        """Adopt a policy that was put in force. If this release reads its text as other rules than the release that
        activated it, the result is a version of its own. It is stored too, so that every verdict's version is found.
        """
        taken = Policy.from_toml(stored.content).with_own(self._own)
        if taken.version != stored.version and await self._policies.by_version(taken.version) is None:
            await self._policies.also_as(stored, taken.version, self._clock())
        if taken.version != self._current.version:
            log.info("policy-active", policy_version=taken.version)
        self._current = taken

    async def run(self, database_failed: Callable[[BaseException], bool]) -> None:
        """Adopt new versions until cancelled."""
        await PeriodicJob("policy", self._step, interval=REFRESH_SECONDS, failed=database_failed).run()

    async def _step(self) -> bool:
        await self.load()
        return False


def first_policy(file: Path | None) -> tuple[str, Policy]:
    """The file of the settings, or the built-in policy, as text and as rules. Raise ``ConfigurationError``."""
    content = _read(file) if file is not None else ""
    return content, _first(content)


def _read(file: Path) -> str:
    try:
        return read_text(file)
    except UnreadableError as error:
        raise ConfigurationError(SETTING, f"{error.reason}: {file}; correct the setting, or write the file") from error


def _first(content: str) -> Policy:
    try:
        return Policy.from_toml(content)
    except PolicyFaults as error:
        faults = (ConfigurationFault(f"{SETTING} {fault.field}".rstrip(), fault.fix) for fault in error.faults)
        raise ConfigurationError.of(faults) from None
