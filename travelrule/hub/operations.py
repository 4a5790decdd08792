"""The operations that this hub serves, one row each (hub-api.md section 1).

A row is everything the rest of the room needs to know about an operation: where it is called, which entity
its path names, where it is forwarded to, and what its body and the member's answer must hold. Another
operation is another row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from travelrule.hub import body_shapes


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the hub.

    ``name`` is what journal and faults call it. ``path`` names the target, if there is one, ``{target}``.
    ``unknown_target`` is the code for a target that is not registered. ``remote_key`` says that the caller
    must name the target's public key (D10). ``limited`` operations count against the rate limit.
    ``member_path`` is where the call is forwarded to; operations without one are answered by the hub itself.
    ``request`` finds the faults of a body (``request_abroad``, if there is one, those of a body for a VASP of
    an affiliated network), ``answer`` names the first required field that an answer lacks. Without a ``path``
    it is a call of the hub's own, which nobody can make from outside. ``alias`` is a second path of the same
    operation (D1), ``query`` the parameter that names the request where the path does not. ``kyt`` operations have
    errors of their own (screening.md section 7).
    """

    name: str
    method: str
    path: str
    unknown_target: str = ""
    remote_key: bool = False
    limited: bool = False
    member_path: str = ""
    request: body_shapes.RequestShape | None = None
    request_abroad: body_shapes.RequestShape | None = None
    answer: body_shapes.AnswerShape = field(default=body_shapes.AnswerShape(()))
    alias: str = ""
    query: str = ""
    kyt: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """Return every path that it is served at."""
        return tuple(path for path in (self.path, self.alias) if path)

    @property
    def forwarded(self) -> bool:
        """Whether a member answers this operation."""
        return bool(self.member_path)

    @property
    def from_hub(self) -> bool:
        """Whether the hub itself is the caller."""
        return not self.path

    def shape(self, *, affiliated: bool) -> body_shapes.RequestShape | None:
        """Return what a body must hold for a target of the own or of an affiliated network."""
        return self.request_abroad or self.request if affiliated else self.request

    def missing_in(self, answer: Mapping[str, Any]) -> str | None:
        """Return the first required field that ``answer`` lacks, or nothing."""
        return self.answer.missing(answer)


VASP_LIST = Operation(
    name="vasp-list",
    method="GET",
    path="/v1/code/vasps",
    limited=True,
    answer=body_shapes.AnswerShape(("vasps",)),
)

PUBLIC_KEY = Operation(
    name="public-key",
    method="GET",
    path="/v1/code/Vasp/{target}/pubkey",
    unknown_target="INVALID_TARGET_VASP_ID",
    answer=body_shapes.AnswerShape(("pubkeys",)),
)

COIN_NETWORK = Operation(
    name="coin-network",
    method="GET",
    path="/v1/code/connect/coin-network",
    answer=body_shapes.AnswerShape(("coinNetworks",)),
)

ADDRESS_SEARCH = Operation(
    name="address-search",
    method="POST",
    path="/v1/code/VerifyAddress/{target}",
    unknown_target="INVALID_BENEFICIARY",
    remote_key=True,
    member_path="/v1/beneficiary/VerifyAddress",
    request=body_shapes.ADDRESS_SEARCH,
    answer=body_shapes.AnswerShape(("result",)),
)

TRANSFER_AUTHORIZATION = Operation(
    name="transfer-authorization",
    method="POST",
    path="/v1/code/transfer/{target}",
    unknown_target="INVALID_BENEFICIARY",
    remote_key=True,
    member_path="/v1/beneficiary/transfer",
    request=body_shapes.TRANSFER_AUTHORIZATION,
    # A refusal without payload is passed on: callers must live with it (4.A.5), and a 500 would hide the
    # verdict.
    answer=body_shapes.AnswerShape(("result", "transferId"), also_when=("result", "verified", "payload")),
)

TXID_REPORT = Operation(
    name="txid-report",
    method="POST",
    path="/v1/code/transfer/{target}/txid",
    unknown_target="INVALID_BENEFICIARY",
    member_path="/v1/beneficiary/transfer/txid",
    request=body_shapes.TXID_REPORT,
    answer=body_shapes.AnswerShape(("result", "transferId")),
)

FINISH = Operation(
    name="finish",
    method="PUT",
    path="/v1/code/transfer/{target}/status",
    unknown_target="INVALID_BENEFICIARY",
    member_path="/v1/vasp/transfer/status",
    request=body_shapes.FINISH,
    answer=body_shapes.AnswerShape(("result", "transferId")),
)

STATUS_SEARCH = Operation(
    name="status-search",
    method="POST",
    path="/v1/code/transfer/{target}/status",
    unknown_target="INVALID_TARGET_VASP_ID",
    member_path="/v1/vasp/transfer/status",
    request=body_shapes.STATUS_SEARCH,
    answer=body_shapes.AnswerShape(("status", "transferId"), also_when=("status", "confirmed", "txid")),
)

TXID_SEARCH = Operation(
    name="txid-search",
    method="POST",
    path="/v1/code/verification/tx",
    limited=True,
    request=body_shapes.TXID_SEARCH,
    answer=body_shapes.AnswerShape(("result", "requestId")),
)

