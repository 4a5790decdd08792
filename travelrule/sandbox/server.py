"""The server of a sandbox from its world file (`travelrule sandbox`)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from travelrule import logs
from travelrule.hub.runtime.assembly import hub_lifespan
from travelrule.hub.runtime.http_transport import HttpTransport
from travelrule.hub.runtime.server import OnStarted, serve
from travelrule.listener.limits import ListenerLimits
from travelrule.listener.protocol import LimitedProtocol
from travelrule.sandbox.app import create_sandbox
from travelrule.sandbox.faults.faulty_network import ABORT
from travelrule.sandbox.journal import SandboxJournal
from travelrule.sandbox.sandbox_network import Sandbox
from travelrule.sandbox.world.world_file import load_world

LIMITS = ListenerLimits(answer_seconds=3_700.0)
"""A world file may delay an answer by an hour."""

log = logs.get("sandbox")


class CutOffProtocol(LimitedProtocol):
    """The HTTP protocol with an extension that closes the connection without an answer."""

    def on_message_begin(self) -> None:
        """Start a request whose scope can end the connection."""
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: {"now": self.transport.abort}}


async def run_sandbox(
    world_path: Path,
    listen: str,
    data_dir: Path | None = None,
    *,
    on_started: OnStarted | None = None,
    handle_signals: bool = False,
) -> None:
    """Serve the world of a file until cancelled or signalled. ``listen`` is ``host:port``.

    With ``data_dir`` the journal is also appended to ``journal.jsonl`` there. Raises ``ConfigurationError`` for a
    faulty file and ``AddressUnavailable`` for an address that is taken.
    """
    world = await asyncio.to_thread(load_world, world_path)
    http = HttpTransport(inside_callbacks=world.allow_http_callbacks)
    with SandboxJournal(data_dir) as journal:
        sandbox = Sandbox(world, http, journal=journal, callbacks=http)
        app = create_sandbox(sandbox, journal, lifespan=hub_lifespan(sandbox.polling, sandbox.tasks, http))
        log.info("sandbox-starting", members=len(world.members))
        await serve(
            app,
            listen,
            on_started=on_started,
            handle_signals=handle_signals,
            protocol=CutOffProtocol,
            limits=LIMITS,
            name="sandbox",
        )
    log.info("sandbox-stopped")
