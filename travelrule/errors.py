"""The exceptions of the program: whose fault it is, what to do, and the exit code of the command line.

::

    TravelRuleError                 exit 1   a fault of the program
    ├── UsageError                  exit 2   the request cannot be served as it is
    │   ├── ConfigurationError      exit 2   settings or a file are wrong: all faults, each with its fix
    │   └── NotBuiltError           exit 2   part of the contract that this version does not have yet
    ├── ServiceUnavailable          exit 3   a required service could not be reached
    └── AddressUnavailable          exit 3   an address to listen on is not available

``code`` is stable and safe to log, to count and to show. The text of these exceptions names settings, services and
places, never personal data and never a received value: a fault of a peer is a value (``Rejected``, ``Outcome``), not an
exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar


class TravelRuleError(Exception):
    """The base of all exceptions that the program raises on purpose."""

    code: ClassVar[str] = "INTERNAL"
    exit_code: ClassVar[int] = 1


class UsageError(TravelRuleError):
    """Wrong use: nothing was done, and repeating the call does not help."""

    code = "USAGE"
    exit_code = 2


class NotBuiltError(UsageError):
    """A command or a role that the contract names and this version does not have yet."""

    code = "NOT_BUILT"

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is not built yet in this version")


@dataclass(frozen=True, slots=True)
class ConfigurationFault:
    """One fault of the settings: ``name`` is the setting (or file), ``fix`` a sentence."""

    name: str
    fix: str

    def __str__(self) -> str:
        """Return name and fix, for the operator."""
        return f"{self.name}: {self.fix}"


class ConfigurationError(UsageError):
    """Settings or a file of the operator are wrong: ``faults`` holds all, ``name`` and ``fix`` the first.

    The text never repeats a value, because the value may be a secret.
    """

    code = "CONFIGURATION"

    def __init__(self, name: str, fix: str, *more: ConfigurationFault) -> None:
        self.faults: tuple[ConfigurationFault, ...] = (ConfigurationFault(name, fix), *more)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    @property
    def name(self) -> str:
        """The setting of the first fault."""
        return self.faults[0].name

    @property
    def fix(self) -> str:
        """What to do about the first fault."""
        return self.faults[0].fix

    @classmethod
    def of(cls, faults: Iterable[ConfigurationFault]) -> ConfigurationError:
        """Return one exception for one or more faults."""
        first, *rest = faults
        return cls(first.name, first.fix, *rest)


class ServiceUnavailable(TravelRuleError):  # noqa: N818 -- names the state, as HTTP does
    """A required service (``broker``, ``database``, ``hub``, ``builder``) could not be reached or refuses the
    connection.

    ``problem`` completes the sentence that begins with the service, ``place`` is its address, ``fix`` names the setting
    and the remedy.
    """

    code = "SERVICE_UNAVAILABLE"
    exit_code = 3

    def __init__(self, service: str, fix: str = "", problem: str = "could not be reached", place: str = "") -> None:
        self.service = service
        self.fix = fix
        self.problem = problem
        self.place = place
        super().__init__(": ".join(part for part in (f"{service} {problem}", place, fix) if part))


class AddressUnavailable(TravelRuleError):  # noqa: N818 -- as above
    """An address to listen on is taken or does not belong to this machine. ``setting`` is its setting, ``taken``
    whether another socket uses it.
    """

    code = "ADDRESS_UNAVAILABLE"
    exit_code = 3

    def __init__(self, setting: str, address: str, reason: str, fix: str = "", *, taken: bool = False) -> None:
        self.setting = setting
        self.reason = reason
        self.fix = fix
        self.taken = taken
        super().__init__(f"{setting}: cannot listen on {address}: {reason}{': ' + fix if fix else ''}")
