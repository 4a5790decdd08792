"""The client of the hub: one method per operation of ``hub-api.md`` sections 2 to 7.

A method takes the exact bytes of the body: they are signed and sent as they are (``auth.md`` section 3). It
sends once and never repeats; whoever calls decides on repeats with ``machine.retry_policy``. Errors:
``client.errors``.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Literal, TypeVar

import httpx
from pydantic import ValidationError

from schemas.hub.bodies import CoinNetworks, PublicKeys, VaspList
from schemas.hub.kyt import KytReportResponse
from schemas.hub.screening import (
    KytSearchResponse,
    TransactionScreeningResponse,
    UnhostedResult,
    UnhostedTokenResponse,
    WalletScreeningResponse,
)
from schemas.wire_model import Wire
from travelrule.client import operations as ops
from travelrule.client.answers import Answer, read
from travelrule.client.codes import error_of
from travelrule.client.errors import BadAnswer, HubError
from travelrule.client.signer import Signer
from travelrule.client.transports import AiohttpWire, HttpxWire
from travelrule.client.wire import Limits, Outgoing
from travelrule.client.wire import Wire as Transport
from travelrule.logs import TRACEPARENT

Document = TypeVar("Document", bound=Wire)
Observe = Callable[[str, str, float], None]
"""Told of each request: (operation, outcome, seconds).

