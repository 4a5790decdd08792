from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import schemas
from schemas.events.verdicts import Sequenced
from schemas.registry import EVENTS, TOMBSTONES, TOPICS, bare_id, model_of, subject_of

EXAMPLES = Path(schemas.__file__).parent / "examples"

CONTRACT: dict[str, tuple[str, list[str]]] = {
    "withdrawals": (
        "in",
        ["withdrawal.requested.v1", "withdrawal.amended.v1", "withdrawal.cancelled.v1", "withdrawal.recorded.v1"],
    ),
    "txids": ("in", ["withdrawal.broadcast.v1", "withdrawal.mined.v1", "withdrawal.settled.v1"]),
    "deposits": (
        "in",
        ["deposit.detected.v1", "deposit.confirmed.v1", "deposit.retracted.v1", "deposit.settled.v1"],
    ),
    "wallets": ("in", ["wallet.registered.v1", "wallet.removed.v1"]),
    "screenings": ("in", ["screening.requested.v1", "ownership.requested.v1"]),
    "decisions": ("in", ["decision.recorded.v1"]),
    "verdicts": (
        "out",
        ["withdrawal.verdict.v1", "deposit.verdict.v1", "screening.verdict.v1", "ownership.verdict.v1"],
    ),
    "callbacks": (
        "out",
        ["txid-search.result.v1", "wallet-search.result.v1", "kyt.result.v1", "ownership.session.v1",
         "ownership.result.v1"],
    ),
    "exchanges": ("out", ["exchange.changed.v1"]),
    "alerts": ("out", ["operator.alert.v1"]),
    "deadletters": ("out", []),
    "audit": ("out", ["audit.root.v1"]),
}  # fmt: skip


def test_topics_and_types_are_those_of_the_contract() -> None:
    assert {name: (topic.direction, list(topic.types)) for name, topic in TOPICS.items()} == CONTRACT
    assert {name for name, topic in TOPICS.items() if topic.compacted} == {"wallets", "exchanges"}
    assert {spec.type for spec in EVENTS.values()} == {kind for _, types in CONTRACT.values() for kind in types}
    assert all((topic.partitions_embedded, topic.partitions_real) == (4, 12) for topic in TOPICS.values())


def example(name: str) -> Any:
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


VALID = sorted(f"{path.parent.name}/{path.name}" for path in EXAMPLES.glob("*.v1/valid-*.json"))


@pytest.mark.parametrize("name", VALID)
def test_the_key_of_every_example_is_the_subject_of_its_envelope(name: str) -> None:
    event = example(name)
    spec = EVENTS[event["type"]]
    data = spec.model.model_validate(event["data"])
    assert spec.key_of(data) == event["subject"]
    if TOPICS[spec.topic].direction == "in":
        assert bare_id(subject_of(event["type"], data)) == event["subject"]
    else:
        assert isinstance(data, Sequenced)
        with pytest.raises(KeyError):
            subject_of(event["type"], data)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("withdrawal.mined.v1/valid-mined.json", "withdrawal:0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"),
        ("deposit.confirmed.v1/valid-confirmed.json", "deposit:dep-2026-000417"),
        ("wallet.registered.v1/valid-natural.json", "wallet:wal-xrp-77001"),
        ("screening.requested.v1/valid-wallet.json", "screening:scr-000093"),
        ("ownership.requested.v1/valid-eth.json", "screening:scr-000093"),
        ("decision.recorded.v1/valid-exchange.json", "exchange:north/0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"),
        ("decision.recorded.v1/valid-deny-bare-id.json", "dep-2026-000417"),
    ],
)
def test_the_qualified_subject_of_an_input(name: str, subject: str) -> None:
    event = example(name)
    data = EVENTS[event["type"]].model.model_validate(event["data"])
    assert subject_of(event["type"], data) == subject


@pytest.mark.parametrize(
    ("subject", "bare"),
    [("withdrawal:w:1", "w:1"), ("exchange:code:south/t", "code:south/t"), ("code:south/t", "code:south/t"),
     ("w-1", "w-1"), ("", ""), (":x", ":x")],
)  # fmt: skip
def test_only_the_kind_is_taken_off(subject: str, bare: str) -> None:
    assert bare_id(subject) == bare


def test_a_tombstone_has_a_model_and_foreign_types_have_none() -> None:
    assert model_of(TOMBSTONES["wallets"].type) is TOMBSTONES["wallets"].model
    assert model_of("withdrawal.requested.v2") is None


def test_only_an_exchange_has_the_key_of_an_exchange() -> None:
    removed = TOMBSTONES["wallets"].model.model_validate({"walletId": "w"})
    with pytest.raises(TypeError):
        EVENTS["exchange.changed.v1"].key_of(removed)
