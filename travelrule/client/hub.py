"""The client of the hub (``hub-api.md`` sections 2 to 7).

``call`` takes the operation as data and the exact bytes of the body: they are signed and sent as they are (``auth.md``
section 3). Three methods read the directory's documents. Each request is sent once; the caller decides on repeats with
``machine.retry_policy``. Errors: ``client.errors``.
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
from schemas.operations import Operation
from schemas.wire_model import Wire
from travelrule.client.answer_status import Answer, read
from travelrule.client.codes import error_of
from travelrule.client.errors import BadAnswer, HubError, HubRefused, HubUnavailable, NoAnswer, QuotaRefused
from travelrule.client.hub_transport import HubTransport, Outgoing, TransportLimits
from travelrule.client.operations import OPERATIONS, ClientOperation, ScreeningPrefix
from travelrule.client.signer import Signer
from travelrule.client.transports import AiohttpHubTransport, HttpxHubTransport
from travelrule.logs import TRACEPARENT

Document = TypeVar("Document", bound=Wire)
Observe = Callable[[str, str, float], None]
"""Receives each request as (operation, outcome, seconds).

Outcome: ``answered``, or a value of ``OUTCOMES``; ``failed`` if the caller cancelled the request or the fault is ours.
"""

OUTCOMES: dict[type[HubError], str] = {
    HubRefused: "refused",
    QuotaRefused: "refused",
    HubUnavailable: "unavailable",
    BadAnswer: "bad-answer",
    NoAnswer: "no-answer",
}
"""The metric label of each error."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _observe_nothing(_operation: str, _outcome: str, _seconds: float) -> None:
    """The default hook."""


class HubClient:
    """Calls the hub at ``base_url`` as ``origin`` (``<alliance>:<entityId>``).

    ``transport``: None is httpx over aiohttp; an ``httpx.AsyncBaseTransport`` replaces the network (tests, embedded
    networks); ``"aiohttp"`` is aiohttp without httpx. ``observe`` is called once per request, failed ones included.
    ``screening_prefix`` is the hub's name for screening and KYT in paths (D1).
    """

    def __init__(
        self,
        base_url: str,
        origin: str,
        signer: Signer,
        transport: httpx.AsyncBaseTransport | Literal["aiohttp"] | None = None,
        *,
        limits: TransportLimits | None = None,
        tls: ssl.SSLContext | None = None,
        observe: Observe = _observe_nothing,
        clock: Callable[[], datetime] = _utc_now,
        screening_prefix: ScreeningPrefix = "partner",
    ) -> None:
        self._screening_prefix = screening_prefix
        self._transport: HubTransport
        if transport == "aiohttp":
            self._transport = AiohttpHubTransport(base_url, origin, signer, limits=limits, tls=tls)
        else:
            assert not isinstance(transport, str)  # noqa: S101 -- narrows the type; "aiohttp" is the only string
            self._transport = HttpxHubTransport(base_url, origin, signer, transport=transport, limits=limits, tls=tls)
        self._observe = observe
        self._clock = clock

    async def vasp_list(self) -> VaspList:
        """4.A.1: the directory, without the entries that cannot be read."""
        return await self._document(VaspList, Operation.VASP_LIST)

    async def public_keys(self, entity_id: str) -> PublicKeys:
        """4.A.2: the current keys of one VASP, uncached."""
        return await self._document(PublicKeys, Operation.PUBLIC_KEY, entity_id)

    async def coin_networks(self) -> CoinNetworks:
        """4.A.3: the network names per coin."""
        return await self._document(CoinNetworks, Operation.COIN_NETWORKS)

    async def call(
        self,
        operation: str,
        target: str,
        body: bytes,
        remote_key: str | None = None,
        *,
        traceparent: str | None = None,
    ) -> Answer:
        """Send one request of an operation (``schemas.operations``) and return the answer.

        ``target`` is the id in the path: an entity id, or the ``requestId`` where the operation is ``of_search``.
        ``remote_key``: the public key that ``payload`` is sealed to.
        """
        return await self._send(OPERATIONS[operation], target, body, remote_key, traceparent)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def _document(self, model: type[Document], operation: Operation, target: str = "") -> Document:
        row = OPERATIONS[operation]
        answer = await self._send(row, target, b"", None, None)
        try:
            return model.from_wire(answer.body)
        except ValidationError as error:
            raise BadAnswer(operation, answer.status, f"{row.field} cannot be read") from error

    async def _send(
        self, operation: ClientOperation, target: str, body: bytes, remote_key: str | None, traceparent: str | None
    ) -> Answer:
        started = perf_counter()
        outcome = "failed"
        try:
            raw = await self._transport.send(self._outgoing(operation, target, body, remote_key, traceparent))
            answer = read(operation, raw, self._clock())
            outcome = "answered"
        except HubError as error:
            outcome = OUTCOMES[type(error)]
            raise
        finally:
            self._observe(operation.name, outcome, perf_counter() - started)
        return answer

    def _outgoing(
        self, operation: ClientOperation, target: str, body: bytes, remote_key: str | None, traceparent: str | None
    ) -> Outgoing:
        if operation.sealed != bool(remote_key):
            # D10: a client sends the sixth header exactly on the operations that have it.
            raise ValueError(f"{operation.name}: the receiver's key is given exactly for sealed operations")
        try:
            path = operation.path_for(target, self._screening_prefix)
        except ValueError as error:
            # The hub refuses it with the same code; sending such an id would change the path.
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
