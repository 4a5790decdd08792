"""Owners against the lists in force: screened after registration and each change, alerted once, also after a crash."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update

from tests.contract.engine.lists import owner_screening_process
from tests.contract.engine.lists.owner_screening_process import Desk, person
from tests.contract.engine.policy.test_active_and_gauges import value
from tests.services.process import ROOT
from travelrule import metrics
from travelrule.engine.audit.recompute import RecordVerifier
from travelrule.engine.lists import owner_screening as module
from travelrule.engine.lists.owner_screening import AGAIN, AT_ONCE, mark
from travelrule.engine.vault import Vault
from travelrule.policy.policy import Policy
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository

IVAN, MARTA, ERIK = "Ivan Przyklad", "Marta Beispiel", "Erik Lind"
LISTED = "OWNER_LISTED"


@pytest.fixture
def desk(database: Database, vault: Vault) -> Desk:
    return Desk(database, vault)


async def test_an_owner_is_not_known_until_screened_and_then_as_the_lists_say(desk: Desk) -> None:
    await desk.put(IVAN)
    await desk.register("w-1", IVAN)
    await desk.register("w-2", ERIK)
    assert await desk.sanctioned("w-1", "w-2") == [None, None]
    assert await desk.settle() == 2
    assert await desk.sanctioned("w-1", "w-2") == [True, False]
    assert await desk.alerts() == [(LISTED, "c-w-1")]
    assert await desk.settle() == 0, "nothing is screened again while nothing changes"


async def test_representatives_of_a_company_are_screened_with_it(desk: Desk) -> None:
    await desk.put(IVAN)
    erik, ivan = person(ERIK)["natural"], person(IVAN)["natural"]
    await desk.register("w-1", {"legal": {"name": "North Trade Ltd", "representatives": [erik]}})
    await desk.register("w-2", {"legal": {"name": "North Trade Ltd", "representatives": [erik, ivan]}})
    await desk.settle()
    assert await desk.sanctioned("w-1", "w-2") == [False, True]


async def test_a_list_change_screens_everybody_and_only_what_is_new_is_an_alert(desk: Desk) -> None:
    await desk.put(IVAN)
    for wallet, owner in (("w-1", IVAN), ("w-2", MARTA), ("w-3", ERIK)):
        await desk.register(wallet, owner)
    await desk.settle()
    await desk.put(IVAN, MARTA)
    assert await desk.sanctioned("w-1", "w-2", "w-3") == [True, False, False], "the old answer until there is a new one"
    assert await desk.settle() == 3
    assert await desk.sanctioned("w-1", "w-2", "w-3") == [True, True, False]
    assert await desk.alerts() == [(LISTED, "c-w-1"), (LISTED, "c-w-2")]
    await desk.put(MARTA)
    await desk.settle()
    assert await desk.sanctioned("w-1", "w-2") == [False, True], "a hit that is gone is forgotten"
    await desk.put(IVAN, MARTA)
    await desk.settle()
    assert await desk.alerts() == [(LISTED, "c-w-1")] * 2 + [(LISTED, "c-w-2")], "he is listed anew"


async def test_a_customer_with_many_wallets_is_one_alert_per_entry(desk: Desk) -> None:
    await desk.put(IVAN)
    for number in range(3):
        await desk.register(f"w-{number}", IVAN, "c-1")
    await desk.register("other", IVAN, "c-2")
    await desk.settle()
    assert await desk.sanctioned("w-0", "w-1", "w-2", "other") == [True] * 4
    assert await desk.alerts() == [(LISTED, "c-1"), (LISTED, "c-2")]
    await desk.put(IVAN, code="eu")
    await desk.settle()
    assert await desk.alerts() == [(LISTED, "c-1")] * 2 + [(LISTED, "c-2")] * 2, "another list's entry is another one"
    for number in range(3):
        await desk.remove(f"w-{number}")
    await desk.settle()
    await desk.register("w-9", IVAN, "c-1")
    await desk.settle()
    assert await desk.alerts() == [(LISTED, "c-1")] * 4 + [(LISTED, "c-2")] * 2, "no wallet had them any more"


async def test_another_threshold_is_another_screening(desk: Desk) -> None:
    await desk.put("Ivan Przyklad Nowak")
    await desk.register("w-1", "Ivan Przyklad")
    await desk.settle()
    (before,) = await desk.sanctioned("w-1")
    desk.policy = Policy.from_toml('sanctions = "required"\n[screening]\nname_threshold = "0.99"')
    assert await desk.settle() == 1
    assert (before, await desk.sanctioned("w-1")) == (True, [False])


async def test_without_lists_or_with_screening_off_nobody_is_screened(desk: Desk, vault: Vault) -> None:
    await desk.register("w-1", IVAN)
    assert await desk.settle() == 0
    await desk.put(IVAN)
    desk.policy = Policy.from_toml('sanctions = "off"')
    assert await desk.settle() == 0
    assert await desk.sanctioned("w-1") == [None]


async def test_lists_that_cannot_tell_leave_the_owner_unknown_but_a_hit_is_a_hit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.put(IVAN)
    await desk.register("w-1", IVAN)
    await desk.register("w-2", ERIK)
    screen = desk.active.screen

    async def unsure(*arguments: Any, **more: Any) -> Any:
        found = await screen(*arguments, **more)
        return type(found)(False, found.hits, found.versions)

    monkeypatch.setattr(desk.active, "screen", unsure)
    assert await desk.settle() == 1
    assert await desk.sanctioned("w-1", "w-2") == [True, None]


async def test_an_owner_whom_no_list_can_be_asked_for_stays_unknown_and_keeps_nobody_waiting(desk: Desk) -> None:
    await desk.put(IVAN)
    for number in range(AT_ONCE):
        await desk.register(f"w-{number:02}", {"natural": {"lastName": "\u202e"}})
    await desk.register("w-99", IVAN)
    assert await desk.settle() == 0
    assert await desk.settle() == 1, "those that cannot be screened are left out for a while"
    assert await desk.sanctioned("w-00", "w-99") == [None, True]


async def test_an_owner_that_changes_while_he_is_screened_is_screened_again(desk: Desk) -> None:
    await desk.put(IVAN)
    await desk.register("w-1", ERIK)
    submit = desk.screening._submit

    async def late(item: Any) -> Any:
        desk.screening._submit = submit
        await desk.register("w-1", IVAN)
        return await submit(item)

    desk.screening._submit = late
    await desk.screening.round()
    assert await desk.sanctioned("w-1") == [None]
    await desk.settle()
    assert await desk.sanctioned("w-1") == [True]


async def test_a_wallet_that_cannot_be_read_does_not_keep_the_others_waiting(desk: Desk) -> None:
    await desk.put(IVAN)
    for number in range(AT_ONCE + 1):
        await desk.register(f"a-{number:02}", ERIK)
    await desk.register("z", IVAN)
    async with desk.database.begin() as connection:
        spoilt = update(tables.wallets).where(tables.wallets.c.wallet_id.like("a-%"))
        await connection.execute(spoilt.values(sealed=b"spoilt"))
    assert (await desk.screening.round(), await desk.screening.round()) == (0, 1)
    assert await screened(desk) == ["z"]
    desk.now += AGAIN
    await desk.screening.round()
    assert value(metrics.OWNERS_UNSCREENED) == AT_ONCE + 1, "tried again, and still there"


async def screened(desk: Desk) -> list[str]:
    table = tables.wallets
    async with desk.database.read() as connection:
        query = select(table.c.wallet_id).where(table.c.screened_lists != "")
        return list((await connection.execute(query)).scalars())


async def test_erased_wallets_are_left_out(desk: Desk) -> None:
    await desk.put(IVAN)
    await desk.register("w-1", IVAN)
    async with desk.database.begin() as connection:
        await connection.execute(delete(tables.data_keys))
    assert await desk.settle() == 0
    assert value(metrics.OWNERS_UNSCREENED) == 0


async def test_the_gauge_counts_what_is_left_and_only_where_it_is_done(desk: Desk, vault: Vault) -> None:
    await desk.put(IVAN)
    for number in range(AT_ONCE + 3):
        await desk.register(f"w-{number}", ERIK)
    assert await desk.screening.round() == AT_ONCE
    assert value(metrics.OWNERS_UNSCREENED) == AT_ONCE + 3
    desk.now += module.COUNT_EVERY
    assert await desk.screening.round() == 3
    assert value(metrics.OWNERS_UNSCREENED) == 3
    desk.policy = Policy.from_toml('sanctions = "off"')
    await desk.screening.round()
    assert value(metrics.OWNERS_UNSCREENED) == 0


async def test_nothing_about_the_owner_stands_in_clear(desk: Desk, vault: Vault) -> None:
    await desk.put(IVAN)
    await desk.register("w-1", IVAN, "planted-customer")
    await desk.settle()
    async with desk.database.read() as connection:
        for table in (tables.wallets, tables.subjects, tables.inputs, tables.audit, tables.outbox, tables.tells):
            for row in (await connection.execute(select(table))).all():
                assert not any(word in repr(tuple(row)) for word in ("Przyklad", "Ivan", "planted-customer"))


async def test_decisions_about_owners_can_be_made_again_from_what_is_stored(desk: Desk, vault: Vault) -> None:
    policies, own = PolicyRepository(desk.database, "north"), desk.policy.own
    await policies.activate(desk.policy.version, 'sanctions = "required"', desk.now)
    await policies.keep_profile(own.version, own.content, desk.now)
    await desk.put(IVAN)
    await desk.register("w-1", IVAN)
    await desk.settle()
    await desk.put(MARTA)
    await desk.settle()
    recomputing = RecordVerifier(vault, desk.engine._machines, policies, own)
    async with desk.database.read() as connection:
        subjects = (await connection.execute(select(tables.subjects))).all()
        keys = {row.subject: bytes(row.wrapped) for row in (await connection.execute(select(tables.data_keys))).all()}
        records = (await connection.execute(select(tables.audit).order_by(tables.audit.c.record))).all()
        inputs = (await connection.execute(select(tables.inputs))).all()
    agreed = {}
    for row in subjects:
        mine = [one for one in records if one.subject == row.subject]
        proof = await recomputing.check(
            row, keys[row.subject], mine, [one for one in inputs if one.subject == row.subject]
        )
        agreed[row.subject.partition(":")[0]] = (proof.recomputed, proof.fault)
    assert agreed == {"wallet": (4, ""), "owner": (2, "")}


async def test_two_processes_that_screen_the_same_wallet_make_one_effect(desk: Desk, vault: Vault) -> None:
    """The lease is no lock: a process that was held up goes on when another has it."""
    other = Desk(desk.database, vault, "p2")
    await desk.put(IVAN)
    await other.active.start()
    for number in range(5):
        await desk.register(f"w-{number}", IVAN, "c-1")
    await asyncio.gather(desk.screening.round(), other.screening.round())
    await desk.settle()
    assert await desk.alerts() == [(LISTED, "c-1")]
    async with desk.database.read() as connection:
        revisions = (await connection.execute(select(tables.wallets.c.revision))).scalars().all()
    assert set(revisions) == {1}


async def test_a_process_with_other_lists_is_refused_for_that_revision_and_comes_back(desk: Desk, vault: Vault) -> None:
    other = Desk(desk.database, vault, "p2")
    await desk.put(ERIK)
    await other.active.start()
    await desk.register("w-1", IVAN)
    await desk.put(ERIK, IVAN)
    # Both have read the same revision before either tells what it found.
    both_read = asyncio.Barrier(2)
    for one in (desk, other):
        one.screening._submit = AfterBarrier(both_read, one.screening._submit)
    await asyncio.gather(desk.screening.round(), other.screening.round())
    desk.screening._submit = desk.screening._submit.submit
    desk.now += AGAIN
    await desk.settle()
    assert await desk.sanctioned("w-1") == [True]
    assert await desk.alerts() == [(LISTED, "c-w-1")]


class AfterBarrier:
    """A submit that waits at a barrier first."""

    def __init__(self, barrier: asyncio.Barrier, submit) -> None:
        self.barrier = barrier
        self.submit = submit

    async def __call__(self, item):
        await self.barrier.wait()
        return await self.submit(item)


async def another_process(url: str, name: str, dies: str = "", count: int = 0) -> int | None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(owner_screening_process.__file__)),
        url,
        name,
        dies or "never",
        str(count),
        cwd=ROOT,
    )
    return await process.wait()


@pytest.mark.parametrize("dies", ["before", "after"])
async def test_a_killed_process_is_followed_by_one_that_screens_the_rest(
    desk: Desk, database_url: str, dies: str
) -> None:
    """Killed around a result, around the message to the owner, around the alert: nothing is lost, nothing is double."""
    await desk.put(IVAN)
    for number in range(AT_ONCE + 4):
        await desk.register(f"w-{number:02}", IVAN if number % 6 == 0 else ERIK, f"c-{number // 12}")
    for count in (3, 8, 1):
        assert await another_process(database_url, f"p{count}", dies, count) == -signal.SIGKILL
    finished = asyncio.gather(*(another_process(database_url, f"q{number}") for number in range(2)))
    assert await finished == [0, 0]
    assert await desk.settle() == 0
    assert await desk.alerts() == [(LISTED, "c-0"), (LISTED, "c-1")]
    async with desk.database.read() as connection:
        query = select(tables.wallets.c.sanctioned, tables.wallets.c.revision, func.count()).group_by(
            tables.wallets.c.sanctioned, tables.wallets.c.revision
        )
        found = {(bool(row[0]), row[1]): row[2] for row in (await connection.execute(query)).all()}
    assert found == {(True, 1): 4, (False, 1): AT_ONCE}


async def test_one_process_works_and_another_takes_over_when_its_lease_has_run_out(
    desk: Desk, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    other = Desk(desk.database, vault, "p2")
    await desk.put(IVAN)
    await other.active.start()
    first, second = results_of(desk), results_of(other)
    running = asyncio.create_task(desk.screening.run(lambda _: False))
    await until(desk, "w-1")
    waiting = asyncio.create_task(other.screening.run(lambda _: False))
    await until(desk, "w-2")
    running.cancel()
    other.now = desk.now + 2 * AGAIN
    await until(desk, "w-3")
    waiting.cancel()
    await asyncio.gather(running, waiting, return_exceptions=True)
    assert (first, second) == (["wallet:w-1", "wallet:w-2"], ["wallet:w-3"])


def results_of(desk: Desk) -> list[str]:
    """What this process screens from now on."""
    submit, subjects = desk.screening._submit, list[str]()

    async def seen(item: Any) -> Any:
        subjects.append(item.subject)
        return await submit(item)

    desk.screening._submit = seen
    return subjects


async def until(desk: Desk, wallet: str) -> None:
    await desk.register(wallet, ERIK)
    async with asyncio.timeout(60):
        while await desk.sanctioned(wallet) == [None]:
            await asyncio.sleep(0.01)


async def test_the_loop_outlives_a_database_failure_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0)
    failures: list[BaseException] = [ConnectionResetError(), ZeroDivisionError()]

    async def fails(*_: Any) -> bool:
        raise failures.pop(0)

    monkeypatch.setattr(desk.leases, "take", fails)
    with pytest.raises(ZeroDivisionError):
        await desk.screening.run(lambda error: isinstance(error, OSError))
    assert failures == []


async def test_others_are_served_between_two_wallets(desk: Desk) -> None:
    await desk.put(IVAN)
    for number in range(AT_ONCE):
        await desk.register(f"w-{number}", ERIK)
    turns = 0
    screened: list[int] = []
    person_of = desk.owners.person

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def seen(row: Any) -> Any:
        screened.append(turns)
        return person_of(row)

    desk.owners.person = seen  # type: ignore[method-assign]
    busy = asyncio.create_task(others())
    await desk.screening.round()
    busy.cancel()
    assert len(set(screened)) == AT_ONCE, "each wallet had a turn of its own"


def test_a_mark_names_versions_and_threshold_and_nothing_else() -> None:
    from decimal import Decimal

    one = mark({"un": "a", "eu": "b"}, Decimal("0.9"))
    assert one == mark({"eu": "b", "un": "a"}, Decimal("0.90"))
    others = {mark({"un": "a"}, Decimal("0.9")), mark({"un": "b", "eu": "a"}, Decimal("0.9"))}
    assert one not in others | {mark({"un": "a", "eu": "b"}, Decimal("0.91"))}
