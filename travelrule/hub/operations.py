"""The operations of this hub, one row each (hub-api.md section 1).

A row is all that the room needs of an operation: where it is called, which entity its path names, which operation of a
member it is forwarded to, and what its body and the member's answer must hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schemas.operations import MEMBER_ROUTES, MemberOperation, Operation
from travelrule.hub import body_shapes


@dataclass(frozen=True, slots=True)
class HubOperation:
    """One operation of the hub.

    ``path`` names the target, if there is one, ``{target}``. ``unknown_target`` is the code for a target that is not
    registered. ``remote_key``: the request must name the target's public key (D10). ``limited`` operations count
    against the rate limit. ``member`` is the operation of a member that the request is forwarded to; without one the
    hub itself answers. ``request`` finds the faults of a body (``request_abroad``, if there is one, those of a body for
    a VASP of an affiliated network), ``answer`` names the first required field that an answer lacks. An operation
    without ``path`` is a call that the hub itself makes. ``alias`` is a second path of the same operation (D1),
    ``query`` the parameter that names the request where the path does not. ``kyt`` operations have errors of their own
    (screening.md section 7).
    """

    name: Operation
    method: str
    path: str = ""
    unknown_target: str = ""
    remote_key: bool = False
    limited: bool = False
    member: MemberOperation | None = None
    request: body_shapes.RequestShape | None = None
    request_abroad: body_shapes.RequestShape | None = None
    answer: body_shapes.AnswerShape = field(default=body_shapes.AnswerShape(()))
    alias: str = ""
    query: str = ""
    kyt: bool = False

    @property
    def label(self) -> str:
        """The name in the journal, in faults and in log lines."""
        return LABELS.get(self.name, self.name)

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the operation is served at."""
        return tuple(path for path in (self.path, self.alias) if path)

    @property
    def member_path(self) -> str:
        """The path at the member that a request is forwarded to; empty without one."""
        return "" if self.member is None else MEMBER_ROUTES[self.member].path

    @property
    def forwarded(self) -> bool:
        """Whether a member answers this operation."""
        return self.member is not None

    @property
    def from_hub(self) -> bool:
        """Whether the hub itself makes the request."""
        return not self.path

    def shape(self, *, affiliated: bool) -> body_shapes.RequestShape | None:
        """Return what a body must hold for a target of our network or of an affiliated one."""
        return self.request_abroad or self.request if affiliated else self.request

    def missing_in(self, answer: Mapping[str, Any]) -> str | None:
        """Return the first required field that ``answer`` lacks, if any."""
        return self.answer.missing(answer)


LABELS: dict[Operation, str] = {Operation.COIN_NETWORKS: "coin-network"}
"""The labels that are spelled otherwise than the operation: journals and fault files hold them."""

_PARTNER, _ALIAS = "/v1/code/partner", "/v1/code/uppsala"

