"""Whether the broker accepts our connection, and has the topics of this version."""

from __future__ import annotations

import asyncio

from streams.admin import compare_topics
from streams.connection import connect
from streams.topics import Topics
from travelrule.bootstrap.broker import check_rights
from travelrule.commands.doctor.check import Check
from travelrule.settings import Settings


async def topics(settings: Settings) -> Check:
    """Compare rights and topics. Raise ``ServiceUnavailable`` if no broker answers, or a worker's right is missing."""
    connection = await asyncio.to_thread(connect, settings)
    await check_rights(settings, connection)
    rows = await compare_topics(connection, Topics(settings.topic_prefix))
    wrong = [row.topic for row in rows if row.action != "unchanged"]
    if wrong:
        detail = f"missing or different: {', '.join(wrong)}"
        return Check("topics", ok=False, detail=detail, fix="travelrule topics apply")
    return Check("broker and topics", ok=True, detail=f"{len(rows)} topics")
