"""All bodies of hub and member operations in one place, by section of ``hub-api.md``.

4.A.1-3 ``directory``; 4.A.4-8 ``transfer``; 4.A.9-10, P.1-P.3 ``search``; 4.B.1-3, 4.B.5, P.4
``screening``; 4.B.4 ``kyt``.
"""

from __future__ import annotations

from schemas.hub.directory import (
    CoinNetwork,
    CoinNetworks,
    ErrorBody,
    Network,
    PublicKey,
    PublicKeys,
    VaspEntry,
    VaspList,
)
from schemas.hub.kyt import KytReport, KytReportResponse
from schemas.hub.screening import (
    KytSearchRequest,
    KytSearchResponse,
    TransactionScreeningRequest,
    TransactionScreeningResponse,
    UnhostedResult,
    UnhostedTokenRequest,
    UnhostedTokenResponse,
    WalletInfo,
    WalletScreeningRequest,
    WalletScreeningResponse,
)
from schemas.hub.search import (
    DataRequest,
    DataResponse,
    SearchRow,
    TxidCheckRequest,
    TxidCheckResponse,
    TxidSearchAccepted,
    TxidSearchRequest,
    TxidSearchResult,
    WalletSearchAccepted,
    WalletSearchRequest,
    WalletSearchResult,
)
from schemas.hub.transfer import (
    AddressSearchRequest,
    AddressSearchResponse,
    FinishRequest,
    FinishResponse,
    StatusSearchRequest,
    StatusSearchResponse,
    TransferAuthorizationRequest,
    TransferAuthorizationResponse,
    TransferStatus,
    TxidReportRequest,
    TxidReportResponse,
)

__all__ = [
    "AddressSearchRequest",
    "AddressSearchResponse",
    "CoinNetwork",
    "CoinNetworks",
    "DataRequest",
    "DataResponse",
    "ErrorBody",
    "FinishRequest",
    "FinishResponse",
    "KytReport",
    "KytReportResponse",
    "KytSearchRequest",
    "KytSearchResponse",
    "Network",
    "PublicKey",
    "PublicKeys",
    "SearchRow",
    "StatusSearchRequest",
    "StatusSearchResponse",
    "TransactionScreeningRequest",
    "TransactionScreeningResponse",
    "TransferAuthorizationRequest",
    "TransferAuthorizationResponse",
    "TransferStatus",
    "TxidCheckRequest",
    "TxidCheckResponse",
    "TxidReportRequest",
    "TxidReportResponse",
    "TxidSearchAccepted",
    "TxidSearchRequest",
    "TxidSearchResult",
    "UnhostedResult",
    "UnhostedTokenRequest",
    "UnhostedTokenResponse",
    "VaspEntry",
    "VaspList",
    "WalletInfo",
    "WalletScreeningRequest",
    "WalletScreeningResponse",
    "WalletSearchAccepted",
    "WalletSearchRequest",
    "WalletSearchResult",
]
