"""What screening, KYT and unhosted wallets need from outside: providers that know, and a place for state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from travelrule.hub.risk.records import Analysis, KytRequest, KytSubject, RatedTransaction, Rating, Session


class ProviderFailed(Exception):  # noqa: N818 -- says what is the case
    """A provider could not rate. ``reason`` goes to the caller: a plain sentence without any value in it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotServed(Exception):  # noqa: N818 -- says what is the case
    """A provider does not serve this VASP now: not registered, quota exceeded, or disabled."""


class ScreeningProvider(Protocol):
    """Rates wallets and transactions at once. ``chain`` is a code of screening. Both raise ``ProviderFailed``."""

    async def wallet(self, chain: str, address: str) -> Rating:
        """Rate a wallet."""

    async def transaction(self, chain: str, txid: str) -> RatedTransaction:
        """Rate the wallets of a transaction."""


class KytProvider(Protocol):
    """Analyses transactions, which may take its time."""

    async def admit(self, caller: str, *, analysis: bool) -> None:
        """Let a VASP ask, or raise ``NotServed``; ``analysis`` says that this call costs one of its quota."""

    async def known(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return a result that the provider has already, if it has one."""

    async def analyse(self, subject: KytSubject, now: datetime) -> Analysis:
        """Analyse, however long it takes."""


class WalletSigner(Protocol):
    """A wallet for demonstrations: it signs what a widget shows, so that a page can be tried without a real one."""

    def sign(self, blockchain: str, message: str) -> str:
        """Return the signature of this wallet's key for that chain; empty if it has none."""


@dataclass(frozen=True, slots=True)
class Providers:
    """Who knows what, for one hub; without a provider its operations say that they are not served."""

    screening: ScreeningProvider | None = None
    kyt: KytProvider | None = None
    wallet: WalletSigner | None = None


class RiskState(Protocol):
    """What the hub remembers of risk. Several hub processes may share one state."""

    async def open_kyt(self, caller: str, subject: KytSubject, now: datetime) -> KytRequest:
        """Remember a KYT search that begins, under a new number."""

    async def end_kyt(self, request_id: int, analysis: Analysis, now: datetime) -> None:
        """Remember how a search ended; a report is found for its transaction from now on."""

    async def kyt_request(self, request_id: int, now: datetime) -> KytRequest | None:
        """Return a search that is kept."""

    async def analysis(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return the newest report on a transaction that is kept."""

    async def add_session(self, session: Session, token_hash: bytes, now: datetime) -> None:
        """Remember a session and the token that opens it."""

    async def session(self, session_id: str, now: datetime) -> Session | None:
        """Return a session that is kept."""

    async def session_by(self, secret_hash: bytes, now: datetime) -> Session | None:
        """Return the session that a token or a key belongs to."""

    async def use_token(self, session_id: str, key_hash: bytes, now: datetime) -> bool:
        """Use a session's token up, for a key; false if it was used before."""

    async def verify_session(self, session_id: str, signature: str, now: datetime) -> Session | None:
        """Remember a proof; the session then, or None if another proof was first."""
