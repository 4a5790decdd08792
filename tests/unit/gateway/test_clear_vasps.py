"""``originatingVasp`` and ``beneficiaryVasp`` outside the payload (D8)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import World, opened, transfer

LEGAL = transfer()["OriginatingVASP"]["originatingVASP"]["legalPerson"]
WHOLE = {"originatingVASP": {"legalPerson": LEGAL}}


@pytest.mark.parametrize("clear", [WHOLE, {"legalPerson": LEGAL}, LEGAL], ids=["whole", "person", "legal person"])
async def test_a_clear_vasp_counts_in_every_form_and_is_answered_as_ivms101_has_it(world: World, clear: Any) -> None:
    inner = transfer()
    del inner["OriginatingVASP"]
    answer = await world.authorize(inner, originatingVasp=clear)
    assert answer.json()["result"] == "verified"
    assert opened(answer)["OriginatingVASP"] == WHOLE


@pytest.mark.parametrize("clear", [{}, None, ""])
async def test_an_empty_one_overwrites_nothing(world: World, clear: Any) -> None:
    answer = await world.authorize(originatingVasp=clear)
    assert opened(answer)["OriginatingVASP"] == WHOLE


async def test_a_bare_legal_person_without_a_readable_name_is_refused(world: World) -> None:
    nameless = {**LEGAL, "name": {"nameIdentifier": [{"legalPersonName": "\u202e"}]}}
    body = (await world.authorize(originatingVasp={"legalPerson": nameless})).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")


@pytest.mark.parametrize("changes", [{}, {"Beneficiary": {"accountNumber": ["nowhere"]}}])
async def test_our_answer_says_who_we_are_in_the_clear_as_in_the_payload(world: World, changes: Any) -> None:
    answer = await world.authorize(transfer(**changes))
    clear = answer.json()["beneficiaryVasp"]
    assert clear["beneficiaryVASP"]["legalPerson"]["name"]["nameIdentifier"][0]["legalPersonName"] == (
        "South Exchange Ltd."
    )
    assert clear == opened(answer)["BeneficiaryVASP"]


async def test_an_amount_as_java_writes_it_is_stored_plain(world: World) -> None:
    assert (await world.authorize(amount="1E-5", tradePrice="0E-8")).json()["result"] == "verified"
    stored = world.intake.states["exchange:north/t-1"].request
    assert (stored.amount, stored.trade_price) == ("0.00001", "0")
    again = await world.authorize(amount="0.00001", tradePrice="0")
    assert again.json()["result"] == "verified", "the same number in another form is the same content"
