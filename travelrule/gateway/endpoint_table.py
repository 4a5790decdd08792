"""The member endpoints of the gateway, one row each (member-api.md).

Method and path of each row are in ``schemas.operations.MEMBER_ROUTES``, its description is in ``openapi``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schemas.operations import MemberOperation
from travelrule.gateway.dependencies import GatewayDeps
from travelrule.gateway.endpoint import Answer, Handler
from travelrule.gateway.endpoints.authorization import Authorization
from travelrule.gateway.endpoints.data_request import DataRequests
from travelrule.gateway.endpoints.finish import Finish
from travelrule.gateway.endpoints.health import Health
from travelrule.gateway.endpoints.status_search import StatusSearch
from travelrule.gateway.endpoints.txid_report import TxidReport
from travelrule.gateway.endpoints.txid_search import TxidSearch
from travelrule.gateway.endpoints.verify_address import LATE, VerifyAddress
from travelrule.gateway.senders import Senders
from travelrule.gateway.shared_queries import WalletLookups, WithdrawalLookups


@dataclass(frozen=True, slots=True)
class EndpointParts:
    """What the endpoints of one gateway are made of."""

    deps: GatewayDeps
    senders: Senders
    wallets: WalletLookups
    withdrawals: WithdrawalLookups

    @classmethod
    def of(cls, deps: GatewayDeps) -> EndpointParts:
        """Make the parts that the endpoints of one gateway share."""
        return cls(
            deps,
            Senders(deps.directory, deps.refresh_keys, deps.clock, deps.alert),
            WalletLookups(deps.reads, deps.verify_deadline_s),
            WithdrawalLookups(deps.withdrawals, deps.verify_deadline_s),
        )


@dataclass(frozen=True, slots=True)
class EndpointSpec:
    """One row.

    ``sealed``: the request carries a payload and must name the sender's key. ``quick``: the answer is due within the
    second of M1 and M6. ``anonymous``: the request names no sender. ``result_field`` is the field of the answer that
    the metric is counted by. ``late`` is the body of the answer after the deadline (HTTP 200); None: 503.
    """

    make: Callable[[EndpointParts], Handler]
    sealed: bool = False
    quick: bool = False
    anonymous: bool = False
    result_field: str = "result"
    late: Answer | None = None


ENDPOINTS: dict[MemberOperation, EndpointSpec] = {
    MemberOperation.ADDRESS_SEARCH: EndpointSpec(
        lambda parts: VerifyAddress(parts.deps, parts.senders, parts.wallets), sealed=True, quick=True, late=LATE
    ),
    MemberOperation.TRANSFER_AUTHORIZATION: EndpointSpec(
        lambda parts: Authorization(parts.deps, parts.senders, parts.wallets), sealed=True
    ),
    MemberOperation.TXID_REPORT: EndpointSpec(lambda parts: TxidReport(parts.deps, parts.senders)),
    MemberOperation.STATUS_SEARCH: EndpointSpec(
        lambda parts: StatusSearch(parts.deps, parts.senders), result_field="status"
    ),
    MemberOperation.FINISH: EndpointSpec(lambda parts: Finish(parts.deps, parts.senders)),
    MemberOperation.TXID_SEARCH: EndpointSpec(
        lambda parts: TxidSearch(parts.deps, parts.senders, parts.withdrawals), quick=True
    ),
    MemberOperation.DATA_REQUEST: EndpointSpec(lambda parts: DataRequests(parts.deps, parts.senders), sealed=True),
    MemberOperation.HEALTH: EndpointSpec(
        lambda parts: Health(parts.deps), quick=True, anonymous=True, result_field="status"
    ),
}