# The whole rest of the path is the id: an id is any text, so it may hold a slash.
TXID_SEARCH_RESULT = Operation(
    name="txid-search-result",
    method="GET",
    path="/v1/code/verification/tx/{request_id:path}",
    answer=body_shapes.AnswerShape(("result", "requestId")),
)

DATA_REQUEST = Operation(
    name="data-request",
    method="PUT",
    path="/v1/code/verification/tx/{target}",
    unknown_target="INVALID_TARGET_VASP_ID",
    remote_key=True,
    member_path="/v1/verification/tx",
    request=body_shapes.DATA_REQUEST,
    request_abroad=body_shapes.DATA_REQUEST_ABROAD,
    answer=body_shapes.AnswerShape(("result", "transferId"), also_when=("result", "normal", "payload")),
)

WALLET_SEARCH = Operation(
    name="wallet-search",
    method="POST",
    path="/v2/code/VerifyAddress",
    limited=True,
    request=body_shapes.WALLET_SEARCH,
    answer=body_shapes.AnswerShape(("result", "requestId")),
)

WALLET_SEARCH_RESULT = Operation(
    name="wallet-search-result",
    method="GET",
    path="/v2/code/VerifyAddress/{request_id:path}",
    answer=body_shapes.AnswerShape(("result", "requestId")),
)

_PARTNER, _ALIAS = "/v1/code/partner", "/v1/code/uppsala"

WALLET_SCREENING = Operation(
    name="wallet-screening",
    method="POST",
    path=f"{_PARTNER}/wallet",
    alias=f"{_ALIAS}/wallet",
    request=body_shapes.WALLET_SCREENING,
    answer=body_shapes.AnswerShape(("result",)),
)

TRANSACTION_SCREENING = Operation(
    name="transaction-screening",
    method="POST",
    path=f"{_PARTNER}/tx-hash",
    alias=f"{_ALIAS}/tx-hash",
    request=body_shapes.TRANSACTION_SCREENING,
    answer=body_shapes.AnswerShape(("result",)),
)

KYT_SEARCH = Operation(
    name="kyt-search",
    method="POST",
    path=f"{_PARTNER}/kytsearch",
    alias=f"{_ALIAS}/kytsearch",
    limited=True,
    kyt=True,
    request=body_shapes.KYT_SEARCH,
    answer=body_shapes.AnswerShape(("requestId", "status")),
)

KYT_REPORT = Operation(
    name="kyt-report",
    method="GET",
    path=f"{_PARTNER}/kytreport",
    alias=f"{_ALIAS}/kytreport",
    query="requestId",
    kyt=True,
    answer=body_shapes.AnswerShape(("status", "requestId")),
)

UNHOSTED_TOKEN = Operation(
    name="unhosted-token",
    method="POST",
    path="/v1/code/unhosted-wallet-verification/widget/token",
    request=body_shapes.UNHOSTED_TOKEN,
    answer=body_shapes.AnswerShape(("token", "walletVerificationId")),
)

UNHOSTED_RESULT = Operation(
    name="unhosted-result",
    method="GET",
    path="/v1/code/unhosted-wallet-verification/{request_id}",
    answer=body_shapes.AnswerShape(("status", "verificationId")),
)

TXID_CHECK = Operation(
    name="txid-check",
    method="POST",
    path="",
    member_path="/v1/verification/tx",
    request=body_shapes.TXID_CHECK,
    answer=body_shapes.AnswerShape(("result",)),
)
"""What a TXID search asks each member (M6)."""

WALLET_CHECK = Operation(
    name="wallet-check",
    method="POST",
    path="",
    remote_key=True,
    member_path="/v1/beneficiary/VerifyAddress",
    request=body_shapes.ADDRESS_SEARCH,
    answer=body_shapes.AnswerShape(("result",)),
)
"""What a wallet search asks each member (M1)."""

CALLBACK = Operation(name="callback", method="POST", path="")
"""The end of a search, an analysis or a session, told to the URL that its caller named (member-api.md section 11)."""

HEALTH = Operation(name="health", method="GET", path="", member_path="/v1/vasp/health")
"""The hub's own call of a member (M8): polled, never asked for from outside."""

OPERATIONS: tuple[Operation, ...] = (
    VASP_LIST,
    PUBLIC_KEY,
    COIN_NETWORK,
    ADDRESS_SEARCH,
    TRANSFER_AUTHORIZATION,
    TXID_REPORT,
    FINISH,
    STATUS_SEARCH,
    TXID_SEARCH,
    TXID_SEARCH_RESULT,
    DATA_REQUEST,
    WALLET_SEARCH,
    WALLET_SEARCH_RESULT,
    WALLET_SCREENING,
    TRANSACTION_SCREENING,
    KYT_SEARCH,
    KYT_REPORT,
    UNHOSTED_TOKEN,
    UNHOSTED_RESULT,
)
"""What is served, in the order of the specification."""

HUB_CALLS: tuple[Operation, ...] = (HEALTH, TXID_CHECK, WALLET_CHECK, CALLBACK)
"""What the hub itself calls."""

NAMES: frozenset[str] = frozenset(operation.name for operation in (*OPERATIONS, *HUB_CALLS))
