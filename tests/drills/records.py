"""Faults of what is stored: sanctions lists, audit records, leases."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.drills.network import Ground
from tests.house.source import ROOT
from travelrule.commands.demo.lists import NORTH_LIST
from travelrule.commands.demo.scenarios import ANNA, WRONG

EXCERPT = ROOT / "tests" / "data" / "sanctions" / "un_consolidated.xml"
DATED = re.compile(r'dateGenerated="[^"]+"')
IMPORT = "travelrule lists import FORMAT PATH --code CODE"


def _excerpt(ground: Ground, at: datetime | None) -> Path:
    """The excerpt of a published list as it is, months old, or as if published at a time."""
    text = EXCERPT.read_text(encoding="utf-8")
    if at is not None:
        text = DATED.sub(f'dateGenerated="{at:%Y-%m-%dT%H:%M:%S.000Z}"', text, count=1)
    path = ground.network.folder / "un" / "consolidated.xml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@asynccontextmanager
async def list_old(ground: Ground) -> AsyncIterator[None]:
    """A list of some months ago is imported; then one of today."""
    old = _excerpt(ground, None)
    assert (await ground.command("lists", "import", "un-xml", str(old), "--code", "un")).code == 0
    yield
    new = _excerpt(ground, datetime.now(UTC))
    await ground.follow("TravelRuleListStale", IMPORT, FORMAT="un-xml", PATH=str(new), CODE="un")


@asynccontextmanager
async def list_incomplete(ground: Ground) -> AsyncIterator[None]:
    """A list is in force whose content is not in the database, as after an incomplete restore."""
    kept = "version, format, entries, names, addresses, size, chunks, report, published_at, imported_at, active"
    await ground.sql(
        f"INSERT INTO lists (vasp, code, {kept}) SELECT vasp, 'restored', {kept} FROM lists"
        " WHERE vasp = 'north' AND code = 'own' AND active"
    )
    await ground.platform.expect("LIST_UNREADABLE", lambda seen: seen.data.get("code") == "LIST_UNREADABLE")
    wallet = {
        "walletId": "wallet-anna",
        "address": "rNORTHkfTD9w2To4CQk6UCfuHM9c6GDY",
        "tag": "1",
        "currencies": ["XRP"],
    }
    owner = {"networks": ["XRP"], "customerId": "c-1", "kyc": True, "owner": ANNA}
    await ground.platform.send("wallets", "wallet.registered.v1", "wallet-anna", wallet | owner)
    withdrawal_id = await ground.request()
    yield
    again = ground.network.folder / "restored.csv"
    again.write_text(f"{NORTH_LIST}Somebody Invented,n-3,person,,,,,invented,\n", encoding="utf-8")
    await ground.follow("TravelRuleScreeningUnchecked", IMPORT, FORMAT="own-csv", PATH=str(again), CODE="restored")
    line = "travelrule decide withdrawal:ID deny --actor WHO --reason TEXT"
    await ground.follow("TravelRuleScreeningUnchecked", line, ID=withdrawal_id, WHO="alice", TEXT="rehearsal")
    await ground.platform.verdict(withdrawal_id, "deny", "OPERATOR")


@asynccontextmanager
async def audit_changed(ground: Ground) -> AsyncIterator[None]:
    """An audit record is changed past the program; later the row is restored."""
    withdrawal_id = await ground.request()
    await ground.platform.verdict(withdrawal_id, "allow", "VERIFIED")
    subject = f"withdrawal:{withdrawal_id}"
    where = "WHERE vasp = 'north' AND subject = $1 AND record = 1"
    (row,) = await ground.sql(f"SELECT body FROM audit {where}", subject)
    await ground.sql(f"UPDATE audit SET body = body || '\\x20' {where}", subject)
    yield
    await ground.sql(f"UPDATE audit SET body = $2 {where}", subject, row["body"])


@asynccontextmanager
async def audit_locked(ground: Ground) -> AsyncIterator[None]:
    """A session of somebody else locks the signed log: events are decided, the check does not end."""
    async with ground.locked("audit_log"):
        yield


@asynccontextmanager
async def timers_held(ground: Ground) -> AsyncIterator[None]:
    """The lease of the timers belongs to a process that is gone, and whose clock was a day ahead. The timer of a
    withdrawal on hold comes due; in the end an operator denies the withdrawal.
    """
    withdrawal_id = await ground.request(beneficiary=WRONG)
    await ground.platform.verdict(withdrawal_id, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    now = datetime.now(UTC)
    lease = "vasp = 'north' AND name IN ('timers', 'tells')"
    await ground.sql(f"UPDATE leases SET owner = 'gone', until = $1 WHERE {lease}", now + timedelta(days=1))
    due = (
        "UPDATE subjects SET due_at = $1 WHERE vasp = 'north' AND subject = $2 AND due_at IS NOT NULL RETURNING due_at"
    )
    assert await ground.sql(due, now, f"withdrawal:{withdrawal_id}")
    yield
    await ground.sql(f"DELETE FROM leases WHERE {lease}")
    line = "travelrule decide withdrawal:ID deny --actor WHO --reason TEXT"
    await ground.follow("TravelRuleHeldLong", line, ID=withdrawal_id, WHO="alice", TEXT="rehearsal")
    await ground.platform.verdict(withdrawal_id, "deny", "OPERATOR")
