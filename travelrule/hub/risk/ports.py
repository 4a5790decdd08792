"""Interfaces that screening, KYT and unhosted wallets need: providers and state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from travelrule.hub.risk.records import Analysis, KytRequest, KytSubject, RatedTransaction, Rating, Session


class ProviderFailed(Exception):  # noqa: N818 -- names the case
    """A provider could not rate. ``reason`` is sent to the caller: a sentence that quotes no value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotServed(Exception):  # noqa: N818 -- names the case
    """A provider does not serve this VASP now: not registered, quota exceeded, or disabled."""


class ScreeningProvider(Protocol):
    """Rates wallets and transactions at once. ``chain`` is a screening code. Both methods raise ``ProviderFailed``."""

    async def wallet(self, chain: str, address: str) -> Rating:
        """Rate a wallet."""

    async def transaction(self, chain: str, txid: str) -> RatedTransaction:
        """Rate the wallets of a transaction."""


class KytProvider(Protocol):
    """Analyses transactions."""

    async def admit(self, caller: str, *, analysis: bool) -> None:
        """Admit a call of a VASP, or raise ``NotServed``. With ``analysis`` the call counts against its quota."""

    async def known(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return a result that needs no analysis, if there is one."""

    async def analyse(self, subject: KytSubject, now: datetime) -> Analysis:
        """Analyse a transaction; there is no time limit."""


class WalletSigner(Protocol):
    """A wallet for demonstrations: it signs the widget's message, so that a page can be tried without a real wallet."""

    def sign(self, blockchain: str, message: str) -> str:
        """Return the wallet's signature for that chain; empty if it has no key for it."""


@dataclass(frozen=True, slots=True)
class Providers:
    """The providers of one hub; operations without a provider are not served."""

    screening: ScreeningProvider | None = None
    kyt: KytProvider | None = None
    wallet: WalletSigner | None = None


class RiskState(Protocol):
    """The state of KYT searches, reports and sessions of unhosted wallets."""

    async def open_kyt(self, caller: str, subject: KytSubject, now: datetime) -> KytRequest:
        """Store a new KYT search under a new number."""

    async def end_kyt(self, request_id: int, analysis: Analysis, now: datetime) -> None:
        """Store the analysis of a search; a report serves further searches for its transaction."""

    async def kyt_request(self, request_id: int, now: datetime) -> KytRequest | None:
        """Return a stored search."""

    async def analysis(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return the newest stored report on a transaction."""

    async def add_session(self, session: Session, token_hash: bytes, now: datetime) -> None:
        """Store a session and the hash of the token that opens it."""

    async def session(self, session_id: str, now: datetime) -> Session | None:
        """Return a stored session."""

    async def session_by(self, secret_hash: bytes, now: datetime) -> Session | None:
        """Return the session that a token or a key belongs to."""

    async def use_token(self, session_id: str, key_hash: bytes, now: datetime) -> bool:
        """Exchange a session's token for a key; return False if the token was used before."""

    async def verify_session(self, session_id: str, signature: str, now: datetime) -> Session | None:
        """Store a proof and return the session, None if another proof was first."""
