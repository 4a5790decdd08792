"""The hub's operations as the client sends them, one row each: where they go, and what an answer must hold.

The source is ``hub-api.md`` sections 1 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from schemas.operations import Operation

KIB = 1024
ANSWER_BYTES_MAX = 1024 * KIB
DIRECTORY_BYTES_MAX = 32 * 1024 * KIB

ScreeningPrefix = Literal["partner", "uppsala"]
"""The path segment before the operations of screening and KYT (D1)."""


@dataclass(frozen=True, slots=True)
class ClientOperation:
    """One operation.

    ``sealed``: header set F; ``X-Code-Req-Remote-PubKey`` holds the key that ``payload`` is sealed to (``auth.md``
    section 1). ``field`` is the response field that decides, ``values`` are its documented values in lower case (empty:
    the answer is a document and ``field`` holds an array, or, if it is ``open``, any text). ``read_s`` is the limit for
    the whole answer in seconds.

    ``of_search``: the path names one of our searches by its ``requestId``, not a VASP, and there is no body.
    ``provider``: a risk provider behind the hub answers. The deciding field may report its failure with any HTTP status
    (``errors_as_result``).
    """

    name: Operation
    method: Literal["GET", "POST", "PUT"]
    path: str
    field: str
    values: frozenset[str] = frozenset()
    sealed: bool = False
    of_search: bool = False
    read_s: float = 15.0
    answer_bytes_max: int = ANSWER_BYTES_MAX
    open: bool = False
    provider: Literal["", "screening", "kyt"] = ""

    @property
    def errors_as_result(self) -> bool:
        """Whether ``"result": "ERROR"`` is an answer with an HTTP status of an error too (screening.md 3)."""
        return self.provider == "screening"

    @property
    def to_hub(self) -> bool:
        """Whether the hub itself answers, so that no VASP must be listed or up."""
        return self.of_search or "{target}" not in self.path

    def path_for(self, target: str, prefix: ScreeningPrefix = "partner") -> str:
        """Return the path for one VASP or one search; raise ValueError for an id that no path can hold."""
        path = self.path.replace("{prefix}", prefix)
        if "{target}" not in path:
            return path
        if not target or target in {".", ".."}:
            raise ValueError("an id in a path cannot be empty or a dot segment")
        return path.replace("{target}", quote(target, safe=""))


_REPORT = frozenset({"normal", "error"})
_STARTED = frozenset({"success"})
_FOUND = frozenset({"valid", "invalid"})
_RATED = frozenset({"normal", "error"})

_ROWS = (
    ClientOperation(
        Operation.VASP_LIST, "GET", "/v1/code/vasps", "vasps", read_s=30.0, answer_bytes_max=DIRECTORY_BYTES_MAX
    ),
    ClientOperation(Operation.PUBLIC_KEY, "GET", "/v1/code/Vasp/{target}/pubkey", "pubkeys"),
    ClientOperation(
        Operation.COIN_NETWORKS,
        "GET",
        "/v1/code/connect/coin-network",
        "coinNetworks",
        read_s=30.0,
        answer_bytes_max=DIRECTORY_BYTES_MAX,
    ),
    ClientOperation(
        Operation.ADDRESS_SEARCH,
        "POST",
        "/v1/code/VerifyAddress/{target}",
        "result",
        _FOUND,
        sealed=True,
    ),
    ClientOperation(
        Operation.TRANSFER_AUTHORIZATION,
        "POST",
        "/v1/code/transfer/{target}",
        "result",
        frozenset({"verified", "denied"}),
        sealed=True,
    ),
    ClientOperation(Operation.TXID_REPORT, "POST", "/v1/code/transfer/{target}/txid", "result", _REPORT),
    ClientOperation(Operation.FINISH, "PUT", "/v1/code/transfer/{target}/status", "result", _REPORT),
    ClientOperation(
        Operation.STATUS_SEARCH,
        "POST",
        "/v1/code/transfer/{target}/status",
        "status",
        # D12: one page of the published documents spells the fourth one wait-confirmed.
        frozenset({"pending", "processing", "wait-confirm", "wait-confirmed", "confirmed", "canceled"}),
    ),
    ClientOperation(Operation.TXID_SEARCH, "POST", "/v1/code/verification/tx", "result", _STARTED),
    ClientOperation(
        Operation.TXID_SEARCH_RESULT, "GET", "/v1/code/verification/tx/{target}", "result", _FOUND, of_search=True
    ),
    ClientOperation(Operation.DATA_REQUEST, "PUT", "/v1/code/verification/tx/{target}", "result", _REPORT, sealed=True),
    ClientOperation(Operation.WALLET_SEARCH, "POST", "/v2/code/VerifyAddress", "result", _STARTED),
    ClientOperation(
        Operation.WALLET_SEARCH_RESULT, "GET", "/v2/code/VerifyAddress/{target}", "result", _FOUND, of_search=True
    ),
    ClientOperation(
        Operation.WALLET_SCREENING, "POST", "/v1/code/{prefix}/wallet", "result", _RATED, provider="screening"
    ),
    ClientOperation(
        Operation.TRANSACTION_SCREENING, "POST", "/v1/code/{prefix}/tx-hash", "result", _RATED, provider="screening"
    ),
    ClientOperation(
        Operation.KYT_SEARCH,
        "POST",
        "/v1/code/{prefix}/kytsearch",
        "status",
        frozenset({"pending", "released"}),
        provider="kyt",
    ),
    ClientOperation(
        Operation.KYT_REPORT,
        "GET",
        "/v1/code/{prefix}/kytreport?requestId={target}",
        "status",
        frozenset({"pending", "released", "failed"}),
        of_search=True,
        answer_bytes_max=DIRECTORY_BYTES_MAX,
        provider="kyt",
    ),
    ClientOperation(
        Operation.UNHOSTED_TOKEN, "POST", "/v1/code/unhosted-wallet-verification/widget/token", "token", open=True
    ),
    ClientOperation(
        Operation.UNHOSTED_RESULT,
        "GET",
        "/v1/code/unhosted-wallet-verification/{target}",
        "status",
        of_search=True,
        open=True,
    ),
)

OPERATIONS: Mapping[str, ClientOperation] = {row.name: row for row in _ROWS}
"""By name: everything that the hub serves."""
