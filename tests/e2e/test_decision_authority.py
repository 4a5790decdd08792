"""Who may decide, in a running installation: the policy is changed while two workers run."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.e2e.commands import must, travelrule
from tests.e2e.network import POLICY, RealNetwork
from travelrule.commands.demo.platform import SeenEvent
from travelrule.commands.demo.scenarios import WRONG, DemoStage
from travelrule.crypto.signing import SigningKey

pytestmark = [pytest.mark.services, pytest.mark.asyncio(loop_scope="session")]

JSON = ("--output", "json")
SEED = b"A" * 32
SIGNED = f"""{POLICY}
[decisions]
authority = "signed"
[decisions.keys.alice-1]
actor = "alice"
public_key = "{SigningKey(SEED).public_base64}"
"""
PROBES = 40
ROUNDS = 100


async def letter(stage: DemoStage, key: str, *codes: str) -> str:
    """Wait for a dead letter of this key; return its code."""

    def there(seen: SeenEvent) -> bool:
        return (seen.topic, seen.key) == ("deadletters", key) and code_of(seen) in codes

    return code_of(await stage.north.expect(f"dead letter of {key}", there))


def code_of(seen: SeenEvent) -> str:
    return seen.headers.get("travelrule.error.code", b"").decode()


async def unsigned(stage: DemoStage, key: str, subject: str, decision: str) -> None:
    data = {"subject": subject, "decision": decision, "actor": "alice", "reason": "so it is"}
    await stage.north.send("decisions", "decision.recorded.v1", key, data)


async def in_force(stage: DemoStage, code: str) -> None:
    """Wait until every worker refuses an unsigned decision about nothing with this code. So many keys are on the
    partitions of both.
    """
    for _ in range(ROUNDS):
        keys = [f"nothing-{uuid4()}" for _ in range(PROBES)]
        for key in keys:
            await unsigned(stage, key, key, "deny")
        if {await letter(stage, key, "UNKNOWN_SUBJECT", "DECISION_UNSIGNED") for key in keys} == {code}:
            return
    raise AssertionError("the workers have not taken the policy up")


async def apply_policy(network: RealNetwork, folder: Path, text: str) -> None:
    file = folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    await must(network.north.settings(), "policy", "apply", str(file))


@pytest_asyncio.fixture(loop_scope="session")
async def signed(network: RealNetwork, stage: DemoStage, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    """The settings of alice, while north takes signed decisions only."""
    key = tmp_path / "alice.key"
    key.write_text(base64.b64encode(SEED).decode(), encoding="utf-8")
    await apply_policy(network, tmp_path, SIGNED)
    try:
        await in_force(stage, "DECISION_UNSIGNED")
        yield {**network.north.settings(), "TRAVELRULE_DECISION_KEY_FILE": str(key)}
    finally:
        await apply_policy(network, tmp_path, POLICY)
        await in_force(stage, "UNKNOWN_SUBJECT")


async def test_a_producer_that_signs_nothing_decides_nothing_and_alice_decides(
    network: RealNetwork, stage: DemoStage, signed: dict[str, str]
) -> None:
    one = str(uuid4())
    await stage.request(one, beneficiary=WRONG)
    held = await stage.north.verdict(one, "hold", "DENIED_INPUT_NAME_MISMATCHED")
    await unsigned(stage, one, f"withdrawal:{one}", "deny")
    assert await letter(stage, one, "DECISION_UNSIGNED", "UNPROCESSABLE") == "DECISION_UNSIGNED"
    await stage.north.expect(
        "the alert",
        lambda seen: (seen.topic, seen.key, seen.data.get("code")) == ("alerts", one, "DECISION_REFUSED"),
    )
    assert stage.north.count("verdicts", one) == held.data["sequence"]

    words = ("decide", one, "deny", "--actor", "alice", "--reason", "no answer", "--wait")
    without_key = await travelrule(network.north.settings(), *words, *JSON)
    assert (without_key.code, without_key.output) == (2, "")
    told = (await must(signed, *words, *JSON)).one
    assert (told["outcome"], told["verdict"], told["keyId"]) == ("applied", "deny", "alice-1")
    await stage.north.verdict(one, "deny", "OPERATOR")
    assert (await must(network.north.settings(), "audit", "verify", *JSON)).one["faults"] == []
