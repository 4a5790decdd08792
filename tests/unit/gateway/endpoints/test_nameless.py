"""Names that nobody can read or look up, in every message that brings one: refused, with the field named."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.gateway_scene import BTC, GatewayScene, beneficiary, name, opened, payee, transfer

UNSEEN = ["\u202e", "\u200f", "\ufeff", "\u200b", "\u0301", "\u3164", "-", "\U0001f600"]
PRIMARY = "naturalPerson.name.nameIdentifier[0].primaryIdentifier"


def firm(text: str) -> dict[str, Any]:
    entry = {"legalPersonName": text, "legalPersonNameIdentifierType": "LEGL"}
    return {"legalPerson": {"name": {"nameIdentifier": [entry]}, "countryOfRegistration": "KR"}}


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
@pytest.mark.parametrize("exceeding", ["true", "false"])
async def test_an_authorization_for_nobody_is_denied(scene: GatewayScene, unseen: str, exceeding: str) -> None:
    answer = await scene.authorize(transfer(persons=[name(unseen, "Erik")]), isExceedingThreshold=exceeding)
    body = answer.json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")
    assert f"Beneficiary.beneficiaryPersons[0].{PRIMARY}" in body["reasonMsg"]
    assert unseen not in body["reasonMsg"]


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
@pytest.mark.parametrize(
    ("inner", "path"),
    [
        (lambda text: {"originatorPersons": [name(text, "Anna")]}, f"Originator.originatorPersons[0].{PRIMARY}"),
        (
            lambda text: {"originatorPersons": [firm(text), name("Berg", "Anna")]},
            "Originator.originatorPersons[0].legalPerson.name.nameIdentifier[0].legalPersonName",
        ),
        (
            lambda text: {"originatorPersons": [firm("Birch"), name(text, "Anna")]},
            f"Originator.originatorPersons[1].{PRIMARY}",
        ),
    ],
)
async def test_an_authorization_from_nobody_is_denied(scene: GatewayScene, unseen: str, inner: Any, path: str) -> None:
    originator = {**inner(unseen), "accountNumber": ["c-1"]}
    body = (await scene.authorize(transfer(Originator=originator))).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")
    assert path in body["reasonMsg"]


async def test_an_originating_vasp_without_name_is_denied(scene: GatewayScene) -> None:
    body = (await scene.authorize(transfer(OriginatingVASP={"originatingVASP": firm("\u202e")}))).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")
    assert "OriginatingVASP.originatingVASP.legalPerson.name" in body["reasonMsg"]


async def test_one_entry_without_name_is_refused_beside_a_good_one(scene: GatewayScene) -> None:
    person = name("Lind", "Erik")
    person["naturalPerson"]["name"]["localNameIdentifier"] = [
        {"primaryIdentifier": "\u202e", "secondaryIdentifier": "", "nameIdentifierType": "LEGL"}
    ]
    body = (await scene.authorize(transfer(persons=[person]))).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")
    assert "localNameIdentifier[0].primaryIdentifier" in body["reasonMsg"]


async def test_a_person_in_place_of_an_array_is_looked_at_too(scene: GatewayScene) -> None:
    inner = transfer()
    inner["Beneficiary"]["beneficiaryPersons"] = name("\u202e", "")
    body = (await scene.authorize(inner, isExceedingThreshold="false")).json()
    assert (body["result"], body["reasonType"]) == ("denied", "LACK_OF_INFORMATION")


async def test_a_blank_name_and_a_dash_for_a_first_name_are_no_reason(scene: GatewayScene) -> None:
    local = name("", "")
    local["naturalPerson"]["name"]["localNameIdentifier"] = [
        {"primaryIdentifier": "Lind", "secondaryIdentifier": "Erik", "nameIdentifierType": "LEGL"}
    ]
    assert (await scene.authorize(transfer(persons=[local]))).json()["result"] == "verified"
    originator = {"originatorPersons": [name("Suharto", "-")], "accountNumber": ["c-1"]}
    answer = await scene.authorize(transfer(Originator=originator), transferId="t-2")
    assert answer.json()["result"] == "verified"
    assert opened(answer)["Originator"] == originator


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
async def test_an_address_search_that_names_nobody_is_invalid(scene: GatewayScene, unseen: str) -> None:
    answer = await scene.verify(beneficiary(BTC, persons=[name(unseen, "")]))
    assert (answer["result"], answer["reasonType"]) == ("invalid", "LACK_OF_INFORMATION")
    assert f"Beneficiary.beneficiaryPersons[0].{PRIMARY}" in answer["reasonMsg"]
    assert answer["beneficiaryVaspEntityId"] == ""


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
async def test_a_data_request_for_nobody_gets_no_data(scene: GatewayScene, unseen: str) -> None:
    scene.sent()
    body = (await scene.request_data(payee(persons=[name(unseen, "Erik")]))).json()
    assert (body["result"], body["reasonType"], body["payload"]) == ("error", "LACK_OF_INFORMATION", "")
    assert PRIMARY in body["reasonMsg"]
