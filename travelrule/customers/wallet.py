"""The wallet machine: a deposit address of a customer, and the result of screening its owner. Pure.

The law
-------
1. The newest record of a wallet counts: a registration replaces the stored one; equal data are a duplicate.
2. Another owner is not screened yet, whatever was found about the one before. ``revision`` rises, and a result for an
   earlier revision is ignored.
3. A result with other entries than the last one is sent to ``owner:<key>``; the owner's answer (``owner.listed``)
   raises one alert per new entry.
4. A removed wallet, or one of another customer, withdraws its entries from the owner.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from schemas.events.wallets import WalletRegistered, WalletRemoved
from travelrule.identity.account_numbers import address_and_tag, canonical
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision, ignored, rejected
from travelrule.machine.effects import Alert, Effect, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection, WalletRow
from travelrule.machine.serialization import codec
from travelrule.messages.owner import ListedAs, OwnerHits, OwnerListed, OwnerScreened, entries_text, keys_of
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class ToldHits:
    """The entries last sent to ``owner:<owner>``."""

    owner: str
    hits: tuple[ListedAs, ...] = ()


@dataclass(frozen=True, slots=True)
class WalletState:
    """A registered wallet, or one that was removed (``registered`` None).

    ``revision`` counts the owners and the results of screening them. ``screened`` is the newest result for the
    registered owner; None: never screened. ``told`` outlives another owner of the same customer.
    """

    wallet_id: str
    registered: WalletRegistered | None = field(default=None, repr=False)
    revision: int = 0
    screened: OwnerScreened | None = None
    told: ToldHits | None = None


def decide(state: WalletState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one wallet; neither time nor policy matters."""
    del policy, now
    data = item.data
    if isinstance(data, WalletRegistered):
        return _register(state, data)
    if isinstance(data, WalletRemoved):
        return _remove(state, data)
    if state is not None and isinstance(data, OwnerScreened):
        return _apply_screening(state, data)
    if state is not None and isinstance(data, OwnerListed):
        alerts = tuple(Alert(AlertCode.OWNER_LISTED, "critical") for _ in data.hits)
        return Decision(state, alerts, rule=f"a list names the owner: {entries_text(data.hits)}")
    return rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a wallet")


def _register(state: WalletState | None, data: WalletRegistered) -> Decision[Any]:
    if state is None:
        return Decision(WalletState(data.wallet_id, data), rule="wallet registered")
    before = state.registered
    if before == data:
        return ignored(state, "registered before with equal data")
    if before is not None and (before.customer_id, before.owner) == (data.customer_id, data.owner):
        return Decision(replace(state, registered=data), rule="wallet registered")
    after = replace(state, registered=data, revision=state.revision + 1, screened=None)
    if before is None or before.customer_id == data.customer_id:
        return Decision(after, rule="wallet registered")
    return Decision(replace(after, told=None), _withdrawal_of_hits(state), rule="wallet registered")


def _remove(state: WalletState | None, data: WalletRemoved) -> Decision[Any]:
    if state is None or state.registered is None:
        return ignored(state or WalletState(data.wallet_id), "no such wallet")
    after = WalletState(data.wallet_id, revision=state.revision)
    return Decision(after, _withdrawal_of_hits(state), rule="wallet removed")


def _withdrawal_of_hits(state: WalletState) -> tuple[Effect, ...]:
    """Return the message that removes the entries of this wallet from its last owner."""
    told = state.told
    if told is None or not told.hits:
        return ()
    return (SendMessage(f"owner:{told.owner}", "owner.hits", OwnerHits(wallet=f"wallet:{state.wallet_id}")),)


def _apply_screening(state: WalletState, data: OwnerScreened) -> Decision[Any]:
    if state.registered is None or data.revision != state.revision:
        return ignored(state, "screened for an earlier state of the wallet")
    after = replace(state, screened=data, revision=state.revision + 1)
    told = state.told.hits if state.told is not None else ()
    rule = f"a list names the owner: {entries_text(data.hits)}" if data.hits else "no list names the owner"
    if keys_of(told) == keys_of(data.hits):
        return Decision(after, rule=rule)
    said = OwnerHits(wallet=f"wallet:{state.wallet_id}", hits=data.hits)
    effects = (SendMessage(f"owner:{data.owner}", "owner.hits", said),)
    return Decision(replace(after, told=ToldHits(data.owner, data.hits)), effects, rule=rule)


def project(state: WalletState) -> Projection:
    """Project a wallet: its row, or the row's removal."""
    data = state.registered
    if data is None:
        gone = WalletRow(
            wallet_id=state.wallet_id,
            address="",
            tag="",
            currencies=(),
            networks=(),
            customer_id="",
            kyc=False,
            owner=None,
            removed=True,
        )
        return Projection(status="removed", rows=(gone,))
    address, tag = address_and_tag(data.address, data.tag)
    screened = state.screened
    row = WalletRow(
        wallet_id=data.wallet_id,
        address=canonical(address),
        tag=tag or "",
        currencies=data.currencies,
        networks=data.networks,
        customer_id=data.customer_id,
        kyc=data.kyc,
        owner=data.owner.model_dump(mode="json", by_alias=True, exclude_none=True),
        revision=state.revision,
        screened_lists=screened.lists if screened is not None else "",
        sanctioned=bool(screened.hits) if screened is not None else None,
    )
    return Projection(status="registered", rows=(row,))


_dump, _load = codec(WalletState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("wallet", decide, _dump, _load, project, VERSION)
