"""Withdrawals of a robot's customers, and withdrawals that it falsely claims (member-api.md M6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from travelrule.identity.account_numbers import names_wallet, split_tag
from travelrule.identity.txids import same_txid
from travelrule.sandbox.robots.robot_spec import WithdrawalSpec

_EVERY_NETWORK = "ALL"


class RobotWithdrawals:
    """Withdrawals of a robot, by txid and address. ``claims`` are txids that it claims to have sent."""

    def __init__(self, withdrawals: Iterable[WithdrawalSpec], claims: Iterable[str]) -> None:
        self._withdrawals = tuple(withdrawals)
        self._claims = tuple(claims)

    def sent(self, body: dict[str, Any]) -> bool:
        """Whether a TXID search names a withdrawal of this robot."""
        if any(same_txid(claim, body["txid"]) for claim in self._claims):
            return True
        return self.find(body) is not None

    def find(self, body: dict[str, Any]) -> WithdrawalSpec | None:
        """Return the withdrawal that a search or a data request names."""
        return next((one for one in self._withdrawals if _is_meant(one, body)), None)


def _is_meant(withdrawal: WithdrawalSpec, body: dict[str, Any]) -> bool:
    address, tag = split_tag(withdrawal.address)
    return (
        same_txid(withdrawal.txid, body["txid"])
        and names_wallet(body["beneficiaryAddress"], address, tag)
        and _upper(body, "currency") in ("", withdrawal.currency.upper())
        and (not withdrawal.network or _upper(body, "network") in ("", _EVERY_NETWORK, withdrawal.network.upper()))
    )


def _upper(body: dict[str, Any], name: str) -> str:
    # Only affiliated networks receive currency and network; an absent field is not compared.
    value = body.get(name)
    return value.upper() if isinstance(value, str) else ""
