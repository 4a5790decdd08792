"""The callback URLs of our searches, and the subject of each search (member-api.md section 11).

Callbacks carry no signature, so the path holds an unguessable token: a keyed hash of the operation and the request id
under the index key. It is stored in the table ``searches`` before the search is sent. A caller who has it can only make
us request the result from the hub a little earlier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from urllib.parse import urlsplit

from sqlalchemy import select

from schemas.operations import CALLED_BACK
from travelrule.crypto.blind_index import BlindIndex
from travelrule.store import bulk, tables
from travelrule.store.database import Database

CALLBACK_PATH = "/callbacks/{operation}/{token}"

_TOKEN = re.compile(r"[0-9a-f]{32}")
_FIELD = "callback"


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One of our searches: ``subject`` sent it under ``request_id``."""

    operation: str
    request_id: str
    subject: str


class CallbackUrls:
    """The searches of one VASP that were sent with a ``callbackUrl``. ``public_url`` None: none is."""

    def __init__(
        self,
        database: Database,
        vasp: str,
        index: BlindIndex,
        public_url: str | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._vasp = vasp
        self._index = index
        self._root = public_url.rstrip("/") if public_url and may_be_called(public_url) else None
        self._clock = clock

    async def expect_callback(self, operation: str, request_id: str, subject: str) -> str | None:
        """The ``callbackUrl`` for a search, remembered before it is given; None if we can only poll."""
        if self._root is None or operation not in CALLED_BACK:
            return None
        token = self._token(operation, request_id)
        row = {
            "vasp": self._vasp,
            "token": token,
            "operation": operation,
            "request_id": request_id,
            "subject": subject,
            "created_at": self._clock(),
        }
        async with self._database.single() as connection:
            await bulk.insert(connection, tables.searches, [row], conflict="nothing")
        return self._root + CALLBACK_PATH.format(operation=operation, token=token.hex())

    async def find(self, operation: str, token: str) -> SearchRecord | None:
        """The search of a token; None for a token that was never issued for this operation."""
        if _TOKEN.fullmatch(token) is None:
            return None
        table = tables.searches
        query = select(table.c.operation, table.c.request_id, table.c.subject).where(
            table.c.vasp == self._vasp, table.c.token == bytes.fromhex(token), table.c.operation == operation
        )
        async with self._database.read() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else SearchRecord(row.operation, row.request_id, row.subject)

    def _token(self, operation: str, request_id: str) -> bytes:
        return self._index.of(_FIELD, f"{operation}/{request_id}")


def may_be_called(public_url: str) -> bool:
    """Whether a hub takes this root for callbacks: HTTPS, or plain HTTP on loopback for trying out (hub-api.md 10).

    Any other URL would have every search refused, so we rather poll.
    """
    parts = urlsplit(public_url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
