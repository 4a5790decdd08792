"""Policy versions: the last one activated is in force, every earlier one can still be looked up."""

from __future__ import annotations

from tests.contract.store.rows import NOW, after, read
from travelrule.store import tables
from travelrule.store.database import Database
from travelrule.store.policies import PolicyRepository, StoredPolicy


async def test_none_first_then_the_last_activated(database: Database) -> None:
    policies = PolicyRepository(database, "north")
    assert await policies.active() is None
    assert await policies.activate("v1", "first", NOW)
    assert await policies.activate("v2", "second", after(1))
    assert await policies.active() == StoredPolicy("v2", "second", after(1))
    assert await policies.by_version("v1") == StoredPolicy("v1", "first", NOW)
    assert await policies.by_version("v9") is None


async def test_the_one_in_force_is_not_activated_twice_but_an_old_one_may_come_back(database: Database) -> None:
    policies = PolicyRepository(database, "north")
    for version in ("v1", "v2"):
        await policies.activate(version, version, NOW)
    assert not await policies.activate("v2", "v2", after(1))
    assert await policies.activate("v1", "v1", after(2))
    active = await policies.active()
    assert active is not None
    assert (active.version, active.activated_at) == ("v1", after(2))
    assert len(await read(database, tables.policies)) == 3


async def test_the_first_content_of_a_profile_stays(database: Database) -> None:
    """A second process that starts with the same profile, or a version that somebody forged, overwrites nothing."""
    policies = PolicyRepository(database, "north")
    assert await policies.profile("p1") is None
    for version, content in (("p1", "first"), ("p2", "second"), ("p1", "forged")):
        await policies.keep_profile(version, content, NOW)
    assert (await policies.profile("p1"), await policies.profile("p2")) == ("first", "second")
    assert await PolicyRepository(database, "south").profile("p1") is None


async def test_each_vasp_has_its_own(database: Database) -> None:
    await PolicyRepository(database, "north").activate("v1", "first", NOW)
    assert await PolicyRepository(database, "south").active() is None
    assert await PolicyRepository(database, "south").by_version("v1") is None


async def test_the_same_text_under_another_version_yields_to_what_was_put_in_force_meanwhile(
    database: Database,
) -> None:
    policies = PolicyRepository(database, "north")
    await PolicyRepository(database, "south").activate("s1", "other", NOW)
    await policies.activate("v1", "first", NOW)
    first = await policies.active()
    assert first is not None
    await policies.also_as(first, "v1-read-anew", after(1))
    assert await policies.active() == StoredPolicy("v1-read-anew", "first", after(1))
    await policies.activate("v2", "second", after(2))
    await policies.also_as(first, "v1-read-anew-again", after(3))
    active = await policies.active()
    assert active is not None
    assert active.version == "v2"
