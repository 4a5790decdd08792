"""Risk state of one hub process, kept in memory: ``RiskState`` for a laptop, a test or a single process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from travelrule.hub.risk.records import SESSION_SECONDS, Analysis, KytRequest, KytSubject, Session

REPORT_SECONDS = 86_400
"""How long a report is found for its transaction."""

ENTRIES_MAX = 100_000
"""Of each kind; the oldest go first."""

Key = TypeVar("Key", bound=Hashable)
Entry = TypeVar("Entry")


class ExpiringMap(Generic[Key, Entry]):
    """Entries by key, forgotten some time after they were put in first."""

    def __init__(self, seconds: float, entries_max: int = ENTRIES_MAX) -> None:
        self._keep = timedelta(seconds=seconds)
        self._entries_max = entries_max
        self._kept: OrderedDict[Key, tuple[Entry, datetime]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, key: Key, entry: Entry, now: datetime) -> None:
        """Keep an entry, from now on."""
        self._kept[key] = (entry, now + self._keep)
        self._kept.move_to_end(key)
        while len(self._kept) > self._entries_max or next(iter(self._kept.values()))[1] <= now:
            self._kept.popitem(last=False)

    def change(self, key: Key, entry: Entry) -> None:
        """Replace an entry; it is kept no longer for that."""
        known = self._kept.get(key)
        if known is not None:
            self._kept[key] = (entry, known[1])

    def find(self, key: Key, now: datetime) -> Entry | None:
        """Return an entry that is still kept."""
        known = self._kept.get(key)
        return known[0] if known is not None and known[1] > now else None


class MemoryRiskState:
    """``RiskState`` in memory. ``request_seconds`` is how long a ``requestId`` is served."""

    def __init__(self, request_seconds: float) -> None:
        self._last_id = 0
        self._requests: ExpiringMap[int, KytRequest] = ExpiringMap(request_seconds)
        self._reports: ExpiringMap[KytSubject, Analysis] = ExpiringMap(REPORT_SECONDS)
        # Kept for a day after a token ended, so that what became of it can still be read.
        self._sessions: ExpiringMap[str, Session] = ExpiringMap(2 * SESSION_SECONDS)
        self._secrets: ExpiringMap[bytes, str] = ExpiringMap(SESSION_SECONDS, 2 * ENTRIES_MAX)

    async def open_kyt(self, caller: str, subject: KytSubject, now: datetime) -> KytRequest:
        """Remember a KYT search that begins, under a new number."""
        # From the clock, so that a number of before a restart never comes to mean another transaction.
        self._last_id = max(self._last_id + 1, int(now.timestamp() * 1000))
        request = KytRequest(self._last_id, caller, subject, now)
        self._requests.put(request.request_id, request, now)
        return request

    async def end_kyt(self, request_id: int, analysis: Analysis, now: datetime) -> None:
        """Remember how a search ended; a report is found for its transaction from now on."""
        request = self._requests.find(request_id, now)
        if request is None:
            return
        self._requests.change(request_id, replace(request, analysis=analysis))
        if analysis.report is not None:
            self._reports.put(request.subject, analysis, now)

    async def kyt_request(self, request_id: int, now: datetime) -> KytRequest | None:
        """Return a search that is kept."""
        return self._requests.find(request_id, now)

    async def analysis(self, subject: KytSubject, now: datetime) -> Analysis | None:
        """Return the newest report on a transaction that is kept."""
        return self._reports.find(subject, now)

    async def add_session(self, session: Session, token_hash: bytes, now: datetime) -> None:
        """Remember a session and the token that opens it."""
        self._sessions.put(session.id, session, now)
        self._secrets.put(token_hash, session.id, now)

    async def session(self, session_id: str, now: datetime) -> Session | None:
        """Return a session that is kept."""
        return self._sessions.find(session_id, now)

    async def session_by(self, secret_hash: bytes, now: datetime) -> Session | None:
        """Return the session that a token or a key belongs to."""
        session_id = self._secrets.find(secret_hash, now)
        return None if session_id is None else self._sessions.find(session_id, now)

    async def use_token(self, session_id: str, key_hash: bytes, now: datetime) -> bool:
        """Use a session's token up, for a key; false if it was used before."""
        session = self._sessions.find(session_id, now)
        if session is None or session.opened:
            return False
        self._sessions.change(session_id, replace(session, opened=True))
        self._secrets.put(key_hash, session_id, now)
        return True

    async def verify_session(self, session_id: str, signature: str, now: datetime) -> Session | None:
        """Remember a proof; the session then, or None if another proof was first."""
        session = self._sessions.find(session_id, now)
        if session is None or session.verified_at is not None:
            return None
        verified = replace(session, signature=signature, verified_at=now)
        self._sessions.change(session_id, verified)
        return verified
