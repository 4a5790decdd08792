"""Dead letters of messages between subjects: listed, shown, queued again."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.command_line import Cli, withdraw
from tests.unit.commands.test_operator_commands import rows
from travelrule.bootstrap.installation import Installation
from travelrule.engine.messages.message_record import record_of
from travelrule.machine.input import Rejected
from travelrule.store import tables


def refused_message(cli: Cli, code: str = "REFUSED") -> dict[str, Any]:
    """A message of w-1 that w-2 refused; its dead letter as it is listed."""
    cli.within(lambda opened: withdraw(opened, "w-1"))
    cli.within(lambda opened: withdraw(opened, "w-2"))
    message = SimpleNamespace(
        created_at=datetime(2026, 11, 20, tzinfo=UTC),
        id="m-1",
        from_subject="withdrawal:w-1",
        to_subject="withdrawal:w-2",
        type="assessment.dropped",
        traceparent=None,
    )

    async def refuse(opened: Installation) -> None:
        raw = record_of(message, b'{"asker":"withdrawal:w-1"}')
        await opened.engine.apply([Rejected(raw, code, "", "fix", "withdrawal:w-2")])

    cli.within(refuse)
    (listed,) = cli.ask("dead-letters", "list").lines
    return dict(listed)


def test_a_refused_message_between_subjects_is_listed_and_shown(installed: Cli) -> None:
    listed = refused_message(installed)
    assert {name: listed[name] for name in ("kind", "code", "subject", "sender")} == {
        "kind": "message",
        "code": "REFUSED",
        "subject": "withdrawal:w-2",
        "sender": "withdrawal:w-1",
    }
    shown = installed.ask("dead-letters", "show", listed["id"]).json
    assert (shown["type"], shown["message"]) == ("assessment.dropped", "m-1")
    assert shown["value"] == '{"asker":"withdrawal:w-1"}'
    assert "withdrawal:w-2" in installed.run("dead-letters", "list").out


@pytest.mark.parametrize("code", ["REFUSED", "CONFLICT"])
def test_a_refused_message_is_queued_again_without_a_broker(installed: Cli, code: str) -> None:
    listed = refused_message(installed, code)
    answer = installed.ask("dead-letters", "replay", listed["id"])
    assert (answer.code, answer.lines) == (0, [{"id": listed["id"], "replayed": True}])
    assert installed.ask("dead-letters", "replay", listed["id"]).code == 0, "twice is once"
    (queued,) = rows(installed, tables.tells)
    assert (queued.from_subject, queued.to_subject, queued.type) == (
        "withdrawal:w-1",
        "withdrawal:w-2",
        "assessment.dropped",
    )
    assert (queued.id == "m-1") == (code != "CONFLICT"), "an id that names something else is of no use"

    async def content(opened: Installation) -> bytes:
        query = select(tables.data_keys.c.wrapped).where(tables.data_keys.c.subject == "withdrawal:w-1")
        async with opened.database.read() as connection:
            wrapped = (await connection.execute(query)).scalar_one()
        key = opened.vault.unwrap("withdrawal:w-1", bytes(wrapped))
        return opened.vault.open(key, "tell", "withdrawal:w-1", bytes(queued.sealed))

    assert installed.within(content) == b'{"asker":"withdrawal:w-1"}'
    assert installed.ask("dead-letters", "list").json["replayedAt"] is not None


def test_a_message_of_an_erased_sender_is_not_queued(installed: Cli) -> None:
    listed = refused_message(installed)

    async def erase(opened: Installation) -> None:
        async with opened.database.begin() as connection:
            keys = tables.data_keys
            await connection.execute(keys.delete().where(keys.c.subject == "withdrawal:w-1"))

    installed.within(erase)
    answer = installed.ask("dead-letters", "replay", listed["id"])
    assert answer.code == 2
    assert "erased" in answer.err
    assert rows(installed, tables.tells) == []
    assert installed.ask("dead-letters", "list").json["replayedAt"] is None
