"""Ratings, KYT requests and sessions of unhosted wallets (screening.md; hub-api.md section 7)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.moments import time_text

SESSION_SECONDS = 86_400
"""How long a token is valid, and how long its session accepts a proof (hub-api.md 4.B.5)."""

ANALYSIS_FAILED = "Transaction analysis failed"


@dataclass(frozen=True, slots=True)
class Rating:
    """A provider's rating of a wallet: ``BLACK``, ``GRAY``, ``WHITE`` or ``UNKNOWN``; tags are free text."""

    category: str
    tags: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class RatedWallet:
    """A wallet of a screened transaction."""

    address: str = field(repr=False)
    rating: Rating


@dataclass(frozen=True, slots=True)
class RatedTransaction:
    """A provider's ratings of the two sides of a transaction."""

    senders: tuple[RatedWallet, ...] = ()
    receivers: tuple[RatedWallet, ...] = ()


@dataclass(frozen=True, slots=True)
class KytSubject:
    """A transaction to analyse: a KYT code, and the hash in the form of ``canonical_hash``."""

    blockchain: str
    tx_hash: str


def canonical_hash(text: str) -> str:
    """Return the one form of a hash that all its spellings share; base58, where case counts, is unchanged."""
    digits = text[2:] if text[:2] in ("0x", "0X") else text
    is_hex = bool(digits) and all(digit in "0123456789abcdefABCDEF" for digit in digits)
    return digits.lower() if is_hex else text


@dataclass(frozen=True, slots=True)
class Analysis:
    """How an analysis ended: with a report, or (``FAILED``) with an error text."""

    report: Mapping[str, Any] | None = field(default=None, repr=False)
    error: str = ""

    @property
    def status(self) -> str:
        """``RELEASED`` or ``FAILED``."""
        return "FAILED" if self.report is None else "RELEASED"


@dataclass(frozen=True, slots=True)
class KytRequest:
    """One KYT search; without ``analysis`` it is ``PENDING``."""

    request_id: int
    caller: str
    subject: KytSubject
    submitted_at: datetime
    analysis: Analysis | None = None

    @property
    def status(self) -> str:
        """``PENDING``, ``RELEASED`` or ``FAILED``."""
        return self.analysis.status if self.analysis else "PENDING"

    def to_wire(self) -> dict[str, Any]:
        """Return the object of 4.B.4 and its callback."""
        ended = self.analysis or Analysis()
        return {
            "requestId": self.request_id,
            "status": self.status,
            "error": ended.error or None,
            "submittedAt": time_text(self.submitted_at),
            "report": ended.report,
        }


@dataclass(frozen=True, slots=True)
class Session:
    """A session in which a customer proves ownership of a wallet.

    The customer signs ``message``. ``origin`` is the site that may show the widget. With ``signature`` the wallet is
    verified. ``opened``: the token was used.
    """

    id: str
    caller: str
    blockchain: str
    asset: str
    address: str = field(repr=False)
    customer: str = field(repr=False)
    origin: str = field(repr=False)
    message: str = field(repr=False)
    nonce: str = field(repr=False)
    domain: str
    callback_url: str = field(repr=False)
    created_at: datetime
    expires_at: datetime
    opened: bool = False
    signature: str = field(default="", repr=False)
    verified_at: datetime | None = None

    def status(self, now: datetime) -> str:
        """Return ``VERIFIED``, ``PENDING``, or ``EXPIRED`` without a proof in time."""
        if self.verified_at is not None:
            return "VERIFIED"
        return "PENDING" if now < self.expires_at else "EXPIRED"

    def to_wire(self, now: datetime) -> dict[str, Any]:
        """Return the object of P.4 and its callback."""
        verified = self.verified_at is not None
        return {
            "verificationId": self.id,
            "status": self.status(now),
            "blockchain": self.blockchain,
            "asset": self.asset,
            "address": self.address,
            "signature": self.signature if verified else None,
            "signedMessage": self.message if verified else None,
            "verifiedAt": time_text(self.verified_at) if self.verified_at else None,
        }


def new_secret(randomness: Callable[[int], bytes]) -> str:
    """Return a token or a key that cannot be guessed."""
    return base64.urlsafe_b64encode(randomness(32)).decode().rstrip("=")


def token_hash(token: str) -> bytes:
    """Return the hash that is stored in place of a token."""
    return hashlib.sha256(b"token:" + token.encode()).digest()


def key_hash(key: str) -> bytes:
    """Return the hash that is stored in place of a key; it differs from the hash of an equal token."""
    return hashlib.sha256(b"key:" + key.encode()).digest()
