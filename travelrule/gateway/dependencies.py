"""The ports of a gateway: bootstrap passes the real ones, tests small fakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from travelrule.crypto.signing import KeyRing
from travelrule.gateway.ports import (
    Clock,
    Directory,
    IntakePort,
    NamedBeneficiaries,
    NoLists,
    RaiseAlert,
    Randomness,
    Reads,
    RefreshKeys,
    Screen,
    Searches,
    Withdrawals,
    no_alert,
)
from travelrule.gateway.rates import MemberRates, unlimited
from travelrule.listener.body_room import BodyRoom
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class GatewayDeps:
    """The ports of one VASP's gateway.

    ``entity_id``: ours. ``policy()``: the active policy, read for each request. ``rates``: the rates of one member.
    ``bodies``: the room for request bodies until they are answered. ``verify_deadline_s``: the deadline of M1 and M6,
    below the second of the protocol. ``deadline_s``: the deadline of the other endpoints, below the 10 s of the hub.
    """

    entity_id: str
    keyring: KeyRing
    intake: IntakePort
    reads: Reads
    withdrawals: Withdrawals
    searches: Searches
    directory: Directory
    policy: Callable[[], Policy]
    clock: Clock
    randomness: Randomness
    refresh_keys: RefreshKeys
    screen: Screen = field(default_factory=NoLists)
    named_beneficiaries: NamedBeneficiaries | None = None
    alert: RaiseAlert = no_alert
    rates: MemberRates = field(default_factory=unlimited)
    bodies: BodyRoom = field(default_factory=BodyRoom)
    verify_deadline_s: float = 0.9
    deadline_s: float = 8.0
