"""``RiskState`` in the memory of one process."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from travelrule.hub.expiring_map import ExpiringMap
from travelrule.hub.risk.records import SESSION_SECONDS, Analysis, KytRequest, KytSubject, Session

REPORT_SECONDS = 86_400
"""How long a report serves further searches for its transaction."""

ENTRIES_MAX = 100_000
"""Entries of each kind; the oldest are removed first."""


class MemoryRiskState:
    """``RiskState`` in memory. ``request_seconds`` is how long a ``requestId`` is served."""

    def __init__(self, request_seconds: float) -> None:
        self._last_id = 0
        self._requests: ExpiringMap[int, KytRequest] = ExpiringMap(request_seconds, ENTRIES_MAX)
        self._reports: ExpiringMap[KytSubject, Analysis] = ExpiringMap(REPORT_SECONDS, ENTRIES_MAX)
        # A result can still be read for a day after its token expired.
        self._sessions: ExpiringMap[str, Session] = ExpiringMap(2 * SESSION_SECONDS, ENTRIES_MAX)
        self._secrets: ExpiringMap[bytes, str] = ExpiringMap(SESSION_SECONDS, 2 * ENTRIES_MAX)

    async def open_kyt(self, caller: str, subject: KytSubject, now: datetime) -> KytRequest:
        """Store a new KYT search under a new number."""
        # From the clock, so that a number issued before a restart never names another transaction.
        self._last_id = max(self._last_id + 1, int(now.timestamp() * 1000))
        request = KytRequest(self._last_id, caller, subject, now)
        self._requests.put(request.request_id, request, now)
        return request

    async def end_kyt(self, request_id: int, analysis: Analysis, now: datetime) -> None:
        """Store the analysis of a search; a report serves further searches for its transaction."""
        request = self._requests.find(request_id, now)
        if request is None:
            return
        self._requests.change(request_id, replace(request, analysis=analysis))
        if analysis.report is not None:
            self._reports.put(request.subject, analysis, now)

    async def kyt_request(self, request_id: int, now: datetime) -> KytRequest | None:
        """Return a stored search."""
        return self._requests.find(request_id, now)

    async def analysis(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return the newest stored report on a transaction."""
        return self._reports.find(subject, now)

    async def add_session(self, session: Session, token_hash: bytes, now: datetime) -> None:
        """Store a session and the hash of the token that opens it."""
        self._sessions.put(session.id, session, now)
        self._secrets.put(token_hash, session.id, now)

    async def session(self, session_id: str, now: datetime) -> Session | None:
        """Return a stored session."""
        return self._sessions.find(session_id, now)

    async def session_by(self, secret_hash: bytes, now: datetime) -> Session | None:
        """Return the session that a token or a key belongs to."""
        session_id = self._secrets.find(secret_hash, now)
        return None if session_id is None else self._sessions.find(session_id, now)

    async def use_token(self, session_id: str, key_hash: bytes, now: datetime) -> bool:
        """Exchange a session's token for a key; return False if the token was used before."""
        session = self._sessions.find(session_id, now)
        if session is None or session.opened:
            return False
        self._sessions.change(session_id, replace(session, opened=True))
        self._secrets.put(key_hash, session_id, now)
        return True

    async def verify_session(self, session_id: str, signature: str, now: datetime) -> Session | None:
        """Store a proof and return the session, None if another proof was first."""
        session = self._sessions.find(session_id, now)
        if session is None or session.verified_at is not None:
            return None
        verified = replace(session, signature=signature, verified_at=now)
        self._sessions.change(session_id, verified)
        return verified
