"""The operations of the protocol by name: the keys of every table of operations.

A row of such a table is all that a room holds about one operation. The spellings are persisted (rows of calls, metric
labels, log fields, the journal of the sandbox): a new operation is a new member here and a row in each table that
``tests/house/test_operations.py`` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Operation(StrEnum):
    """What members call at the hub (``hub-api.md`` sections 2 to 7), and what the hub calls at members by itself."""

    VASP_LIST = "vasp-list"
    """4.A.1"""
    PUBLIC_KEY = "public-key"
    """4.A.2"""
    COIN_NETWORKS = "coin-networks"
    """4.A.3"""
    ADDRESS_SEARCH = "address-search"
    """4.A.4"""
    TRANSFER_AUTHORIZATION = "transfer-authorization"
    """4.A.5"""
    TXID_REPORT = "txid-report"
    """4.A.6"""
    FINISH = "finish"
    """4.A.7"""
    STATUS_SEARCH = "status-search"
    """4.A.8"""
    TXID_SEARCH = "txid-search"
    """4.A.9"""
    TXID_SEARCH_RESULT = "txid-search-result"
    """P.1"""
    DATA_REQUEST = "data-request"
    """4.A.10"""
    WALLET_SEARCH = "wallet-search"
    """P.2"""
    WALLET_SEARCH_RESULT = "wallet-search-result"
    """P.3"""
    WALLET_SCREENING = "wallet-screening"
    """4.B.1"""
    TRANSACTION_SCREENING = "transaction-screening"
    """4.B.2"""
    KYT_SEARCH = "kyt-search"
    """4.B.3"""
    KYT_REPORT = "kyt-report"
    """4.B.4"""
    UNHOSTED_TOKEN = "unhosted-token"  # noqa: S105 -- the name of an operation
    """4.B.5"""
    UNHOSTED_RESULT = "unhosted-result"
    """P.4"""
    HEALTH = "health"
    """The hub's check of a member (M8)."""
    TXID_CHECK = "txid-check"
    """The hub's question of a TXID search to one member (M6)."""
    WALLET_CHECK = "wallet-check"
    """The hub's question of a wallet search to one member (M1)."""
    CALLBACK = "callback"
    """The hub's report of the end of a search, an analysis or a session (``member-api.md`` section 11)."""


class MemberOperation(StrEnum):
    """What the hub calls at a member (``member-api.md``), by the names of the gateway's metrics and logs."""

    ADDRESS_SEARCH = "address-search"
    """M1"""
    TRANSFER_AUTHORIZATION = "transfer-authorization"
    """M2"""
    TXID_REPORT = "txid-report"
    """M3"""
    STATUS_SEARCH = "status-search"
    """M4"""
    FINISH = "finish"
    """M5"""
    TXID_SEARCH = "txid-search"
    """M6"""
    DATA_REQUEST = "data-request"
    """M7"""
    HEALTH = "health"
    """M8"""


@dataclass(frozen=True, slots=True)
class MemberRoute:
    """Where a member serves an operation."""

    method: str
    path: str


MEMBER_ROUTES: dict[MemberOperation, MemberRoute] = {
    MemberOperation.ADDRESS_SEARCH: MemberRoute("POST", "/v1/beneficiary/VerifyAddress"),
    MemberOperation.TRANSFER_AUTHORIZATION: MemberRoute("POST", "/v1/beneficiary/transfer"),
    MemberOperation.TXID_REPORT: MemberRoute("POST", "/v1/beneficiary/transfer/txid"),
    MemberOperation.STATUS_SEARCH: MemberRoute("POST", "/v1/vasp/transfer/status"),
    MemberOperation.FINISH: MemberRoute("PUT", "/v1/vasp/transfer/status"),
    MemberOperation.TXID_SEARCH: MemberRoute("POST", "/v1/verification/tx"),
    MemberOperation.DATA_REQUEST: MemberRoute("PUT", "/v1/verification/tx"),
    MemberOperation.HEALTH: MemberRoute("GET", "/v1/vasp/health"),
}

HUB_CALLS = frozenset({Operation.HEALTH, Operation.TXID_CHECK, Operation.WALLET_CHECK, Operation.CALLBACK})
"""What the hub itself calls; no member can call it."""

HUB_OPERATIONS: tuple[Operation, ...] = tuple(operation for operation in Operation if operation not in HUB_CALLS)
"""What the hub serves, in the order of the specification."""

DIRECTORY_READS = frozenset({Operation.VASP_LIST, Operation.PUBLIC_KEY, Operation.COIN_NETWORKS})
"""What keeps the directory up to date, and belongs to no subject."""

SUBJECT_OPERATIONS: tuple[Operation, ...] = tuple(one for one in HUB_OPERATIONS if one not in DIRECTORY_READS)
"""What a subject may call (``machine.effects.CallHub``)."""

CALLED_BACK = (Operation.TXID_SEARCH, Operation.WALLET_SEARCH, Operation.KYT_SEARCH, Operation.UNHOSTED_TOKEN)
"""The operations that take a ``callbackUrl``. The last two have no ``requestId``: the id is that of the call."""
