"""HTTP/1.1 on one connection, within limits: uvicorn's protocol class behind a check of every head.

uvicorn with httptools has no limit on heads, waits indefinitely for the rest of a request, and drops the body of a
request with ``Connection: Upgrade``. This class passes a head to the parser only if it is complete and within the
limits. Each phase has a deadline, and bytes after a request are never read as a second request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from travelrule.listener.connection_table import ConnectionTable, PeerConnection, Phase
from travelrule.listener.head import END, HeadBuffer, HeadRefused
from travelrule.listener.refusal import refusal
from travelrule.listener.refused_peers import Reason

CHUNKED_PIECE = 4_096
"""Bytes of a chunked body that are parsed at once; pieces without content count against ``head_bytes``."""
DRAIN_SECONDS = 2.0
"""How long the rest of a body is read and dropped after its answer, so that the peer can read the answer first."""
_REASONS: dict[int, Reason] = {408: "late", 503: "memory"}


class _AnswerTransport:
    """The transport that the application uses: ``close`` waits for the rest of the body."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class LimitedProtocol(HttpToolsProtocol):
    """One connection of ``table``; requests are served one by one, never pipelined."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        table: ConnectionTable,
        entry: PeerConnection,
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._table = table
        self._limits = table.limits
        self._entry = entry
        self._head = HeadBuffer(table.limits)
        self._reserved = 0
        self._begun = False
        self._headed = False
        self._whole = False
        self._idle = False
        self._closing = False
        self._last = False
        self._chunked = False
        self._framing = 0
        self._body = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a head."""
        super().connection_made(transport)
        self._entry.abort = transport.abort
        self._entry.late = self._too_late
        if self._entry.deadline is None:
            self._due_in(self._limits.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the table."""
        self._release_body()
        self._table.remove(self._entry)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Collect a head, or pass a body on; close after the answer if bytes arrive too early."""
        if self._closing:
            return
        match self._entry.phase:
            case Phase.WAITING:
                self._head_received(data)
            case Phase.RECEIVING:
                self._body_received(data)
            case Phase.ANSWERING:
                self._close_after_answer()

    def _head_received(self, data: bytes) -> None:
        if self._idle:
            self._idle = False
            self._due_in(self._limits.head_seconds)
        try:
            request = self._head.add(data)
        except HeadRefused as refused:
            self._refuse(refused.status, refused.reason)
            return
        if request is None:
            return
        self._begun = self._headed = self._whole = False
        head, end, body = request.partition(END)
        self._feed(head + end)
        if not self._headed and not self._closing:
            # The parser skips empty lines; bytes behind them would reach it as a body, without the limits of a head.
            self._refuse(400, "a request must begin with its request line")
            return
        if body and not self._closing:
            self._body_received(body)
        if not self._whole and not self._closing:
            self._table.enter(self._entry, Phase.RECEIVING)
            self._due_in(self._limits.body_seconds)

    def _body_received(self, data: bytes) -> None:
        if not self._chunked:
            self._feed(data)
            return
        # Sizes, extensions and trailers of chunks are no body, and the parser does not limit them.
        for start in range(0, len(data), CHUNKED_PIECE):
            piece = data[start : start + CHUNKED_PIECE]
            before = self._body
            self._feed(piece)
            if self._closing:
                return
            self._framing = self._framing + len(piece) if self._body == before else 0
            if self._framing > self._limits.head_bytes:
                self._refuse(400, "a chunked body has too much beside its content")
                return

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._refuse(405, "CONNECT is not served")
        except httptools.HttpParserError:
            if self._whole:
                # A second request began in the bytes of the first one's end.
                self._close_after_answer()
            else:
                self._refuse(400, "not an HTTP/1.1 request")

    def on_message_begin(self) -> None:
        """Start the one request of this head; a second one is pipelined and never served."""
        if self._begun:
            raise ValueError("pipelined")
        self._begun = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the application. Headers that the parser reports later are trailers, which are dropped."""
        self._chunked = any(name == b"transfer-encoding" for name, _ in self.headers)
        self._framing = 0
        self._headed = True
        super().on_headers_complete()
        self.cycle.transport = _AnswerTransport(self.transport, self._close_after_body)  # type: ignore[assignment]
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """Store a piece of the body if there is room for it."""
        self._body += len(body)
        if self.cycle.response_complete or self._closing:
            return
        if not self._table.reserve_body(len(body)):
            self._refuse(503, "too many bodies are being received, send it again later")
            return
        self._reserved += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Wait for the answer, and for the peer to receive it."""
        self._whole = True
        if self.cycle.response_complete:
            self._next_request()
            return
        self._due_in(self._limits.answer_seconds)
        self._table.enter(self._entry, Phase.ANSWERING)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next head; the rest of a body that was answered early is dropped first."""
        self.server_state.total_requests += 1
        self._release_body()
        if self._whole:
            self._next_request()
        elif not self.transport.is_closing():
            self._due_in(DRAIN_SECONDS)
            self.flow.resume_reading()

    def _next_request(self) -> None:
        if self._last:
            self.transport.close()
        if self.transport.is_closing():
            return
        self._idle = True
        untaken = self.transport.get_write_buffer_size()
        self._due_in(self._limits.answer_seconds if untaken else self._limits.idle_seconds)
        self._table.enter(self._entry, Phase.WAITING)
        self.flow.resume_reading()

    def _close_after_body(self) -> None:
        """Close after the last answer. A peer that still sends its body would lose the answer to a reset."""
        if self._whole or not self.cycle.response_complete:
            self.transport.close()
        else:
            self._last = True

    def _close_after_answer(self) -> None:
        self._closing = True
        self.cycle.keep_alive = False
        if self.cycle.response_complete:
            self.transport.close()

    def _refuse(self, status: int, reason: str) -> None:
        self._closing = True
        self._table.on_refused(_REASONS.get(status, "malformed"), self._entry.source)
        self._release_body()
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering:
            # The application must not write after the refusal.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        # A client would read bytes after the answer as the answer to its next request.
        answered = self._entry.phase is Phase.RECEIVING and not answering
        if not answered and not (answering and self.cycle.response_started):
            self.transport.write(refusal(status, reason))
        self.transport.close()

    def _release_body(self) -> None:
        self._table.release_body(self._reserved)
        self._reserved = 0

    def _due_in(self, seconds: float) -> None:
        self._entry.deadline = self.loop.time() + seconds

    def _too_late(self) -> None:
        answered = self.cycle is not None and self.cycle.response_complete and not self._whole
        if self.transport.is_closing() or answered or self._entry.phase is Phase.ANSWERING:
            self.transport.abort()
        elif self._entry.phase is Phase.WAITING and not len(self._head):
            self._closing = True
            self.transport.close()
        else:
            self._refuse(408, "the request was not complete in time")
        # A peer that does not read keeps the connection open no longer than this.
        self._due_in(DRAIN_SECONDS)
