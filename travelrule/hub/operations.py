"""The operations that this hub serves, one row each (hub-api.md section 1).

A row is everything the rest of the room needs to know about an operation: where it is called, which entity
its path names, where it is forwarded to, and what its body and the member's answer must hold. Another
operation is another row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from travelrule.hub import bodies


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the hub.

    ``name`` is what journal and faults call it. ``path`` names the target, if there is one, ``{target}``.
    ``unknown_target`` is the code for a target that is not registered. ``remote_key`` says that the caller
    must name the target's public key (D10). ``limited`` operations count against the rate limit.
    ``member_path`` is where the call is forwarded to; operations without one are answered from the directory.
    ``request`` finds the faults of a body, ``answer`` names the first required field that a member's answer
    lacks.
    """

    name: str
    method: str
    path: str
    unknown_target: str = ""
    remote_key: bool = False
    limited: bool = False
    member_path: str = ""
    request: bodies.RequestShape | None = None
    answer: bodies.AnswerShape = field(default=bodies.AnswerShape(()))

    @property
    def forwarded(self) -> bool:
        """Whether a member answers this operation."""
        return bool(self.member_path)

    def missing_in(self, answer: Mapping[str, Any]) -> str | None:
        """Return the first required field that ``answer`` lacks, or nothing."""
        return self.answer.missing(answer)


VASP_LIST = Operation(
    name="vasp-list",
    method="GET",
    path="/v1/code/vasps",
    limited=True,
    answer=bodies.AnswerShape(("vasps",)),
)

PUBLIC_KEY = Operation(
    name="public-key",
    method="GET",
    path="/v1/code/Vasp/{target}/pubkey",
    unknown_target="INVALID_TARGET_VASP_ID",
    answer=bodies.AnswerShape(("pubkeys",)),
)

COIN_NETWORK = Operation(
    name="coin-network",
    method="GET",
    path="/v1/code/connect/coin-network",
    answer=bodies.AnswerShape(("coinNetworks",)),
)

ADDRESS_SEARCH = Operation(
    name="address-search",
    method="POST",
    path="/v1/code/VerifyAddress/{target}",
    unknown_target="INVALID_BENEFICIARY",
    remote_key=True,
    member_path="/v1/beneficiary/VerifyAddress",
    request=bodies.ADDRESS_SEARCH,
    answer=bodies.AnswerShape(("result",)),
)

TRANSFER_AUTHORIZATION = Operation(
    name="transfer-authorization",
    method="POST",
    path="/v1/code/transfer/{target}",
    unknown_target="INVALID_BENEFICIARY",
    remote_key=True,
    member_path="/v1/beneficiary/transfer",
    request=bodies.TRANSFER_AUTHORIZATION,
    # A refusal without payload is passed on: callers must live with it (4.A.5), and a 500 would hide the
    # verdict.
    answer=bodies.AnswerShape(("result", "transferId"), also_when=("result", "verified", "payload")),
)

TXID_REPORT = Operation(
    name="txid-report",
    method="POST",
    path="/v1/code/transfer/{target}/txid",
    unknown_target="INVALID_BENEFICIARY",
    member_path="/v1/beneficiary/transfer/txid",
    request=bodies.TXID_REPORT,
    answer=bodies.AnswerShape(("result", "transferId")),
)

FINISH = Operation(
    name="finish",
    method="PUT",
    path="/v1/code/transfer/{target}/status",
    unknown_target="INVALID_BENEFICIARY",
    member_path="/v1/vasp/transfer/status",
    request=bodies.FINISH,
    answer=bodies.AnswerShape(("result", "transferId")),
)

STATUS_SEARCH = Operation(
    name="status-search",
    method="POST",
    path="/v1/code/transfer/{target}/status",
    unknown_target="INVALID_TARGET_VASP_ID",
    member_path="/v1/vasp/transfer/status",
    request=bodies.STATUS_SEARCH,
    answer=bodies.AnswerShape(("status", "transferId"), also_when=("status", "confirmed", "txid")),
)

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
)
"""What is served, in the order of the specification."""

NAMES: frozenset[str] = frozenset(operation.name for operation in (*OPERATIONS, HEALTH))
