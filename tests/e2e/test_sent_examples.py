"""``travelrule send`` against running workers: what follows is shown, and how it ends is the exit code."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from uuid import uuid4

import pytest

from tests.e2e.commands import Ended, travelrule
from tests.e2e.network import RealNetwork

pytestmark = [pytest.mark.services, pytest.mark.operations, pytest.mark.asyncio(loop_scope="session")]

EXAMPLE = Path("schemas/examples/withdrawal.requested.v1/valid-natural-with-tag.json")


async def sent(network: RealNetwork, *words: str) -> Ended:
    return await travelrule(network.north.settings(), "send", *words, "--output", "json")


def seen(ended: Ended, topic: str) -> list[dict[str, object]]:
    return [row["data"] for row in ended.rows if row.get("topic") == topic]


async def test_what_follows_of_examples_and_of_a_refused_event(network: RealNetwork, tmp_path: Path) -> None:
    event = json.loads(EXAMPLE.read_bytes())
    known, event["subject"], event["data"]["amount"] = str(uuid4()), f"w-{uuid4()}", 250.5
    event["data"]["withdrawalId"] = event["subject"]
    (tmp_path / "refused.json").write_text(json.dumps(event))
    requested, screened, refused = await asyncio.gather(
        sent(network, "--example", "withdrawal.requested.v1", "--id", known),
        sent(network, "--example", "screening.requested.v1/transaction"),
        sent(network, str(tmp_path / "refused.json"), "--force"),
    )
    assert requested.code == 0, requested.errors
    assert requested.rows[-1] == {"outcome": "final", "verdict": "allow", "reasons": ["VERIFIED"]}
    assert requested.rows[0]["sent"]["subject"] == f"withdrawal:{known}"
    assert {exchange["withdrawalId"] for exchange in seen(requested, "exchanges")} == {known}
    assert {verdict["subject"] for verdict in seen(requested, "verdicts")} == {f"withdrawal:{known}"}
    assert (screened.code, screened.rows[-1]["verdict"]) == (0, "clean")
    assert (refused.code, refused.rows[-1]["outcome"]) == (1, "refused")
    (letter,) = seen(refused, "deadletters")
    assert (letter["code"], letter["field"]) == ("WRONG_TYPE", "data.amount")
    assert [verdict["reasons"] for verdict in seen(refused, "verdicts")] == [["REJECTED_INPUT"]]

    broadcast, parked = await asyncio.gather(
        sent(network, "--example", "withdrawal.broadcast.v1", "--id", known),
        sent(network, "--example", "withdrawal.mined.v1", "--id", f"unknown-{known}"),
    )
    assert (broadcast.code, broadcast.rows[-1]["outcome"]) == (0, "taken")
    assert (parked.code, parked.rows[-1]["outcome"]) == (0, "taken")
