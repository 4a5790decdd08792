"""The operator's rules: read from TOML, frozen, versioned by a hash of their content.

Everything has a default, so an empty file is a policy. All faults of a file are found at once (``PolicyFaults``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from travelrule.crypto.fingerprint import fingerprint
from travelrule.policy.causes import Cause, VerdictValue
from travelrule.policy.decisions import Decisions
from travelrule.policy.sections import (
    Answers,
    Assets,
    Exemptions,
    FiatAmounts,
    NameRules,
    Omission,
    ReportMoment,
    ReportMoments,
    RetentionDays,
    Screening,
    SearchLimits,
    TimeLimits,
)

HUB_ENTITY = "codevasp"
"""The hub's own entity, which must never be refused (member-api.md section 1)."""

VERSION_LENGTH = 16

DEFAULTS = 2
"""The version of the built-in rules; a test holds the rules of this number."""


@dataclass(frozen=True, slots=True)
class OwnVasp:
    """Our VASP: set when the policy is loaded, not part of its rules or version.

    ``profile`` is a ``VaspProfile`` of room ``identity``, which this room does not import. Decisions use it, so it has
    a ``version`` of its own: the fingerprint of its ``content``, canonical JSON.
    """

    entity_id: str = ""
    origin: str = ""
    profile: BaseModel | None = None
    content: str = field(init=False, repr=False, compare=False)
    version: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        profile = None if self.profile is None else self.profile.model_dump(mode="json", exclude_none=True)
        said = {"entityId": self.entity_id, "origin": self.origin, "profile": profile}
        content = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        object.__setattr__(self, "content", content)
        object.__setattr__(self, "version", own_version(content))


def same_origin(origin: str) -> str:
    """Return ``alliance:entity`` for comparison: the alliance in small letters."""
    alliance, colon, entity_id = origin.partition(":")
    return f"{alliance.lower()}:{entity_id}" if colon else origin


def own_version(content: str) -> str:
    """Return the version of an ``OwnVasp`` with this content."""
    return fingerprint(content.encode())


