"""What must be sent is there before anything is asked; what is missing is named by the fields of the event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events.verdicts import VerdictBody
from tests.support.call_results import VALID, answered
from tests.support.events import ADDRESS, TAG, UNHOSTED, UNKNOWN, amended, decided, request, requested
from tests.support.exchange_scenes import search_result, verified
from tests.support.scene import Scene
from tests.support.vasps import policy

ANNA = {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"}
UNBORN = {"lastName": "Berg", "firstName": "Anna"}
MOREAU = {"lastName": "Moreau", "firstName": "Claire"}
BIRTH = "originator.natural.dateOfBirth"
RELAXED = '[send_without]\nsouth = ["date-of-birth", "representative"]'


def originator(**person: Any) -> dict[str, Any]:
    return {"customerId": "c-1001", "walletAddress": "rEb8:1001", **person}


def begun(rules: str = "", **changes: Any) -> Scene:
    scene = Scene(rules=policy(rules))
    scene.submit(requested(**changes))
    return scene


def held(scene: Scene) -> list[str]:
    """The fields that the last verdict, a hold for missing information, names."""
    (data,) = scene.verdicts
    VerdictBody.model_validate(data)
    assert (data["verdict"], data["reasons"], data["needs"], data["final"]) == (
        "hold",
        ["INFORMATION_INCOMPLETE"],
        ["information"],
        False,
    )
    assert not scene.calls
    assert not scene.messages
    return data["missing"]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"originator": originator(natural=UNBORN)}, [BIRTH]),
        ({"originator": originator(legal={"name": "Birch"})}, ["originator.legal.representatives"]),
        ({"beneficiary": {"legal": {"name": "Oak"}}}, ["beneficiary.legal.representatives"]),
        (
            {"originator": originator(natural=UNBORN), "beneficiary": {"legal": {"name": "Oak"}}},
            [BIRTH, "beneficiary.legal.representatives"],
        ),
    ],
)
@pytest.mark.parametrize("destination", [{"kind": "vasp", "vaspEntityId": "south"}, {"kind": "unknown"}])
@pytest.mark.parametrize("screened", ["", '[screening]\nwithdrawals = "wallet"'])
def test_what_must_be_sent_is_looked_at_before_anything_is_asked(
    changes: dict[str, Any], missing: list[str], destination: dict[str, Any], screened: str
) -> None:
    scene = begun(screened, destination={**destination, "address": ADDRESS, "tag": TAG}, **changes)
    assert held(scene) == missing


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"originator": originator(natural=ANNA), "beneficiary": {"natural": {"lastName": "Lind"}}},
        {"originator": originator(legal={"name": "Birch", "representatives": [MOREAU]})},
        {"beneficiary": {"legal": {"name": "Oak", "representatives": [MOREAU]}}},
    ],
)
def test_what_is_complete_goes_on(changes: dict[str, Any]) -> None:
    scene = begun(**changes)
    assert [call.operation for call in scene.calls] == ["address-search"]
    scene.submit(VALID)
    assert [call.operation for call in scene.calls] == ["transfer-authorization"]


def test_an_amendment_moves_it_on_and_no_field_stays_named() -> None:
    scene = begun(originator=originator(natural=UNBORN))
    assert held(scene) == [BIRTH]
    scene.submit(amended(beneficiary={"natural": {"lastName": "Lindh", "firstName": "Erik"}}))
    assert held(scene) == [BIRTH], "an amendment that changes something else is answered"
    scene.submit(amended(originator=originator(natural=ANNA)))
    assert [call.operation for call in scene.calls] == ["address-search"]
    scene.submit(VALID)
    scene.submit(verified(scene))
    (verdict,) = scene.verdicts
    assert (verdict["verdict"], "missing" in verdict) == ("allow", False)


def test_another_missing_field_is_said_again() -> None:
    scene = begun(originator=originator(natural=UNBORN), beneficiary={"legal": {"name": "Oak"}})
    held(scene)
    scene.submit(amended(originator=originator(natural=ANNA)))
    assert held(scene) == ["beneficiary.legal.representatives"]


@pytest.mark.parametrize(
    ("rules", "changes", "reason"),
    [
        ("[exemptions]\nbelow_threshold = true", {"isExceedingThreshold": False}, "EXEMPT_BELOW_THRESHOLD"),
        ("", {"destination": {"kind": "vasp", "vaspEntityId": "north", "address": "a"}}, "EXEMPT_OWN_ENTITY"),
        ("", {"destination": UNHOSTED}, "OWNERSHIP_PENDING"),
    ],
)
def test_what_needs_no_exchange_needs_no_date_of_birth(rules: str, changes: dict[str, Any], reason: str) -> None:
    scene = begun(rules, originator=originator(natural=UNBORN), **changes)
    assert scene.verdicts[-1]["reasons"] == [reason]


def test_the_policy_relaxes_it_for_one_counterparty() -> None:
    incomplete = {"originator": originator(natural=UNBORN), "beneficiary": {"legal": {"name": "Oak"}}}
    scene = begun(RELAXED, **incomplete)
    scene.submit(VALID)
    (call,) = scene.calls
    assert "dateAndPlaceOfBirth" not in str(call.payload)
    elsewhere = {"kind": "vasp", "vaspEntityId": "east", "address": ADDRESS}
    assert held(begun(RELAXED, destination=elsewhere, **incomplete)) == [BIRTH, "beneficiary.legal.representatives"]
    assert held(begun('[send_without]\nsouth = ["representative"]', **incomplete)) == [BIRTH]


def test_a_network_that_requires_it_is_never_sent_without() -> None:
    scene = begun(RELAXED, originator=originator(natural=UNBORN))
    scene.submit(VALID.model_copy(update={"counterparty_alliance": "GTR"}))
    assert held(scene) == [BIRTH, "beneficiary.natural.dateOfBirth"]


def test_what_a_network_requires_is_named_in_the_words_of_the_event() -> None:
    scene = begun(network="", destination={"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS})
    scene.submit(VALID.model_copy(update={"counterparty_alliance": "gtr"}))
    assert held(scene) == ["network", "beneficiary.natural.dateOfBirth"]
    scene = begun(originator={**originator(natural=ANNA), "customerId": "c" * 51})
    scene.submit(VALID.model_copy(update={"counterparty_alliance": "sygna"}))
    fields = ["originator.customerId", "originator.natural.nationalIdentification", "originator.natural.address"]
    assert held(scene) == fields


@pytest.mark.parametrize(("found", "asked"), [("south", True), ("east", False)])
def test_before_a_search_only_what_every_counterparty_needs_is_missing(found: str, asked: bool) -> None:
    rules = f"accept_found_vasp = true\n{RELAXED}"
    scene = begun(rules, destination=UNKNOWN, originator=originator(natural=UNBORN))
    assert [call.operation for call in scene.calls] == ["wallet-search"]
    scene.submit(answered("wallet-search", scene.state.search.request_id, result="SUCCESS"))
    scene.submit(search_result(scene, found=found, **{found: "FOUND"}))
    if asked:
        assert [call.operation for call in scene.calls] == ["address-search"]
    else:
        (data,) = scene.verdicts
        assert (data["reasons"], data["missing"]) == (["INFORMATION_INCOMPLETE"], [BIRTH])
        assert (data["counterparty"], scene.calls) == (found, [])


@pytest.mark.parametrize("rules", ["", 'sanctions = "required"'])
@pytest.mark.parametrize("destination", [{"kind": "vasp", "vaspEntityId": "north", "address": "a"}, UNHOSTED, UNKNOWN])
def test_a_name_that_was_stored_before_such_names_were_refused_is_held(rules: str, destination: Any) -> None:
    """The lists cannot be asked for it, so it is not exempt either."""
    scene = begun(rules, destination=destination, beneficiary={"natural": {"lastName": "\u202e"}})
    assert held(scene) == ["beneficiary.natural.lastName"]


def test_a_name_that_nothing_is_left_of_for_a_korean_exchange_is_not_sent() -> None:
    scene = begun(beneficiary={"natural": {"lastName": "7"}})
    scene.submit(VALID.model_copy(update={"counterparty_country": "KR"}))
    assert held(scene) == ["beneficiary.natural.lastName"]


def test_an_operator_may_still_decide() -> None:
    scene = begun("operator_override = true", originator=originator(natural=UNBORN))
    scene.submit(decided("allow"))
    assert scene.verdicts[-1]["reasons"] == ["OPERATOR"]
    assert "missing" not in scene.verdicts[-1]


PERSON = st.fixed_dictionaries(
    {"lastName": st.sampled_from(["Berg", "李", "7"])},
    optional={"firstName": st.just("Anna"), "dateOfBirth": st.just("1990-02-03"), "localLastName": st.just("베르그")},
).map(lambda natural: {"natural": natural})
COMPANY = st.fixed_dictionaries(
    {"name": st.just("Birch")}, optional={"representatives": st.lists(st.just(MOREAU), max_size=2)}
).map(lambda legal: {"legal": legal})


def named(person: dict[str, Any]) -> bool:
    """Whether any entry of a person's names has content."""
    (facts,) = person.values()
    entries = [entry for array in facts["name"].values() for entry in array]
    return any(entry.get("primaryIdentifier") or entry.get("legalPersonName") for entry in entries)


