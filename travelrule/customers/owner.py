"""The owner machine: the entries of the sanctions lists that name one customer, over all wallets. Pure.

The law
-------
1. A wallet sends all entries that name its owner (``owner.hits``); an empty message removes the wallet.
2. An entry that no wallet had before is sent back to the wallet that found it, which raises the alert: one per owner
   and entry, however many wallets there are.
3. An entry that no wallet has any longer is forgotten; found again, it raises an alert again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from travelrule.machine.decision import Decision, rejected
from travelrule.machine.effects import Effect, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.messages.owner import OwnerHits, OwnerListed, entries_text, keys_of
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class OwnerState:
    """A customer that a list named at least once. ``wallets`` are those with hits now."""

    wallets: tuple[OwnerHits, ...] = ()


def decide(state: OwnerState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one message of one wallet; neither time nor policy matters."""
    del policy, now
    data = item.data
    if not isinstance(data, OwnerHits):
        return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about an owner")
    before = state or OwnerState()
    others = tuple(one for one in before.wallets if one.wallet != data.wallet)
    after = replace(before, wallets=(*others, data) if data.hits else others)
    known = frozenset[tuple[str, str]]().union(*(keys_of(one.hits) for one in before.wallets))
    fresh = tuple(hit for hit in data.hits if hit.key not in known)
    effects: tuple[Effect, ...] = ()
    if fresh:
        effects = (SendMessage(data.wallet, "owner.listed", OwnerListed(hits=fresh)),)
        return Decision(after, effects, rule=f"a list names the owner: {entries_text(fresh)}")
    return Decision(after, rule="known entries" if data.hits else "no list names the owner of this wallet any more")


def project(state: OwnerState) -> Projection:
    """Project an owner: whether a list names the owner."""
    return Projection(status="listed" if state.wallets else "not-listed")


_dump, _load = codec(OwnerState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("owner", decide, _dump, _load, project, VERSION)
