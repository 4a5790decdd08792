"""``originatingVasp`` and ``beneficiaryVasp`` outside the payload (D8)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.gateway_scene import GatewayScene, opened, transfer

LEGAL = transfer()["OriginatingVASP"]["originatingVASP"]["legalPerson"]
WHOLE = {"originatingVASP": {"legalPerson": LEGAL}}


@pytest.mark.parametrize("clear", [WHOLE, {"legalPerson": LEGAL}, LEGAL], ids=["whole", "person", "legal person"])
async def test_a_clear_vasp_counts_in_every_form_and_is_answered_as_ivms101_has_it(
    scene: GatewayScene, clear: Any
) -> None:
    inner = transfer()
    del inner["OriginatingVASP"]
    answer = await scene.authorize(inner, originatingVasp=clear)
    assert answer.json()["result"] == "verified"
    assert opened(answer)["OriginatingVASP"] == WHOLE


@pytest.mark.parametrize("clear", [{}, None, ""])
async def test_an_empty_one_overwrites_nothing(scene: GatewayScene, clear: Any) -> None:
    answer = await scene.authorize(originatingVasp=clear)
    assert opened(answer)["OriginatingVASP"] == WHOLE


async def test_a_bare_legal_person_without_a_readable_name_is_refused(scene: GatewayScene) -> None:
    nameless = {**LEGAL, "name": {"nameIdentifier": [{"legalPersonName": "\u202e"}]}}
    body = (await scene.authorize(originatingVasp={"legalPerson": nameless})).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")


@pytest.mark.parametrize("changes", [{}, {"Beneficiary": {"accountNumber": ["nowhere"]}}])
async def test_our_answer_says_who_we_are_in_the_clear_as_in_the_payload(scene: GatewayScene, changes: Any) -> None:
    answer = await scene.authorize(transfer(**changes))
    clear = answer.json()["beneficiaryVasp"]
    assert clear["beneficiaryVASP"]["legalPerson"]["name"]["nameIdentifier"][0]["legalPersonName"] == (
        "South Exchange Ltd."
    )
    assert clear == opened(answer)["BeneficiaryVASP"]


async def test_an_amount_as_java_writes_it_is_stored_plain(scene: GatewayScene) -> None:
    assert (await scene.authorize(amount="1E-5", tradePrice="0E-8")).json()["result"] == "verified"
    stored = scene.intake.states["exchange:north/t-1"].request
    assert (stored.amount, stored.trade_price) == ("0.00001", "0")
    again = await scene.authorize(amount="0.00001", tradePrice="0")
    assert again.json()["result"] == "verified", "the same number in another form is the same content"
