"""Calls of the widget in a customer's browser (hub-api.md section 7, "Widget").

The calls are not signed: a token opens a session once, and returns a key that is valid until the session ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import orjson

from schemas.operations import Operation
from travelrule.hub.background_tasks import BackgroundTasks
from travelrule.hub.callback_sender import CallbackSender
from travelrule.hub.ports import Clock, Journal
from travelrule.hub.records import CallRecord
from travelrule.hub.risk.ports import RiskState, WalletSigner
from travelrule.hub.risk.records import Session, key_hash, new_secret, token_hash
from travelrule.hub.searches.records import SearchKey, SearchOutcome
from travelrule.hub.unhosted.session_responder import origin_of
from travelrule.screening.ownership.proof_check import check_proof
from travelrule.screening.ownership.proof_message import ProofBinding

SESSION = "widget-session"
PROOF = "widget-proof"
"""Operations of the two calls of a widget, in the journal."""

_OK, _REFUSED = 200, 422


class WidgetFault(Exception):  # noqa: N818 -- the protocol's word
    """A widget call that fails: HTTP status, a sentence that quotes no value, and the reason if a proof is refused."""

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reason = reason


class WidgetCalls:
    """Opens sessions and checks proofs.

    A proof that fails leaves the session unchanged: the customer may try again, and no callback is sent. ``origin`` is
    that of the page that shows the widget, None for the hub's page and for clients that are no browser.
    """

    def __init__(
        self,
        state: RiskState,
        callbacks: CallbackSender,
        clock: Clock,
        randomness: Callable[[int], bytes],
        tasks: BackgroundTasks,
        *,
        wallet: WalletSigner | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._state = state
        self._callbacks = callbacks
        self._clock = clock
        self._randomness = randomness
        self._tasks = tasks
        self._wallet = wallet
        self._journal = journal

    async def open(self, token: str, origin: str | None) -> dict[str, Any]:
        """Use a token, and return what the widget shows with the key of the session. Raises ``WidgetFault``."""
        began = time.perf_counter()
        session = await self._found(token_hash(token), origin)
        now = self._clock()
        key = new_secret(self._randomness)
        if not await self._state.use_token(session.id, key_hash(key), now):
            raise WidgetFault(403, "this token was used already: start a new session")
        self._note(SESSION, session, began, _OK, session.status(now))
        return self._shown(session) | {
            "message": session.message,
            "key": key,
            "testWallet": self._wallet is not None,
        }

    async def prove(self, key: str, signature: str, origin: str | None) -> dict[str, Any]:
        """Check a signature, and return the verified session. Raises ``WidgetFault``."""
        began = time.perf_counter()
        session = await self._found(key_hash(key), origin)
        now = self._clock()
        bound = ProofBinding(session.domain, session.address, session.id, session.nonce)
        check = check_proof(session.blockchain, session.address, session.message, signature, bound=bound, now=now)
        if check.outcome != "valid":
            self._note(PROOF, session, began, _REFUSED, check.code)
            raise WidgetFault(_REFUSED, "this signature does not prove the wallet: sign with its own key", check.code)
        verified = await self._state.verify_session(session.id, signature, now)
        if verified is not None and verified.callback_url:
            self._tasks.start(self._send_callback(verified), Operation.UNHOSTED_TOKEN)
        shown = self._shown(verified or session) | {"status": "VERIFIED"}
        self._note(PROOF, session, began, _OK, shown["status"])
        return shown

    async def sign(self, key: str, origin: str | None) -> dict[str, Any]:
        """Sign a session's message with the wallet for demonstrations. Raises ``WidgetFault``."""
        session = await self._found(key_hash(key), origin)
        signature = self._wallet.sign(session.blockchain, session.message) if self._wallet else ""
        if not signature:
            raise WidgetFault(404, "there is no test wallet for this chain")
        return {"signature": signature}

    async def _found(self, secret_hash: bytes, origin: str | None) -> Session:
        now = self._clock()
        session = await self._state.session_by(secret_hash, now)
        if session is None or session.status(now) == "EXPIRED":
            raise WidgetFault(404, "this session has ended or is not known: start a new one")
        if origin is not None and origin_of(origin) != session.origin:
            raise WidgetFault(403, "this page is not the one that the session is for")
        return session

    def _shown(self, session: Session) -> dict[str, Any]:
        return {
            "id": session.id,
            "status": session.status(self._clock()),
            "flow": "SIGNATURE_PROOF",
            "address": session.address,
            "asset": session.asset,
            "blockchain": session.blockchain,
        }

    async def _send_callback(self, session: Session) -> None:
        body = orjson.dumps(session.to_wire(self._clock()))
        key = SearchKey(Operation.UNHOSTED_TOKEN, session.caller, session.id)
        await self._callbacks.send(
            Operation.UNHOSTED_TOKEN, key, session.callback_url, SearchOutcome("VERIFIED", "", body)
        )

    def _note(self, operation: str, session: Session, began: float, status: int, result: str) -> None:
        if self._journal is None:
            return
        record = CallRecord(at=self._clock(), operation=operation, target=session.caller, request_id=session.id)
        record.status, record.result = status, str(result)
        record.seconds = time.perf_counter() - began
        self._journal.record(record)