class Policy(BaseModel):
    """The operator's rules. ``Policy.default()`` is the built-in policy; ``policy.with_own(...)`` adds our VASP."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, use_attribute_docstrings=True)

    allow_list: tuple[str, ...] = ()
    """VASPs that may be sent to; empty: every listed one."""
    deny_list: tuple[str, ...] = ()
    """VASPs that are neither sent to nor accepted from, whatever the other lists say."""
    accept_origins: tuple[str, ...] = ()
    """Senders accepted inbound, as entity id or ``alliance:entity``; empty: every listed one."""
    report_moment: ReportMoment = "broadcast"
    """When the txid of a withdrawal is reported to the counterparty (D11)."""
    sanctions: Literal["off", "required"] = "required"
    """``required``: parties and addresses are screened in the sanctions lists before anything is sent or accepted; what
    could not be screened is held or denied (``LISTS_UNCHECKED``)."""
    operator_override: bool = False
    """Whether an operator may allow a withdrawal that no counterparty verified."""
    accept_found_vasp: bool = False
    """Whether a VASP found by wallet search is used without asking the customer."""

    assets: Assets = Field(default_factory=dict)
    """Served currencies, a table each; empty: all."""
    report_moments: ReportMoments = Field(default_factory=dict)
    """Another ``report_moment`` for a currency."""
    send_without: dict[str, tuple[Omission, ...]] = Field(default_factory=dict)
    """What may be missing in a transfer to a counterparty, by its entity id. Data that its network requires are
    required nevertheless."""
    thresholds: FiatAmounts = Field(default_factory=dict)
    """From which ``tradePrice`` on, per fiat currency, a transfer exceeds the threshold, whatever its flag
    ``isExceedingThreshold``. The flag alone counts for a currency not named; the stricter of both counts."""
    operator_limits: FiatAmounts = Field(default_factory=dict)
    """Highest ``tradePrice`` per fiat currency that an operator may override; a currency not named has no limit."""
    decisions: Decisions = Decisions()
    exemptions: Exemptions = Exemptions()
    names: NameRules = NameRules()
    answers: Answers = Answers()
    searches: SearchLimits = SearchLimits()
    screening: Screening = Screening()
    time_limits: TimeLimits = TimeLimits()
    retention: RetentionDays = RetentionDays()
    verdicts: dict[Cause, VerdictValue] = Field(default_factory=dict)
    """Another verdict for a cause, where the verdict table allows it."""
    deposit_verdicts: dict[Cause, VerdictValue] = Field(default_factory=dict)
    """The same for deposits alone, in place of ``verdicts``."""

    _own: OwnVasp = PrivateAttr(default=OwnVasp())

    @classmethod
    def default(cls) -> Policy:
        """Return the built-in policy: everything served, every listed VASP accepted, nothing exempt but our VASP."""
        return cls()

    @classmethod
    def from_toml(cls, text: str) -> Policy:
        """Read a policy file; raises ``PolicyFaults`` with every fault of the file."""
        from travelrule.policy.policy_file import read  # noqa: PLC0415  the reader needs this class

        return read(text)

    @property
    def own(self) -> OwnVasp:
        """Our VASP."""
        return self._own

    def with_own(self, own: OwnVasp) -> Policy:
        """Return the same rules for this VASP."""
        copy = self.model_copy()
        copy._own = own  # noqa: SLF001  a copy of this very class
        return copy

    @cached_property
    def version(self) -> str:
        """The start of the SHA-256 of the canonical rules: equal rules have equal versions.

        Defaults are left out, so that a rule that a later release adds changes no existing version; a release that
        changes a default raises ``DEFAULTS``.
        """
        said = {"defaults": DEFAULTS, "rules": self.model_dump(mode="json", exclude_defaults=True)}
        canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return fingerprint(canonical.encode(), VERSION_LENGTH)

    def serves(self, currency: str, network: str | None) -> bool:
        """Whether this currency may be sent or received on this network (absent network: on any)."""
        if not self.assets:
            return True
        asset = self.assets.get(currency.upper())
        if asset is None or not asset.enabled:
            return False
        return not asset.networks or not network or network.upper() in asset.networks

    def names_asset(self, currency: str, network: str | None) -> bool:
        """Whether ``[assets]`` itself lists this currency, on this network if one is given."""
        return bool(self.assets) and self.serves(currency, network)

    def exceeds(self, trade_price: Decimal, trade_currency: str, *, flagged: bool) -> bool:
        """Whether a transfer exceeds the threshold: it is flagged, or its value reaches our threshold."""
        own = next((amount for currency, amount in self.thresholds.items() if currency == trade_currency.upper()), None)
        return flagged or (own is not None and trade_price >= own)

    def may_send_to(self, entity_id: str) -> bool:
        """Whether customers may withdraw to this VASP."""
        if entity_id in self.deny_list:
            return False
        return not self.allow_list or entity_id in self.allow_list

    def may_omit(self, entity_id: str | None) -> frozenset[str]:
        """Return what may be missing in a message to this VASP; None: to any VASP."""
        if entity_id is not None:
            return frozenset(self.send_without.get(entity_id, ()))
        return frozenset(datum for data in self.send_without.values() for datum in data)

    def accepts(self, entity_id: str, *origins: str) -> bool:
        """Whether authorizations of this sender are examined at all (member-api.md section 1).

        ``origins``: its names in the request and in the directory. The case of an alliance does not count (D43).
        """
        if entity_id == HUB_ENTITY:
            return True
        if entity_id in self.deny_list:
            return False
        accepted = {same_origin(one) for one in self.accept_origins}
        return not accepted or not accepted.isdisjoint({entity_id, *map(same_origin, origins)})

    def report_moment_for(self, currency: str) -> ReportMoment:
        """When the txid of this currency is reported (D11)."""
        return self.report_moments.get(currency.upper(), self.report_moment)