Outcome: ``answered``, or by the error's class ``refused``, ``unavailable``, ``bad-answer``, ``no-answer``; ``failed``
if the caller gave up or the fault is ours.
"""

_OUTCOMES = {
    "HubRefused": "refused",
    "QuotaRefused": "refused",
    "HubUnavailable": "unavailable",
    "BadAnswer": "bad-answer",
    "NoAnswer": "no-answer",
}


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _observe_nothing(_operation: str, _outcome: str, _seconds: float) -> None:
    """The default hook."""


class HubClient:
    """Calls the hub at ``base_url`` as ``origin`` (``<alliance>:<entityId>``).

    ``transport``: None is httpx over aiohttp; an ``httpx.AsyncBaseTransport`` replaces the network (tests,
    embedded networks); ``"aiohttp"`` leaves httpx out. ``observe`` is called once per request, whatever
    happened. ``screening_prefix`` is the hub's name for screening and KYT in paths (D1).
    """

    def __init__(
        self,
        base_url: str,
        origin: str,
        signer: Signer,
        transport: httpx.AsyncBaseTransport | Literal["aiohttp"] | None = None,
        *,
        limits: Limits | None = None,
        tls: ssl.SSLContext | None = None,
        observe: Observe = _observe_nothing,
        clock: Callable[[], datetime] = _utc_now,
        screening_prefix: ops.ScreeningPrefix = "partner",
    ) -> None:
        self._screening_prefix = screening_prefix
        self._wire: Transport
        if transport == "aiohttp":
            self._wire = AiohttpWire(base_url, origin, signer, limits=limits, tls=tls)
        else:
            assert not isinstance(transport, str)  # noqa: S101 -- narrows the type; "aiohttp" is the only string
            self._wire = HttpxWire(base_url, origin, signer, transport=transport, limits=limits, tls=tls)
        self._observe = observe
        self._clock = clock

    async def vasp_list(self, *, traceparent: str | None = None) -> VaspList:
        """4.A.1: the directory; entries that cannot be read are left out."""
        answer = await self._send(ops.VASP_LIST, "", b"", None, traceparent)
        return _document(VaspList, ops.VASP_LIST, answer)

    async def public_keys(self, entity_id: str, *, traceparent: str | None = None) -> PublicKeys:
        """4.A.2: the current keys of one VASP, uncached."""
        answer = await self._send(ops.PUBLIC_KEY, entity_id, b"", None, traceparent)
        return _document(PublicKeys, ops.PUBLIC_KEY, answer)

    async def coin_networks(self, *, traceparent: str | None = None) -> CoinNetworks:
        """4.A.3: the network names per coin."""
        answer = await self._send(ops.COIN_NETWORKS, "", b"", None, traceparent)
        return _document(CoinNetworks, ops.COIN_NETWORKS, answer)

    async def address_search(
        self, target: str, remote_key: str, body: bytes, *, traceparent: str | None = None
    ) -> Answer:
        """4.A.4: is it an address of ``target``? ``remote_key``: the public key that ``payload`` is sealed to."""
        return await self._send(ops.ADDRESS_SEARCH, target, body, remote_key, traceparent)

    async def transfer_authorization(
        self, target: str, remote_key: str, body: bytes, *, traceparent: str | None = None
    ) -> Answer:
        """4.A.5: may the transfer be made? ``remote_key``: the public key that ``payload`` is sealed to."""
        return await self._send(ops.TRANSFER_AUTHORIZATION, target, body, remote_key, traceparent)

    async def txid_report(self, target: str, body: bytes, *, traceparent: str | None = None) -> Answer:
        """4.A.6: the transaction of an authorized transfer."""
        return await self._send(ops.TXID_REPORT, target, body, None, traceparent)

    async def finish(self, target: str, body: bytes, *, traceparent: str | None = None) -> Answer:
        """4.A.7: an authorized transfer will not come."""
        return await self._send(ops.FINISH, target, body, None, traceparent)

    async def status_search(self, target: str, body: bytes, *, traceparent: str | None = None) -> Answer:
        """4.A.8: the chain status that the originating VASP ``target`` keeps."""
        return await self._send(ops.STATUS_SEARCH, target, body, None, traceparent)

    async def txid_search(self, body: bytes, *, traceparent: str | None = None) -> Answer:
        """4.A.9: have every VASP asked whether it sent a transaction."""
        return await self._send(ops.TXID_SEARCH, "", body, None, traceparent)

    async def txid_search_result(self, request_id: str, *, traceparent: str | None = None) -> Answer:
        """P.1: what a search by txid came to."""
        return await self._send(ops.TXID_SEARCH_RESULT, request_id, b"", None, traceparent)

    async def data_request(
        self, target: str, remote_key: str, body: bytes, *, traceparent: str | None = None
    ) -> Answer:
        """4.A.10: who sent it? ``remote_key``: the public key of the originating VASP ``target`` (D32)."""
        return await self._send(ops.DATA_REQUEST, target, body, remote_key, traceparent)

    async def wallet_search(self, body: bytes, *, traceparent: str | None = None) -> Answer:
        """P.2: have every VASP asked whether an address is its own."""
        return await self._send(ops.WALLET_SEARCH, "", body, None, traceparent)

    async def wallet_search_result(self, request_id: str, *, traceparent: str | None = None) -> Answer:
        """P.3: what a search by address came to."""
        return await self._send(ops.WALLET_SEARCH_RESULT, request_id, b"", None, traceparent)

    async def wallet_screening(self, body: bytes, *, traceparent: str | None = None) -> WalletScreeningResponse:
        """4.B.1: how risky a wallet is. A provider that failed answers with ``result`` ``ERROR``."""
        answer = await self._send(ops.WALLET_SCREENING, "", body, None, traceparent)
        return _document(WalletScreeningResponse, ops.WALLET_SCREENING, answer)

    async def transaction_screening(
        self, body: bytes, *, traceparent: str | None = None
    ) -> TransactionScreeningResponse:
        """4.B.2: how risky the wallets of a transaction are; ``ERROR`` as in 4.B.1."""
        answer = await self._send(ops.TRANSACTION_SCREENING, "", body, None, traceparent)
        return _document(TransactionScreeningResponse, ops.TRANSACTION_SCREENING, answer)

    async def kyt_search(self, body: bytes, *, traceparent: str | None = None) -> KytSearchResponse:
        """4.B.3: have a confirmed transaction analysed. Raises ``QuotaRefused`` if KYT is not for us now."""
        answer = await self._send(ops.KYT_SEARCH, "", body, None, traceparent)
        return _document(KytSearchResponse, ops.KYT_SEARCH, answer)

    async def kyt_report(self, request_id: int, *, traceparent: str | None = None) -> KytReportResponse:
        """4.B.4: what an analysis came to; error 404 ``NOT_FOUND`` once the hub has forgotten it."""
        answer = await self._send(ops.KYT_REPORT, str(request_id), b"", None, traceparent)
        return _document(KytReportResponse, ops.KYT_REPORT, answer)

    async def unhosted_token(self, body: bytes, *, traceparent: str | None = None) -> UnhostedTokenResponse:
        """4.B.5: a session in which a customer proves that a wallet is his own."""
        answer = await self._send(ops.UNHOSTED_TOKEN, "", body, None, traceparent)
        return _document(UnhostedTokenResponse, ops.UNHOSTED_TOKEN, answer)

    async def unhosted_result(self, verification_id: str, *, traceparent: str | None = None) -> UnhostedResult:
        """P.4: what such a session came to; ``status`` is an open text."""
        answer = await self._send(ops.UNHOSTED_RESULT, verification_id, b"", None, traceparent)
        return _document(UnhostedResult, ops.UNHOSTED_RESULT, answer)

    async def call(
        self,
        operation: str,
        target: str,
        body: bytes,
        remote_key: str | None = None,
        *,
        traceparent: str | None = None,
    ) -> Answer:
        """The operation of that name (``operations.OPERATIONS``): for callers that have it as data.

        ``target`` is what stands in the path: an entity id, or the ``requestId`` where the operation is ``of_search``.
        """
        return await self._send(ops.OPERATIONS[operation], target, body, remote_key, traceparent)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._wire.aclose()

    async def _send(
        self,
        operation: ops.Operation,
        target: str,
        body: bytes,
        remote_key: str | None,
        traceparent: str | None,
    ) -> Answer:
        started = perf_counter()
        outcome = "failed"
        try:
            raw = await self._wire.send(self._outgoing(operation, target, body, remote_key, traceparent))
            answer = read(operation, raw, self._clock())
            outcome = "answered"
        except HubError as error:
            outcome = _OUTCOMES[type(error).__name__]
            raise
        finally:
            self._observe(operation.name, outcome, perf_counter() - started)
        return answer

    def _outgoing(
        self, operation: ops.Operation, target: str, body: bytes, remote_key: str | None, traceparent: str | None
    ) -> Outgoing:
        if operation.sealed != bool(remote_key):
            # D10: a client sends the sixth header exactly on the operations that have it.
            raise ValueError(f"{operation.name}: the receiver's key is given exactly for sealed operations")
        try:
            path = operation.path_for(target, self._screening_prefix)
        except ValueError as error:
            # The hub would say the same; but such an id could not be sent without changing the path.
            code = "INVALID_MSG_FIELD_VALUE" if operation.of_search else "INVALID_TARGET_VASP_ID"
            raise error_of(operation.name, 422, code) from error
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if body:
            headers["content-type"] = "application/json"
        if remote_key:
            headers["X-Code-Req-Remote-PubKey"] = remote_key
        if traceparent and TRACEPARENT.fullmatch(traceparent):
            headers["traceparent"] = traceparent
        return Outgoing(operation, path, body, headers)


def _document(model: type[Document], operation: ops.Operation, answer: Answer) -> Document:
    try:
        return model.from_wire(answer.body)
    except ValidationError as error:
        raise BadAnswer(operation.name, answer.status, f"{operation.field} cannot be read") from error
