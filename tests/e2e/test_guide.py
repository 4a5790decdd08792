"""The guide for platforms on a running network: its events are sent and received, and every record fits AsyncAPI."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from jsonschema import Draft7Validator

from schemas.registry import EVENTS, TOPICS
from scripts.asyncapi import DEAD_LETTER, asyncapi_document
from tests.e2e.guide_stories import STORIES, Story, files, play_all
from tests.e2e.network import RealNetwork, until
from tests.e2e.tables import Tables
from travelrule.commands.demo.scenarios import DemoStage

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]


MESSAGES = {
    "north": {spec.type for spec in EVENTS.values() if TOPICS[spec.topic].direction == "out"}
    - {"audit.root.v1", "deposit.verdict.v1", "txid-search.result.v1", "operator.alert.v1"}
    | {DEAD_LETTER},
    "south": {"deposit.verdict.v1", "txid-search.result.v1", "exchange.changed.v1", "operator.alert.v1"},
}
"""What the stories make each VASP send, at least."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stories(network: RealNetwork) -> dict[str, Story]:
    return await play_all(DemoStage(network))


async def test_every_story_of_the_guide_runs_as_it_is_written(stories: dict[str, Story], network: RealNetwork) -> None:
    assert set(stories) == set(STORIES)
    assert sum(len(story.seen) for story in stories.values()) == sum(
        TOPICS[EVENTS[story.event(path)["type"]].topic].direction == "out"
        for story in stories.values()
        for path in files(story.name)
    )
    for story in stories.values():
        verdicts = [seen.data["sequence"] for seen in story.seen.values() if seen.topic == "verdicts"]
        assert all(earlier < later for earlier, later in pairwise(verdicts)), story.name


async def test_a_recorded_withdrawal_and_a_wallet_are_stored(stories: dict[str, Story], network: RealNetwork) -> None:
    tables = network.tables("north")
    wallet, recorded = (stories[name].event(files(name)[0])["subject"] for name in ("wallet", "withdrawal-recorded"))
    await until(lambda: tables.count("withdrawals", f"withdrawal_id = '{recorded}'"), "the withdrawal is recorded")
    await until(lambda: tables.count("wallets", f"wallet_id = '{wallet}'"), "the wallet is registered")
    await stories["wallet"].platform.send_bytes("wallets", wallet, None)
    await until(partial(_none_is_stored, tables, wallet), "a tombstone removes the wallet")
    assert await tables.count("outbox", f"key = '{recorded}' AND topic = 'verdicts'") == 0


async def _none_is_stored(tables: Tables, wallet: str) -> bool:
    return await tables.count("wallets", f"wallet_id = '{wallet}'") == 0


def validators() -> dict[str, dict[str, Draft7Validator]]:
    """The validators of payload and headers of each message."""
    document = asyncapi_document()
    messages: dict[str, dict[str, Any]] = document["components"]["messages"]
    return {
        name: {
            part: Draft7Validator({**message[part], "components": document["components"]})
            for part in ("payload", "headers")
            if part in message
        }
        for name, message in messages.items()
    }


@pytest.mark.parametrize("entity_id", ["north", "south"])
async def test_every_record_fits_the_asyncapi_document(
    entity_id: str, stories: dict[str, Story], network: RealNetwork
) -> None:
    fitting = validators()
    checked = set()
    for record in await network.records(entity_id):
        dead = record.topic == "deadletters"
        name = DEAD_LETTER if dead else record.event["type"]
        headers = {key: value.decode("latin-1") for key, value in record.headers}
        payload = (record.value or b"").decode("latin-1") if dead else record.event
        faults = [*fitting[name]["headers"].iter_errors(headers), *fitting[name]["payload"].iter_errors(payload)]
        assert [error.message for error in faults] == [], f"{name} on {record.topic}"
        checked.add(name)
    assert checked >= MESSAGES[entity_id]
