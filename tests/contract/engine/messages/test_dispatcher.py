"""Messages between subjects: delivered in order through failures; refused ones are kept, alerted, and sent again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import OperationalError

from tests.support.toy_machine import TOY, dead_letter_headers, told
from travelrule.engine.apply.engine import Engine
from travelrule.engine.input_envelope import unpack_raw
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.intake import MAX_BATCH, Intake
from travelrule.engine.messages.message_dispatcher import MessageDispatcher
from travelrule.engine.messages.message_record import names_of
from travelrule.engine.messages.requeue import requeue
from travelrule.engine.vault import Vault
from travelrule.machine.decision import Decision
from travelrule.machine.input import Input, RawMessage, Rejected
from travelrule.machine.sources import SUBJECTS
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database, is_infrastructure_failure
from travelrule.store.leases import LeaseRepository


def now() -> datetime:
    return datetime.now(UTC)


class Post:
    """One process that delivers messages of the toy machine through a real intake."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self.database = database
        self.vault = vault
        self.engine = Engine("north", database, {"withdrawal": TOY}, vault, Policy.default, dead_letter_headers)
        self.fails_at: set[int] = set()
        self.batches: list[int] = []
        self.intake = Intake(self, database_failed=is_infrastructure_failure, gather_s=0)
        leases = LeaseRepository(database, "north", "p1", now)
        wake = self.engine.committed.tells
        self.teller = MessageDispatcher(database, "north", vault, leases, self.intake.submit_in_order, wake)

    async def apply(self, items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        """The engine, whose database fails at the batches that a test names."""
        self.batches.append(len(items))
        if len(self.batches) in self.fails_at:
            raise OperationalError("the connection is gone", None, ConnectionError())
        return await self.engine.apply(items)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.intake.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def deliver(self) -> None:
        """Deliver until nothing is left."""
        async with self.running():
            while await self.teller.round():
                pass

    async def rows(self, table: Any, *where: Any) -> list[Any]:
        async with self.database.read() as connection:
            return list((await connection.execute(select(table).where(*where))).all())

    async def heard(self, name: str) -> tuple[str, ...]:
        subject = f"withdrawal:{name}"
        async with self.database.begin() as connection:
            subjects = await self.engine.loader.lock(connection, [subject], set())
        return subjects[subject].state.heard if subjects[subject].state is not None else ()

    async def letters(self) -> list[tuple[str, str, str, str]]:
        """Kind, code, receiver and sender of the dead letters."""
        return [(row.kind, row.code, row.subject, row.sender) for row in await self.rows(tables.dead_letters)]

    async def content(self) -> RawMessage:
        """The content of the one dead letter."""
        (row,) = await self.rows(tables.dead_letters)
        name = f"deadletter:{row.id}"
        (key,) = await self.rows(tables.data_keys, tables.data_keys.c.subject == name)
        opened = self.vault.open(self.vault.unwrap(name, bytes(key.wrapped)), "deadletter", name, bytes(row.sealed))
        return unpack_raw(orjson.loads(opened))

    async def alerts(self) -> list[tuple[str, str]]:
        stored = await self.rows(tables.outbox, tables.outbox.c.topic == "alerts")
        data = [orjson.loads(row.value)["data"] for row in stored]
        return [(one["code"], one["subject"]) for one in data]

    async def execute(self, statement: Any) -> None:
        async with self.database.begin() as connection:
            await connection.execute(statement)


@pytest.fixture
def post(database: Database, vault: Vault) -> Post:
    return Post(database, vault)


REFUSED = [("MESSAGE_REFUSED", "withdrawal:w-2")]


async def test_messages_of_one_sender_keep_their_order_when_a_batch_between_them_fails(post: Post) -> None:
    words = [f"n{number}" for number in range(500)]
    await post.engine.apply([told("tell:w-2:n*500")])
    post.fails_at = {2}
    async with post.running():
        with pytest.raises(OperationalError):
            await post.teller.round()
        assert await post.heard("w-2") == tuple(words[:MAX_BATCH])
        while await post.teller.round():
            pass
    assert await post.heard("w-2") == tuple(words)
    assert await post.rows(tables.tells) == []


async def test_the_order_of_each_sender_holds_whichever_batch_fails(post: Post) -> None:
    for sender in range(10):
        await post.engine.apply([told(f"tell:w-x:s{sender}-*60", f"from-{sender}")])
    post.fails_at = {1, 3, 4, 6}
    async with post.running():
        while await post.rows(tables.tells):
            try:
                await post.teller.round()
            except OperationalError:
                continue
    heard = await post.heard("w-x")
    for sender in range(10):
        assert [word for word in heard if word.startswith(f"s{sender}-")] == [f"s{sender}-{n}" for n in range(60)]


@pytest.mark.parametrize(("word", "code"), [("refuse", "REFUSED"), ("crash", "UNPROCESSABLE")])
async def test_a_refused_message_is_kept_with_its_content_and_an_alert_and_blocks_nothing(
    post: Post, word: str, code: str
) -> None:
    await post.engine.apply([told("before", "w-2"), told(f"tell:w-2:one,{word},two")])
    await post.deliver()
    assert await post.heard("w-2") == ("before", "one", "two")
    assert await post.letters() == [("message", code, "withdrawal:w-2", "withdrawal:w-1")]
    assert await post.alerts() == REFUSED
    assert await post.rows(tables.tells) == []
    kept = await post.content()
    assert orjson.loads(kept.value or b"")["txid"] == word
    names = names_of(kept)
    assert (names.sender, names.receiver, names.type) == (
        "withdrawal:w-1",
        "withdrawal:w-2",
        "withdrawal.broadcast.v1",
    )
    assert not await post.rows(tables.outbox, tables.outbox.c.topic == "deadletters"), "it never was on Kafka"


async def test_a_message_whose_id_names_something_else_is_kept(post: Post) -> None:
    await post.engine.apply([told("tell:w-2:one")])
    (row,) = await post.rows(tables.tells)
    await post.engine.apply([replace(told("other", "w-2", row.id), source=SUBJECTS, raw=None)])
    async with post.database.begin() as connection:  # as if the foreign input had not ended the message
        await connection.execute(tables.tells.insert().values(**row._mapping))
    await post.deliver()
    assert await post.letters() == [("message", "CONFLICT", "withdrawal:w-2", "withdrawal:w-1")]
    assert await post.alerts() == REFUSED


async def test_a_message_to_an_erased_subject_is_kept(post: Post) -> None:
    await post.engine.apply([told("before", "w-2"), told("tell:w-2:one")])
    await post.execute(delete(tables.data_keys).where(tables.data_keys.c.subject == "withdrawal:w-2"))
    await post.deliver()
    assert await post.letters() == [("message", "ERASED", "withdrawal:w-2", "withdrawal:w-1")]
    assert await post.alerts() == REFUSED


async def test_of_a_message_whose_sender_was_erased_the_receiver_is_named(post: Post) -> None:
    await post.engine.apply([told("tell:w-2:one"), told("tell:w-2:two", "w-3")])
    await post.execute(delete(tables.data_keys).where(tables.data_keys.c.subject == "withdrawal:w-1"))
    await post.deliver()
    assert await post.heard("w-2") == ("two",)
    assert await post.letters() == [("message", "ERASED", "withdrawal:w-2", "withdrawal:w-1")]
    assert (await post.content()).value is None
    assert await post.alerts() == REFUSED


@pytest.mark.parametrize("change", [{"type": "of.a.later.version"}, {"sealed": b"changed"}])
async def test_a_message_that_cannot_be_read_is_kept_as_it_is_stored(post: Post, change: dict[str, Any]) -> None:
    await post.engine.apply([told("tell:w-2:one,two")])
    first, _ = await post.rows(tables.tells)
    await post.execute(update(tables.tells).where(tables.tells.c.id == first.id).values(**change))
    await post.deliver()
    assert await post.heard("w-2") == ("two",)
    assert await post.letters() == [("message", "UNREADABLE", "withdrawal:w-2", "withdrawal:w-1")]
    kept = await post.content()
    assert kept.value == change.get("sealed", bytes(first.sealed))
    assert not names_of(kept).readable
    assert await post.alerts() == REFUSED


async def test_a_receiver_that_cannot_be_opened_keeps_nobody_else_waiting(post: Post) -> None:
    await post.engine.apply([told("before", "w-2"), told("tell:w-2:one"), told("tell:w-3:two", "w-4")])
    broken = update(tables.subjects).where(tables.subjects.c.subject == "withdrawal:w-2").values(sealed=b"broken")
    await post.execute(broken)
    post.engine.loader.recent.remove("withdrawal:w-2")
    await post.deliver()
    assert await post.heard("w-3") == ("two",)
    assert await post.letters() == [("message", "UNPROCESSABLE", "withdrawal:w-2", "withdrawal:w-1")]


@pytest.mark.parametrize("times", [1, 2])
async def test_a_replayed_message_has_its_effect_once(post: Post, times: int) -> None:
    """It was refused for a fault of this program, which is corrected since."""
    await post.engine.apply([told("before", "w-2"), told("tell:w-2:crash,after")])
    await post.deliver()
    post.engine._machines["withdrawal"] = replace(TOY, decide=patient)
    (letter,) = await post.rows(tables.dead_letters)
    for _ in range(times):
        raw = await post.content()
        assert await requeue(post.database, "north", post.vault, letter.id, letter.code, raw, now())
        await post.deliver()
    assert await post.heard("w-2") == ("before", "after", "crash")
    (letter,) = await post.rows(tables.dead_letters)
    assert letter.replayed_at is not None
    assert await post.alerts() == REFUSED


async def test_a_replayed_message_that_is_refused_again_is_kept_again(post: Post) -> None:
    await post.engine.apply([told("before", "w-2"), told("tell:w-2:refuse")])
    await post.deliver()
    (letter,) = await post.rows(tables.dead_letters)
    assert await requeue(post.database, "north", post.vault, letter.id, letter.code, await post.content(), now())
    await post.deliver()
    again = await post.rows(tables.dead_letters, tables.dead_letters.c.replayed_at.is_(None))
    assert [row.code for row in again] == ["REFUSED"]
    assert await post.alerts() == REFUSED * 2


def patient(state: Any, item: Input, policy: Policy, at: datetime) -> Any:
    """The toy machine, with ``crash`` corrected."""
    heard = state.heard if state is not None else ()
    if getattr(item.data, "txid", "") == "crash":
        return Decision(replace(state, heard=(*heard, "crash")))
    return TOY.decide(state, item, policy, at)


async def test_a_message_that_was_parked_and_is_refused_when_its_receiver_comes_is_kept_too(post: Post) -> None:
    def decide(state: Any, item: Input, policy: Policy, at: datetime) -> Any:
        if state is None and item.source == SUBJECTS:
            return replace(TOY.decide(state, told("mined"), policy, at))
        return TOY.decide(state, item, policy, at)

    post.engine._machines["withdrawal"] = replace(TOY, decide=decide)
    await post.engine.apply([told("tell:w-2:refuse")])
    await post.deliver()
    assert [row.subject for row in await post.rows(tables.parked)] == ["withdrawal:w-2"]
    await post.engine.apply([told("here", "w-2")])
    assert await post.heard("w-2") == ("here",)
    assert await post.letters() == [("message", "REFUSED", "withdrawal:w-2", "withdrawal:w-1")]
    assert await post.alerts() == REFUSED
    assert await post.rows(tables.parked) == []
