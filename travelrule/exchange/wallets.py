"""The wallet machine: a deposit address of an own customer, registered, replaced, removed. Pure.

The newest record of a wallet counts: a registration replaces what was there; equal data again are a duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.wallets import WalletRegistered, WalletRemoved
from travelrule.exchange.decision import Decision, Projection, WalletRow
from travelrule.exchange.inputs import Input
from travelrule.exchange.machine import Machine
from travelrule.exchange.serial import codec
from travelrule.identity.addresses import canonical, split_tag
from travelrule.policy.policy import Policy


@dataclass(frozen=True, slots=True)
class WalletState:
    """A registered wallet, or the place where one was (``registered`` None)."""

    wallet_id: str
    registered: WalletRegistered | None = field(default=None, repr=False)


def decide(state: WalletState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one input about one wallet; neither time nor policy matters."""
    del policy, now
    data = item.data
    if isinstance(data, WalletRegistered):
        if state is not None and state.registered == data:
            return Decision(state, status="duplicate", rule="registered before with equal data")
        return Decision(WalletState(data.wallet_id, data), rule="wallet registered")
    if isinstance(data, WalletRemoved):
        if state is None or state.registered is None:
            return Decision(state or WalletState(data.wallet_id), status="duplicate", rule="no such wallet")
        return Decision(WalletState(data.wallet_id), rule="wallet removed")
    return Decision(
        state,
        status="rejected",
        code="UNKNOWN_TYPE",
        field="type",
        fix="this type says nothing about a wallet",
        rule="UNKNOWN_TYPE",
    )


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
    address, tag = (data.address, data.tag) if data.tag else split_tag(data.address)
    row = WalletRow(
        wallet_id=data.wallet_id,
        address=canonical(address),
        tag=tag or "",
        currencies=data.currencies,
        networks=data.networks,
        customer_id=data.customer_id,
        kyc=data.kyc,
        owner=data.owner.model_dump(mode="json", by_alias=True, exclude_none=True),
    )
    return Projection(status="registered", rows=(row,))


_dump, _load = codec(WalletState)

MACHINE = Machine("wallet", decide, _dump, _load, project)
