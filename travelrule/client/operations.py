"""The hub's operations 4.A.1 to 4.A.10, 4.B.1 to 4.B.5 and P.1 to P.4 as data: where they go, what an answer must hold.

The source is ``hub-api.md`` sections 1 to 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

KIB = 1024
ANSWER_BYTES_MAX = 1024 * KIB
DIRECTORY_BYTES_MAX = 32 * 1024 * KIB

ScreeningPrefix = Literal["partner", "uppsala"]
"""The path segment before the operations of screening and KYT (D1)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    ``sealed``: header set F, the key that ``payload`` is sealed to stands in ``X-Code-Req-Remote-PubKey``
    (``auth.md`` section 1). ``field`` is the response field that decides, ``values`` what may stand in it
    (lower case; empty: the answer is a document and ``field`` holds an array, or, if it is ``open``, any text).
    ``read_s`` is the limit for the whole answer.

    ``of_search``: the path names not a VASP but a search of ours, by its ``requestId``, and there is no body.
    ``provider``: behind the hub stands a risk provider. One that failed may say so in the deciding field whatever the
    HTTP status is (``errors_as_result``).
    """

    name: str
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
        """Whether ``"result": "ERROR"`` is the answer also with an HTTP status of an error (screening.md 3)."""
        return self.provider == "screening"

    @property
    def to_hub(self) -> bool:
        """Whether the hub itself answers, so that no VASP has to be known or up."""
        return self.of_search or "{target}" not in self.path

    def path_for(self, target: str, prefix: ScreeningPrefix = "partner") -> str:
        """The path for one VASP, or for one search. Raises ValueError for an id that cannot stand in a path."""
        path = self.path.replace("{prefix}", prefix)
        if "{target}" not in path:
            return path
        if not target or target in {".", ".."}:
            raise ValueError("an id in a path cannot be empty or a dot segment")
        return path.replace("{target}", quote(target, safe=""))


_REPORT = frozenset({"normal", "error"})
_STARTED = frozenset({"success"})
_FOUND = frozenset({"valid", "invalid"})

VASP_LIST = Operation("vasp-list", "GET", "/v1/code/vasps", "vasps", read_s=30.0, answer_bytes_max=DIRECTORY_BYTES_MAX)
PUBLIC_KEY = Operation("public-key", "GET", "/v1/code/Vasp/{target}/pubkey", "pubkeys")
COIN_NETWORKS = Operation(
    "coin-networks",
    "GET",
    "/v1/code/connect/coin-network",
    "coinNetworks",
    read_s=30.0,
    answer_bytes_max=DIRECTORY_BYTES_MAX,
)
ADDRESS_SEARCH = Operation(
    "address-search",
    "POST",
    "/v1/code/VerifyAddress/{target}",
    "result",
    _FOUND,
    sealed=True,
)
TRANSFER_AUTHORIZATION = Operation(
    "transfer-authorization",
    "POST",
    "/v1/code/transfer/{target}",
    "result",
    frozenset({"verified", "denied"}),
    sealed=True,
)
TXID_REPORT = Operation("txid-report", "POST", "/v1/code/transfer/{target}/txid", "result", _REPORT)
FINISH = Operation("finish", "PUT", "/v1/code/transfer/{target}/status", "result", _REPORT)
STATUS_SEARCH = Operation(
    "status-search",
    "POST",
    "/v1/code/transfer/{target}/status",
    "status",
    # D12: one page of the published documents spells the fourth one wait-confirmed.
    frozenset({"pending", "processing", "wait-confirm", "wait-confirmed", "confirmed", "canceled"}),
)
TXID_SEARCH = Operation("txid-search", "POST", "/v1/code/verification/tx", "result", _STARTED)
TXID_SEARCH_RESULT = Operation(
    "txid-search-result", "GET", "/v1/code/verification/tx/{target}", "result", _FOUND, of_search=True
)
DATA_REQUEST = Operation("data-request", "PUT", "/v1/code/verification/tx/{target}", "result", _REPORT, sealed=True)
WALLET_SEARCH = Operation("wallet-search", "POST", "/v2/code/VerifyAddress", "result", _STARTED)
WALLET_SEARCH_RESULT = Operation(
    "wallet-search-result", "GET", "/v2/code/VerifyAddress/{target}", "result", _FOUND, of_search=True
)

_RATED = frozenset({"normal", "error"})

WALLET_SCREENING = Operation(
    "wallet-screening", "POST", "/v1/code/{prefix}/wallet", "result", _RATED, provider="screening"
)
TRANSACTION_SCREENING = Operation(
    "transaction-screening", "POST", "/v1/code/{prefix}/tx-hash", "result", _RATED, provider="screening"
)
KYT_SEARCH = Operation(
    "kyt-search", "POST", "/v1/code/{prefix}/kytsearch", "status", frozenset({"pending", "released"}), provider="kyt"
)
KYT_REPORT = Operation(
    "kyt-report",
    "GET",
    "/v1/code/{prefix}/kytreport?requestId={target}",
    "status",
    frozenset({"pending", "released", "failed"}),
    of_search=True,
    answer_bytes_max=DIRECTORY_BYTES_MAX,
    provider="kyt",
)
UNHOSTED_TOKEN = Operation(
    "unhosted-token", "POST", "/v1/code/unhosted-wallet-verification/widget/token", "token", open=True
)
UNHOSTED_RESULT = Operation(
    "unhosted-result",
    "GET",
    "/v1/code/unhosted-wallet-verification/{target}",
    "status",
    of_search=True,
    open=True,
)

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        VASP_LIST,
        PUBLIC_KEY,
        COIN_NETWORKS,
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
}
"""By name; the names are those of ``machine.decision.CallHub.operation`` plus the three directory reads and the
operations of risk and unhosted wallets."""