@given(st.one_of(PERSON, COMPANY), st.one_of(PERSON, COMPANY), st.sampled_from(["DE", "KR"]))
def test_no_authorization_leaves_without_what_must_be_sent(sender: Any, receiver: Any, country: str) -> None:
    scene = begun(originator=originator(**sender), beneficiary=receiver)
    if scene.calls:
        scene.submit(VALID.model_copy(update={"counterparty_country": country}))
    sent = [call.payload for call in scene.calls if call.operation == "transfer-authorization"]
    assert len(sent) + len(scene.verdicts) == 1
    for payload in sent:
        persons = payload["Originator"]["originatorPersons"]
        assert len(persons) > 1 if "legalPerson" in persons[0] else "dateAndPlaceOfBirth" in persons[0]["naturalPerson"]
        assert len(payload["Beneficiary"]["beneficiaryPersons"]) > ("legal" in receiver)
        assert all(map(named, (*persons, *payload["Beneficiary"]["beneficiaryPersons"])))
    if not sent:
        assert held(scene)


def test_no_value_is_in_what_is_missing() -> None:
    scene = begun(originator=originator(legal={"name": "Hidden"}), beneficiary={"legal": {"name": "Concealed"}})
    said = str(scene.verdicts)
    assert not any(word in said for word in ("Hidden", "Concealed", request()["originator"]["customerId"], ADDRESS))
