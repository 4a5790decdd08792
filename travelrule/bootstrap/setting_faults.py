"""All faults of what an operator configured, in one error: settings, missing ones, and the files that they name.

Nothing is contacted. A file is not read if its setting is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from streams.connection import connect
from travelrule.bootstrap.installation import INSTALLATION_SETTINGS, audit_key, load_profile
from travelrule.engine.policy.active import first_policy
from travelrule.environment import PREFIX
from travelrule.errors import ConfigurationError, ConfigurationFault
from travelrule.gateway.tls import Tls, server_context
from travelrule.settings import Settings
from travelrule.store.database import Database


class SettingFaults:
    """Collects faults; ``faults`` are those that reading the settings found."""

    def __init__(self, settings: Settings, faults: Iterable[ConfigurationFault]) -> None:
        self._settings = settings
        self._faults = list(faults)
        self._wrong = tuple(fault.name.removeprefix(PREFIX) for fault in self._faults)

    def require(self, *names: str) -> None:
        """Add a fault for each setting (attribute name) that is not set; a wrong one has its own fault."""
        try:
            self._settings.require(*(name for name in names if not self._is_wrong(name.upper())))
        except ConfigurationError as error:
            self._faults.extend(error.faults)

    def check(self, read: Callable[[], object], *settings: str) -> None:
        """Add the faults of the ``ConfigurationError`` that ``read`` raises. It is not called if a setting whose name
        begins with one of ``settings`` is wrong.
        """
        if any(map(self._is_wrong, settings)):
            return
        try:
            read()
        except ConfigurationError as error:
            self._faults.extend(error.faults)

    def check_installation(self) -> None:
        """Check what opening the installation needs."""
        settings = self._settings
        self.require(*INSTALLATION_SETTINGS)
        if settings.vasp_profile_file is not None:
            self.check(lambda: load_profile(settings), "VASP_PROFILE_FILE")
        if settings.database_tls_ca_file is not None:
            self.check(lambda: Database.of(settings), "DATABASE_")

    def check_broker(self) -> None:
        """Check the files of the connection to the broker."""
        if not self._settings.embedded_broker:
            self.check(lambda: connect(self._settings), "BROKER_")

    def check_roles(self, roles: Collection[str]) -> None:
        """Check what the roles of a process need."""
        settings = self._settings
        self.check_installation()
        self.require("hub_url")
        if "worker" in roles:
            self.require("audit_key")
            if settings.audit_key is not None:
                self.check(lambda: audit_key(settings), "AUDIT_KEY")
            self.check_broker()
        if "gateway" in roles:
            self.check(lambda: server_context(Tls.of(settings)), "GATEWAY_TLS_")
        if self._faults and settings.policy_file is not None:
            # Only a first start reads it: it is named beside other faults, and prevents no later start.
            self.check(lambda: first_policy(settings.policy_file), "POLICY_FILE")

    def raise_any(self) -> None:
        """Raise one ``ConfigurationError`` with every fault, if there is one."""
        if self._faults:
            raise ConfigurationError.of(dict.fromkeys(self._faults))

    def _is_wrong(self, setting: str) -> bool:
        return any(name.startswith(setting) for name in self._wrong)
