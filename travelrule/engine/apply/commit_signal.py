"""The signal of a commit: which of this process's jobs have new rows to work on."""

from __future__ import annotations

import asyncio


class CommitSignal:
    """Wakes the jobs that read tables which this process, or by NOTIFY another one, has committed to."""

    def __init__(self) -> None:
        self.outbox = asyncio.Event()
        self.calls = asyncio.Event()
        self.tells = asyncio.Event()
        self.wallets = asyncio.Event()

    def announce(self, names: str) -> None:
        """Wake the jobs of the named tables (comma-separated)."""
        for name in ("outbox", "calls", "tells", "wallets"):
            if name in names:
                event: asyncio.Event = getattr(self, name)
                event.set()
