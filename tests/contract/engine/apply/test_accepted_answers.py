"""Answers that belong to another request, or to nobody: never an allow, always a finish, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import orjson
import pytest

from tests.support.hub import NORTH
from tests.support.installation import NAMES, EngineInstallation, robot
from tests.support.sandbox import ROBOT
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.engine.input_outcome import InputOutcome
from travelrule.engine.vault import Vault
from travelrule.machine.input import Input, Rejected
from travelrule.machine.internal_inputs import CallResult
from travelrule.store import tables
from travelrule.store.database import Database

AUTHORIZATION = "/v1/code/transfer/south"
Body = dict[str, Any]


@pytest.fixture
async def north(database: Database, vault: Vault) -> AsyncIterator[EngineInstallation]:
    made = EngineInstallation(database, vault, [robot(), robot("west", b"w")])
    async with aclosing(made.hub), made.control:
        await made.listing()
        yield made


def as_south(payload: Body, nonce: bytes = b"n" * 24) -> str:
    """What south seals for us."""
    return seal(ROBOT, NORTH.public_base64, orjson.dumps({"ivms101": payload}), nonce)


def opened(payload: str) -> Body:
    inner: Body = orjson.loads(open_sealed(ROBOT, NORTH.public_base64, payload))["ivms101"]
    return inner


async def let_it_end(north: EngineInstallation) -> None:
    """Long enough for every repeat and for the finish."""
    for _ in range(8):
        await north.forward(10)


async def given_up(north: EngineInstallation, name: str = "w-1") -> None:
    """The withdrawal is on hold, an alert was raised, and the counterparty waits for nothing."""
    verdicts = [said for said in await north.said("verdicts") if said["subject"] == f"withdrawal:{name}"]
    assert [(said["verdict"], said["reasons"], said["needs"]) for said in verdicts] == [
        ("hold", ["ANSWER_NOT_BOUND"], ["operator-decision"])
    ]
    (alert,) = [said for said in await north.said("alerts") if said["subject"] == f"withdrawal:{name}"]
    assert (alert["code"], alert["severity"], alert["counterparty"]) == ("ANSWER_NOT_BOUND", "critical", "south")


async def test_our_own_request_as_the_answer_allows_nothing(north: EngineInstallation) -> None:
    def echoed(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION:
            return answer
        return {**answer, "result": "verified", "reasonType": "", "payload": request["payload"]}

    north.wire.changed = echoed
    await north.withdraw()
    await north.calls_all()
    await let_it_end(north)
    await given_up(north)
    sent = north.seen("transfer-authorization")
    assert len(sent) == 3, "asked twice more, under the same id"
    assert len({entry["ids"]["transferId"] for entry in sent}) == 1
    (finish,) = north.seen("finish")
    assert (finish["ids"]["transferId"], finish["status"]) == (sent[0]["ids"]["transferId"], 200)
    assert [said["status"] for said in await north.said("exchanges")] == ["wait", "canceled"]


async def test_one_answer_that_went_astray_is_asked_for_again(north: EngineInstallation) -> None:
    def once(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION or len(north.seen("transfer-authorization")) > 1:
            return answer
        return {**answer, "payload": request["payload"]}

    north.wire.changed = once
    await north.withdraw()
    await north.calls_all()
    assert await north.verdicts() == []
    await let_it_end(north)
    assert await north.verdicts() == [("allow", "VERIFIED")]
    assert await north.alerts() == []
    assert north.seen("finish") == []


async def test_answers_crossed_between_two_transfers_allow_neither(north: EngineInstallation) -> None:
    """Each gets what was answered to the other; without a transferId, as lax peers leave it out."""
    answers: dict[str, Body] = {}

    def crossed(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION:
            return answer
        others = [said for name, said in answers.items() if name != request["transferId"]]
        answers[request["transferId"]] = answer
        foreign = others[-1] if others else {**answer, "transferId": "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"}
        return {**foreign, "transferId": None} if others else foreign

    north.wire.changed = crossed
    await north.withdraw("w-1")
    someone = {"customerId": "c-2", "natural": {"lastName": "Holm", "firstName": "Ida", "dateOfBirth": "1991-02-03"}}
    await north.withdraw("w-2", originator=someone)
    await north.calls_all()
    await let_it_end(north)
    await given_up(north, "w-1")
    await given_up(north, "w-2")
    assert len(north.seen("finish")) == 2


async def test_an_answer_that_was_accepted_for_another_transfer_is_not_accepted_again(
    north: EngineInstallation,
) -> None:
    """One customer sends twice to the same account: by its content the first answer would fit the second request."""
    first: list[Body] = []

    def replayed(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION:
            return answer
        first.append(answer)
        return {**first[0], "transferId": None}

    north.wire.changed = replayed
    await north.withdraw("w-1")
    await north.calls_all()
    assert await north.verdicts() == [("allow", "VERIFIED")]
    await north.withdraw("w-2")
    await north.calls_all()
    await let_it_end(north)
    await given_up(north, "w-2")


async def test_a_refusal_that_belongs_to_another_transfer_denies_nothing(north: EngineInstallation) -> None:
    """South holds it as verified: if the refusal were believed, nobody would ever finish it."""

    def refused(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION:
            return answer
        inner = opened(answer["payload"])
        inner["Originator"]["accountNumber"] = ["rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw1:9"]
        return {"result": "denied", "reasonType": "SANCTION_LIST", "payload": as_south(inner)}

    north.wire.changed = refused
    await north.withdraw()
    await north.calls_all()
    await let_it_end(north)
    await given_up(north)
    assert len(north.seen("finish")) == 1


async def test_a_cancelled_withdrawal_is_finished_whatever_is_answered(north: EngineInstallation) -> None:
    from tests.support.events import cancelled

    north.wire.changed = lambda path, request, answer: (
        {**answer, "payload": request["payload"]} if path == AUTHORIZATION else answer
    )
    await north.withdraw()
    await north.calls_all()
    cancel = cancelled().model_copy(update={"withdrawal_id": "w-1"})
    assert (await north.tell(cancel, "withdrawal:w-1")).status == "applied"
    await let_it_end(north)
    assert await north.verdicts() == [("deny", "CANCELLED")]
    assert [entry["status"] for entry in north.seen("finish")] == [200]


async def test_a_report_and_a_finish_are_not_taken_as_accepted_on_the_word_of_another_transfer(
    north: EngineInstallation,
) -> None:
    """Hub and counterparty answer ``normal`` about another transfer: the report stays pending."""
    await north.withdraw()
    await north.calls_all()
    north.wire.changed = lambda path, request, answer: (
        {**answer, "transferId": "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"} if path.endswith("/txid") else answer
    )
    await north.send()
    await north.calls_all()
    assert len(await north.due()) == 1, "it is made again"
    north.wire.changed = None
    await let_it_end(north)
    assert await north.due() == []


async def results_of_both(north: EngineInstallation) -> list[Input]:
    """Two transfers get the same bytes; neither result is decided on yet."""
    same: list[Body] = []

    def replayed(path: str, request: Body, answer: Body) -> Body:
        if path != AUTHORIZATION:
            return answer
        same.append(answer)
        return {**same[0], "transferId": None}

    north.wire.changed = replayed
    for name in ("w-1", "w-2"):
        await north.withdraw(name)
    await north.call()
    both: list[Input] = []
    apply = north.engine.apply

    async def later(items: Sequence[Input | Rejected]) -> list[InputOutcome]:
        both.extend(item for item in items if isinstance(item, Input))
        return [InputOutcome("applied")]

    north.engine.apply = later  # type: ignore[method-assign]
    await north.call()
    north.engine.apply = apply  # type: ignore[method-assign]
    assert len(both) == 2
    assert len({item.data.answer_seal for item in both if isinstance(item.data, CallResult)}) == 1
    return both


async def test_one_answer_decided_on_twice_at_once_is_accepted_once(north: EngineInstallation) -> None:
    """Two workers hold the same bytes for two transfers before either has written: the primary key decides."""
    await asyncio.gather(*(north.engine.apply([item]) for item in await results_of_both(north)))
    assert await north.verdicts() == [("allow", "VERIFIED")]
    (row,) = await north.rows(tables.accepted_answers)
    stored = str(row._mapping)
    assert not [name for name in NAMES if name in stored], "nothing personal stands there"


async def test_a_batch_that_holds_one_answer_twice_accepts_it_once(north: EngineInstallation) -> None:
    await north.engine.apply(await results_of_both(north))
    assert await north.verdicts() == [("allow", "VERIFIED")]
    assert len(await north.rows(tables.accepted_answers)) == 1
