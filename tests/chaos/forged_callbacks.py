"""Callbacks that the hub did not send: an attacker has or guesses our callback URLs, and invents results."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import aiohttp

from tests.chaos.members import THIEF
from tests.chaos.stored_events import UNREADABLE
from tests.e2e.member import Member
from tests.e2e.tables import Tables

NEWEST = 8
LIMIT_SECONDS = 5
NO_ANSWER = 0

_SEARCHES = (
    "SELECT encode(token, 'hex') AS token, request_id FROM searches WHERE operation = 'txid-search'"
    f" ORDER BY created_at DESC LIMIT {NEWEST}"
)

Forged = Counter[tuple[str, int]]
"""How many callbacks of a sort were answered with a status."""


def _found_by_thief(request_id: str) -> dict[str, Any]:
    row = {"entityId": THIEF, "result": "FOUND"}
    return {"result": "valid", "requestId": request_id, "vaspEntityId": THIEF, "analysisResult": [row]}


def _not_found(request_id: str) -> dict[str, Any]:
    return {"result": "invalid", "reasonType": "NOT_FOUND_TXID", "requestId": request_id, "analysisResult": []}


class CallbackForger:
    """Forges callbacks to one VASP. ``forged`` counts them."""

    def __init__(self, member: Member, tables: Tables, forged: Forged) -> None:
        self._root = f"{member.base_url}/callbacks"
        self._tables = tables
        self._forged = forged

    async def round(self, session: aiohttp.ClientSession, rng: random.Random) -> None:
        """Forge callbacks about the newest searches, most of which are not over."""
        try:
            searches = await self._tables.rows(_SEARCHES)
        except UNREADABLE:
            return
        for search in searches:
            token, request_id = search["token"], search["request_id"]
            guessed = rng.randbytes(16).hex()
            other = str(rng.getrandbits(64))
            await self._post(session, "invented-finder", f"txid-search/{token}", _found_by_thief(request_id))
            await self._post(session, "invented-nothing", f"txid-search/{token}", _not_found(request_id))
            await self._post(session, "another-search", f"txid-search/{token}", _found_by_thief(other))
            await self._post(session, "another-operation", f"wallet-search/{token}", _found_by_thief(request_id))
            await self._post(session, "guessed-path", f"txid-search/{guessed}", _found_by_thief(request_id))

    async def _post(self, session: aiohttp.ClientSession, sort: str, path: str, body: dict[str, Any]) -> None:
        limit = aiohttp.ClientTimeout(total=LIMIT_SECONDS)
        try:
            async with session.post(f"{self._root}/{path}", json=body, timeout=limit) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError):
            status = NO_ANSWER
        self._forged[sort, status] += 1
