"""Another process that applies retention: to its end, or until it stops in the middle of a transaction."""

from __future__ import annotations

import asyncio
import base64
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.registry import MACHINES
from travelrule.engine.retention import job as module
from travelrule.engine.retention.job import RetentionJob
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import expired_rows as store
from travelrule.store.database import Database
from travelrule.store.leases import LeaseRepository


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


async def main(url: str, name: str, now: datetime, stop_at: int) -> None:
    """``name`` is that of the lease too, so that several of these work at once."""
    module.PAGE, module.LEASE = 5, name
    pages = 0
    give_up = store.erase_subjects

    async def watched(*arguments: Any) -> int:
        nonlocal pages
        done = await give_up(*arguments)
        pages += 1
        if pages == stop_at:
            say("in the middle")
            await asyncio.Event().wait()
        return done

    store.erase_subjects = watched
    database = Database(url)
    vault = Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))
    rules = Policy.from_toml("[retention]\nsubjects = 1825\n")
    leases = LeaseRepository(database, "north", name, lambda: now)
    retention = RetentionJob(database, "north", vault, MACHINES, leases, lambda: rules, lambda: now)
    say(str((await retention.round()).subjects))
    await database.dispose()


asyncio.run(main(sys.argv[1], sys.argv[2], datetime.fromisoformat(sys.argv[3]), int(sys.argv[4])))