_ROWS = (
    HubOperation(
        name=Operation.VASP_LIST,
        method="GET",
        path="/v1/code/vasps",
        limited=True,
        answer=body_shapes.AnswerShape(("vasps",)),
    ),
    HubOperation(
        name=Operation.PUBLIC_KEY,
        method="GET",
        path="/v1/code/Vasp/{target}/pubkey",
        unknown_target="INVALID_TARGET_VASP_ID",
        answer=body_shapes.AnswerShape(("pubkeys",)),
    ),
    HubOperation(
        name=Operation.COIN_NETWORKS,
        method="GET",
        path="/v1/code/connect/coin-network",
        answer=body_shapes.AnswerShape(("coinNetworks",)),
    ),
    HubOperation(
        name=Operation.ADDRESS_SEARCH,
        method="POST",
        path="/v1/code/VerifyAddress/{target}",
        unknown_target="INVALID_BENEFICIARY",
        remote_key=True,
        member=MemberOperation.ADDRESS_SEARCH,
        request=body_shapes.ADDRESS_SEARCH,
        answer=body_shapes.AnswerShape(("result",)),
    ),
    HubOperation(
        name=Operation.TRANSFER_AUTHORIZATION,
        method="POST",
        path="/v1/code/transfer/{target}",
        unknown_target="INVALID_BENEFICIARY",
        remote_key=True,
        member=MemberOperation.TRANSFER_AUTHORIZATION,
        request=body_shapes.TRANSFER_AUTHORIZATION,
        # A refusal without payload is passed on: callers must live with it (4.A.5), and a 500 would hide the
        # verdict.
        answer=body_shapes.AnswerShape(("result", "transferId"), also_when=("result", "verified", "payload")),
    ),
    HubOperation(
        name=Operation.TXID_REPORT,
        method="POST",
        path="/v1/code/transfer/{target}/txid",
        unknown_target="INVALID_BENEFICIARY",
        member=MemberOperation.TXID_REPORT,
        request=body_shapes.TXID_REPORT,
        answer=body_shapes.AnswerShape(("result", "transferId")),
    ),
    HubOperation(
        name=Operation.FINISH,
        method="PUT",
        path="/v1/code/transfer/{target}/status",
        unknown_target="INVALID_BENEFICIARY",
        member=MemberOperation.FINISH,
        request=body_shapes.FINISH,
        answer=body_shapes.AnswerShape(("result", "transferId")),
    ),
    HubOperation(
        name=Operation.STATUS_SEARCH,
        method="POST",
        path="/v1/code/transfer/{target}/status",
        unknown_target="INVALID_TARGET_VASP_ID",
        member=MemberOperation.STATUS_SEARCH,
        request=body_shapes.STATUS_SEARCH,
        answer=body_shapes.AnswerShape(("status", "transferId"), also_when=("status", "confirmed", "txid")),
    ),
    HubOperation(
        name=Operation.TXID_SEARCH,
        method="POST",
        path="/v1/code/verification/tx",
        limited=True,
        request=body_shapes.TXID_SEARCH,
        answer=body_shapes.AnswerShape(("result", "requestId")),
    ),
    # The whole rest of the path is the id: an id is any text, so it may hold a slash.
    HubOperation(
        name=Operation.TXID_SEARCH_RESULT,
        method="GET",
        path="/v1/code/verification/tx/{request_id:path}",
        answer=body_shapes.AnswerShape(("result", "requestId")),
    ),
    HubOperation(
        name=Operation.DATA_REQUEST,
        method="PUT",
        path="/v1/code/verification/tx/{target}",
        unknown_target="INVALID_TARGET_VASP_ID",
        remote_key=True,
        member=MemberOperation.DATA_REQUEST,
        request=body_shapes.DATA_REQUEST,
        request_abroad=body_shapes.DATA_REQUEST_ABROAD,
        answer=body_shapes.AnswerShape(("result", "transferId"), also_when=("result", "normal", "payload")),
    ),
    HubOperation(
        name=Operation.WALLET_SEARCH,
        method="POST",
        path="/v2/code/VerifyAddress",
        limited=True,
        request=body_shapes.WALLET_SEARCH,
        answer=body_shapes.AnswerShape(("result", "requestId")),
    ),
    HubOperation(
        name=Operation.WALLET_SEARCH_RESULT,
        method="GET",
        path="/v2/code/VerifyAddress/{request_id:path}",
        answer=body_shapes.AnswerShape(("result", "requestId")),
    ),
    HubOperation(
        name=Operation.WALLET_SCREENING,
        method="POST",
        path=f"{_PARTNER}/wallet",
        alias=f"{_ALIAS}/wallet",
        request=body_shapes.WALLET_SCREENING,
        answer=body_shapes.AnswerShape(("result",)),
    ),
    HubOperation(
        name=Operation.TRANSACTION_SCREENING,
        method="POST",
        path=f"{_PARTNER}/tx-hash",
        alias=f"{_ALIAS}/tx-hash",
        request=body_shapes.TRANSACTION_SCREENING,
        answer=body_shapes.AnswerShape(("result",)),
    ),
    HubOperation(
        name=Operation.KYT_SEARCH,
        method="POST",
        path=f"{_PARTNER}/kytsearch",
        alias=f"{_ALIAS}/kytsearch",
        limited=True,
        kyt=True,
        request=body_shapes.KYT_SEARCH,
        answer=body_shapes.AnswerShape(("requestId", "status")),
    ),
    HubOperation(
        name=Operation.KYT_REPORT,
        method="GET",
        path=f"{_PARTNER}/kytreport",
        alias=f"{_ALIAS}/kytreport",
        query="requestId",
        kyt=True,
        answer=body_shapes.AnswerShape(("status", "requestId")),
    ),
    HubOperation(
        name=Operation.UNHOSTED_TOKEN,
        method="POST",
        path="/v1/code/unhosted-wallet-verification/widget/token",
        request=body_shapes.UNHOSTED_TOKEN,
        answer=body_shapes.AnswerShape(("token", "walletVerificationId")),
    ),
    HubOperation(
        name=Operation.UNHOSTED_RESULT,
        method="GET",
        path="/v1/code/unhosted-wallet-verification/{request_id}",
        answer=body_shapes.AnswerShape(("status", "verificationId")),
    ),
    HubOperation(
        name=Operation.TXID_CHECK,
        method="POST",
        member=MemberOperation.TXID_SEARCH,
        request=body_shapes.TXID_CHECK,
        answer=body_shapes.AnswerShape(("result",)),
    ),
    HubOperation(
        name=Operation.WALLET_CHECK,
        method="POST",
        remote_key=True,
        member=MemberOperation.ADDRESS_SEARCH,
        request=body_shapes.ADDRESS_SEARCH,
        answer=body_shapes.AnswerShape(("result",)),
    ),
    HubOperation(name=Operation.CALLBACK, method="POST"),
    HubOperation(name=Operation.HEALTH, method="GET", member=MemberOperation.HEALTH),
)

OPERATIONS: dict[Operation, HubOperation] = {row.name: row for row in _ROWS}
"""By name: what the hub serves, and what it calls by itself."""
