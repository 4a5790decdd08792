"""The engine model keeps the laws of the real engine: the same scripts on it, on SQLite and on PostgreSQL."""

from __future__ import annotations

import base64
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.contract.store.databases import url_of
from tests.simulation.engine_drivers import Driver, InDatabase, InMemory
from tests.simulation.scripted_member import SECONDS, reported, said
from travelrule.crypto.at_rest import KeyEncryptionKeys
from travelrule.crypto.blind_index import BlindIndex
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input
from travelrule.store.database import Database

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
OPERATIONS = ("address-search", "txid-report", "finish")


def vault() -> Vault:
    return Vault("north", KeyEncryptionKeys([base64.b64encode(b"k" * 32).decode()]), BlindIndex(b"i" * 32))


@pytest.fixture(params=["memory", *DATABASES])
async def driver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Driver]:
    if request.param == "memory":
        yield InMemory()
        return
    with _url(request.param, request, tmp_path) as url:
        database = Database(url)
        yield InDatabase(database, vault())
        await database.dispose()


@contextmanager
def _url(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    yield from url_of(kind, request, folder)


class Script:
    """Short words for inputs."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._count = 0

    def item(self, words: str, subject: str = "w-1", name: str = "") -> Input:
        self._count += 1
        return said(words, subject, name or f"e-{self._count:04}", self.driver.now)

    async def say(self, words: str, subject: str = "w-1", name: str = "") -> InputOutcome:
        return (await self.driver.apply([self.item(words, subject, name)]))[0]

    async def report(self, call_id: str, operation: str, outcome: str = "answered") -> InputOutcome:
        return (await self.driver.apply([reported("w-1", call_id, operation, outcome, self.driver.now)]))[0]

    async def operations(self) -> list[str]:
        return sorted(operation for _, _, operation, *_ in await self.driver.calls())


@pytest.fixture
def script(driver: Driver) -> Script:
    return Script(driver)


async def test_an_input_has_one_effect(script: Script, driver: Driver) -> None:
    item = script.item("new+verdict+call=finish", name="one")
    first = await driver.apply([item, item])
    again = await driver.apply([item])
    assert [one.status for one in (*first, *again)] == ["applied", "duplicate", "duplicate"]
    assert await driver.heard("w-1") == ("new+verdict+call=finish",)
    assert await driver.events() == [("verdicts", "w-1", "withdrawal.verdict.v1", 1)]
    assert len(await driver.calls()) == 1


async def test_an_id_names_one_content_and_one_subject(script: Script, driver: Driver) -> None:
    await script.say("new", name="one")
    assert (await script.say("other", name="one")).code == "CONFLICT"
    assert (await script.say("new", "w-2", name="one")).code == "CONFLICT"
    assert await driver.heard("w-1") == ("new",)
    assert await driver.heard("w-2") == ()
    assert await driver.dead_letters() == ["CONFLICT", "CONFLICT"]


async def test_two_contents_of_one_id_within_a_batch(script: Script, driver: Driver) -> None:
    batch = [script.item("new", name="one"), script.item("verdict", name="one"), script.item("verdict", name="two")]
    assert [(one.status, one.code) for one in await driver.apply(batch)] == [
        ("applied", ""),
        ("rejected", "CONFLICT"),
        ("applied", ""),
    ]
    assert await driver.heard("w-1") == ("new", "verdict")


async def test_what_was_refused_is_not_remembered(script: Script, driver: Driver) -> None:
    await script.say("new")
    refused = await script.say("refuse", name="nine")
    answered = await script.say("refuse+reply", name="ten")
    assert (refused.status, refused.code, refused.reply) == ("rejected", "REFUSED", None)
    assert (answered.status, answered.reply) == ("rejected", {"said": "no"})
    assert (await script.say("verdict", name="nine")).status == "applied"
    assert await driver.heard("w-1") == ("new", "verdict")
    assert await driver.dead_letters() == ["REFUSED"], "what was answered is no dead letter"


async def test_a_decision_that_ignores_an_input_remembers_it(script: Script, driver: Driver) -> None:
    await script.say("new")
    assert (await script.say("again", name="nine")).status == "duplicate"
    assert (await script.say("verdict", name="nine")).code == "CONFLICT"


async def test_inputs_wait_for_their_subject_in_order(script: Script, driver: Driver) -> None:
    await driver.apply([script.item("a+verdict", name="a"), script.item("b", name="b")])
    assert (await script.say("a+verdict", name="a")).status == "parked"
    assert await driver.parked() == ["a", "b"]
    assert await driver.events() == []
    await script.say("new+verdict")
    assert await driver.heard("w-1") == ("new+verdict", "a+verdict", "b")
    assert await driver.parked() == []
    assert (await script.say("b", name="b")).status == "duplicate"


async def test_an_id_that_waits_names_one_content_too(script: Script, driver: Driver) -> None:
    """Whatever is acknowledged is kept: as the input that waits, or as a dead letter."""
    await script.say("a", name="one")
    assert (await script.say("b", name="one")).code == "CONFLICT"
    assert (await script.say("a", "w-2", name="one")).code == "CONFLICT"
    batch = [script.item("c", name="two"), script.item("d", name="two"), script.item("c", name="two")]
    assert [(one.status, one.code) for one in await driver.apply(batch)] == [
        ("parked", ""),
        ("rejected", "CONFLICT"),
        ("parked", ""),
    ]
    assert await driver.parked() == ["one", "two"]
    assert await driver.dead_letters() == ["CONFLICT"] * 3
    await script.say("new")
    assert await driver.heard("w-1") == ("new", "a", "c")


async def test_parked_and_let_in_within_one_batch(script: Script, driver: Driver) -> None:
    await driver.apply([script.item("a"), script.item("new"), script.item("c")])
    assert await driver.heard("w-1") == ("new", "a", "c")


async def test_what_waits_too_long_is_told_once_and_still_let_in(script: Script, driver: Driver) -> None:
    await script.say("a")
    await driver.wait(3700)
    await driver.wait(9000)
    assert [one[0] for one in await driver.events()] == ["alerts"]
    assert await driver.due() == []
    await script.say("new")
    assert await driver.heard("w-1") == ("new", "a")


async def test_a_crash_of_one_harms_nobody_else(script: Script, driver: Driver) -> None:
    await script.say("new")
    batch = [script.item("verdict"), script.item("crash"), script.item("verdict"), script.item("new", "w-2")]
    assert [one.code for one in await driver.apply(batch)] == ["", "UNPROCESSABLE", "", ""]
    assert await driver.heard("w-1") == ("new", "verdict", "verdict")
    assert await driver.dead_letters() == ["UNPROCESSABLE"]


async def test_a_crash_of_what_waited_does_not_keep_out_what_lets_it_in(script: Script, driver: Driver) -> None:
    for words in ("a", "crash", "b"):
        await script.say(words)
    assert (await script.say("new")).status == "applied"
    assert await driver.heard("w-1") == ("new", "a", "b")
    assert await driver.dead_letters() == ["UNPROCESSABLE"]


async def test_sequences_count_per_topic_and_key(script: Script, driver: Driver) -> None:
    await script.say("new+verdict+alert+verdict+exchange=t-1")
    await script.say("exchange=t-2+exchange=t-1")
    assert [(topic, key, number) for topic, key, _, number in await driver.events()] == [
        ("verdicts", "w-1", 1),
        ("alerts", "w-1", 1),
        ("verdicts", "w-1", 2),
        ("exchanges", "t-1", 1),
        ("exchanges", "t-2", 1),
        ("exchanges", "t-1", 2),
    ]


async def test_a_reply_is_given_again(script: Script, driver: Driver) -> None:
    await script.say("new")
    first = await script.say("reply", name="r")
    await script.say("more")
    again = await script.say("reply", name="r")
    assert (first.status, first.reply) == ("applied", {"said": "1"})
    assert (again.status, again.reply) == ("duplicate", {"said": "1"})


async def test_calls_are_taken_back_by_operation_and_in_the_order_of_the_effects(
    script: Script, driver: Driver
) -> None:
    await script.say("new+call=finish+call=txid-report+look")
    assert await script.operations() == ["finish", "look-up", "txid-report"]
    await script.say("drop=finish+call=finish+call=address-search+drop=address-search")
    assert await script.operations() == ["finish", "look-up", "txid-report"]
    await script.say("drop+call=finish")
    assert await script.operations() == ["finish"]
    await script.say("new+call=finish", "w-2")
    await script.say("drop")
    assert [subject for _, subject, *_ in await driver.calls()] == ["withdrawal:w-2"]


async def test_calls_that_end_unsent_stay_until_they_are_reported(script: Script, driver: Driver) -> None:
    await script.say("new+call=finish+call=txid-report")
    await script.say("new+call=finish", "w-2")
    await script.say("end=finish+call=finish+call=address-search+end=address-search")
    marked = [(subject, operation) for _, subject, operation, _, ends in await driver.calls() if ends]
    assert sorted(marked) == [("withdrawal:w-1", "address-search"), ("withdrawal:w-1", "finish")]
    assert await script.operations() == ["address-search", "finish", "finish", "finish", "txid-report"]


async def test_a_result_ends_its_call_and_a_notice_does_not(script: Script, driver: Driver) -> None:
    await script.say("new+call=finish")
    call_id = (await driver.calls())[0][0]
    assert (await script.report(f"{call_id}/deferred/0", "finish", "deferred")).status == "applied"
    assert len(await driver.calls()) == 1
    assert (await script.report(call_id, "finish")).status == "applied"
    assert await driver.calls() == []
    assert (await script.report(call_id, "finish")).status == "duplicate"
    assert (await script.report(call_id, "finish", "failed")).code == "CONFLICT"
    assert await driver.heard("w-1") == ("new+call=finish", "deferred:finish", "answered:finish")


async def test_a_result_that_comes_after_its_call_was_taken_back_is_heard(script: Script, driver: Driver) -> None:
    await script.say("new+call=finish")
    call_id = (await driver.calls())[0][0]
    await script.say("drop")
    await script.report(call_id, "finish")
    assert (await driver.heard("w-1"))[-1] == "answered:finish"


async def test_messages_arrive_once_and_in_the_order_in_which_they_were_spoken(script: Script, driver: Driver) -> None:
    await script.say("new", "w-2")
    await script.say("new+tell=w-2/one+tell=w-2/two")
    await script.say("tell=w-2/three+tell=w-1/self&verdict")
    assert await driver.heard("w-2") == ("new",), "after the commit, not within it"
    await driver.wait(10)
    await driver.wait(10)
    assert await driver.heard("w-2") == ("new", "one", "two", "three")
    assert (await driver.heard("w-1"))[-1] == "self+verdict"


async def test_a_message_waits_for_its_subject_and_a_refused_one_is_in_nobodys_way(
    script: Script, driver: Driver
) -> None:
    await script.say("new", "w-2")
    await script.say("new+tell=w-3/early+tell=w-2/refuse+tell=w-2/fine")
    await driver.wait(10)
    assert await driver.heard("w-2") == ("new", "fine")
    assert await driver.events() == [("alerts", "w-2", "operator.alert.v1", 1)], "its sender waits in vain"
    await script.say("new", "w-3")
    assert await driver.heard("w-3") == ("new", "early")
    assert await driver.dead_letters() == ["REFUSED"]


async def test_a_message_may_lead_to_another(script: Script, driver: Driver) -> None:
    await script.say("new", "w-2")
    await script.say("new+tell=w-2/tell=w-1/back")
    await driver.wait(10)
    assert (await driver.heard("w-1"))[-1] == "back"


async def test_timers_come_due_once_the_earliest_first(script: Script, driver: Driver) -> None:
    await script.say("new+timer=bb+timer=a")
    assert [name for _, name, _ in await driver.due()] == ["a"]
    await driver.wait(SECONDS - 1)
    assert await driver.heard("w-1") == ("new+timer=bb+timer=a",)
    await driver.wait(2)
    assert (await driver.heard("w-1"))[1:] == ("due:a",)
    assert [name for _, name, _ in await driver.due()] == ["bb"]
    await driver.wait(SECONDS)
    await driver.wait(10 * SECONDS)
    assert (await driver.heard("w-1"))[1:] == ("due:a", "due:bb")
    assert await driver.due() == []


async def test_a_timer_set_anew_comes_due_at_its_new_time_only(script: Script, driver: Driver) -> None:
    await script.say("new+timer=a")
    await driver.wait(SECONDS - 5)
    await script.say("timer=a")
    await driver.wait(10)
    assert "due:a" not in await driver.heard("w-1")
    await driver.wait(SECONDS)
    assert (await driver.heard("w-1")).count("due:a") == 1


WORDS = (
    *("new", "new+verdict", "verdict", "verdict+alert", "exchange=t-1", "exchange=t-2+verdict", "again", "refuse"),
    *("call=finish", "call=txid-report+verdict", "drop", "drop=finish", "drop+call=finish", "look+call=finish"),
    *("end=finish", "call=finish+end=finish", "end=txid-report+drop=finish"),
    *("reply", "refuse+reply", "tell=w-2/verdict", "tell=w-1/call=finish", "tell=w-3/new&verdict", "tell=w-4/a"),
    *("tell=w-2/refuse", "tell=w-5/crash"),
    *("timer=a/1000000", "timer=b/2000000+verdict", "timer=a/1500000+call=address-search", "crash", "later=finish"),
)
TELLING_SECONDS, LONG_SECONDS = 20, 1_700_000
"""Messages have arrived; timers came due. Apart, because nothing says which of two that are under way comes first."""


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_is_said_the_stand_in_does_as_the_engine_does(
    kind: str, seed: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Batches of every size, repeated ids, results of calls, messages and timers, drawn from a seed."""
    with _url(kind, request, tmp_path) as url:
        database = Database(url)
        both: tuple[Driver, Driver] = (InMemory(), InDatabase(database, vault()))
        try:
            await _compare(both, random.Random(seed))
        finally:
            await database.dispose()


async def _compare(both: tuple[Driver, Driver], dice: random.Random) -> None:
    for turn in range(60):
        count = dice.choice((1, 1, 3, 12))
        drawn = [(dice.choice(WORDS), f"w-{dice.randint(1, 5)}", f"id-{dice.randint(0, 150):04}") for _ in range(count)]
        calls = await both[0].calls()
        ended = dice.choice(calls) if calls and dice.random() < 0.5 else None
        longer = dice.random() < 0.2
        outcomes = []
        for driver in both:
            items = [said(words, subject, name, driver.now) for words, subject, name in drawn]
            if ended is not None:
                subject = ended[1].partition(":")[2]
                items.append(reported(subject, ended[0], ended[2], "answered", driver.now))
            outcomes.append([(one.status, one.code, one.reply) for one in await driver.apply(items)])
            await driver.wait(TELLING_SECONDS)
            if longer:
                await driver.wait(LONG_SECONDS)
        assert outcomes[0] == outcomes[1], f"turn {turn}: {drawn}"
        assert await both[0].calls() == await both[1].calls(), f"turn {turn}"
    for number in range(1, 6):
        assert await both[0].heard(f"w-{number}") == await both[1].heard(f"w-{number}")
    one, other = await both[0].events(), await both[1].events()
    for key in dict.fromkeys((topic, key) for topic, key, _, _ in one):
        assert [each for each in one if each[:2] == key] == [each for each in other if each[:2] == key]
    assert len(one) == len(other)
    assert await both[0].parked() == await both[1].parked()
    assert await both[0].dead_letters() == await both[1].dead_letters()
    assert [each[:2] for each in await both[0].due()] == [each[:2] for each in await both[1].due()]
