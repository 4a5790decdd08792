"""What an operator does about events that the broker refused, and about messages larger than the dead-letter topic."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update

from schemas.registry import DEAD_LETTER_BYTES
from tests.support.command_line import Cli, dead_letter, verified
from travelrule.bootstrap.installation import Installation
from travelrule.engine.apply.dead_letter_copy import TRUNCATED
from travelrule.store import tables
from travelrule.store.outbox_rows import outbox_item

LARGE = b'{"Planted":"' + b"x" * 3_000_000 + b'"}'


def unsent(cli: Cli) -> list[tuple[str, str]]:
    async def read(opened: Installation) -> list[tuple[str, str]]:
        async with opened.database.read() as connection:
            table = tables.outbox
            query = select(table.c.topic, table.c.subject).where(table.c.sent_at.is_(None)).order_by(table.c.id)
            return [(row.topic, row.subject) for row in (await connection.execute(query)).all()]

    found: list[tuple[str, str]] = cli.within(read)
    return found


async def settle(opened: Installation) -> None:
    """All events are sent, but those about exchanges, which the broker refuses."""
    table = tables.outbox
    async with opened.database.begin() as connection:
        await connection.execute(update(table).values(sent_at=opened.clock()))
        await connection.execute(update(table).where(table.c.topic == "exchanges").values(refused="RECORD_REFUSED"))


def test_refused_events_of_all_topics_go_out_again_and_are_no_longer_counted(installed: Cli) -> None:
    installed.within(verified)
    installed.within(settle)
    assert unsent(installed) == []
    answer = installed.ask("verdicts", "republish", "--refused")
    assert answer.code == 0
    assert answer.json["republished"] == len(unsent(installed)) > 0
    assert {topic for topic, _ in unsent(installed)} == {"exchanges"}
    assert installed.ask("verdicts", "republish", "--refused").json == {"republished": 0}


def test_of_one_subject_only_and_since_a_time(installed: Cli) -> None:
    installed.within(verified)
    installed.within(settle)
    assert installed.ask("verdicts", "republish", "--refused", "--since", "2031-01-01").json == {"republished": 0}
    assert installed.ask("verdicts", "republish", "--refused", "--subject", "withdrawal:w-9").code == 2
    words = ("verdicts", "republish", "--refused", "--since", "2020-01-01", "--subject", "withdrawal:w-1")
    assert installed.ask(*words).json["republished"] > 0


def test_without_a_time_only_refused_events_are_meant(installed: Cli) -> None:
    answer = installed.ask("verdicts", "republish")
    assert (answer.code, answer.out) == (2, "")
    assert "--since" in answer.err


def test_the_topic_gets_what_it_takes_and_the_store_keeps_the_whole(installed: Cli) -> None:
    async def refuse(opened: Installation) -> Any:
        await dead_letter(opened, LARGE)
        table = tables.outbox
        async with opened.database.read() as connection:
            (row,) = (await connection.execute(select(table).where(table.c.topic == "deadletters"))).all()
        return outbox_item(row.id, row._mapping)

    item = installed.within(refuse)
    assert DEAD_LETTER_BYTES * 0.9 < len(item.value) < DEAD_LETTER_BYTES
    assert TRUNCATED in dict(item.headers)
    (listed,) = installed.ask("dead-letters", "list").lines
    assert installed.ask("dead-letters", "show", listed["id"]).json["value"] == LARGE.decode()
