"""Answers to authorizations, honest in every legal form and dishonest in every way that is known: only the first allow.

An honest peer copies what it was sent, leaves optional fields out or sends null, changes case, adds what it knows, and
puts its own VASP inside the payload or outside. Whatever else comes is somebody else's answer, our own words, or a
change of what binds the answer to the request.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.call_results import VALID, answered
from tests.support.events import WITHDRAWAL_ID, requested
from tests.support.scene import Scene
from tests.support.vasps import PROFILE, SOUTH_PROFILE, policy
from travelrule.exchange.originator.answer_check import binding_fault
from travelrule.identity.payloads import authorization_payload, beneficiary_vasp
from travelrule.machine.effects import CallHub, Emit
from travelrule.machine.internal_inputs import CallResult, SentBody
from travelrule.policy.sections import AnswerChecks

Ivms = dict[str, Any]
EVERY_CHECK = AnswerChecks()

ANNA = {"customerId": "c-1001", "walletAddress": "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001"}
SENDERS: list[Ivms] = [
    {**ANNA, "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"}},
    {**ANNA, "natural": {"lastName": "O'Brien-Lee", "firstName": "Ann Marie", "dateOfBirth": "1990-02-03",
                         "localLastName": "이", "localFirstName": "앤"}},
    {**ANNA, "natural": {"lastName": "Holm", "firstName": "Ida", "dateOfBirth": "1991-02-03"}},
    {**ANNA, "customerId": "c-2", "walletAddress": "rU6K7V3Po4snVhBBaU29sesqs2qTQJWDw1:7",
     "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"}},
    {"customerId": "corp-9", "legal": {"name": "Lindqvist Timber AB", "countryOfRegistration": "SE",
                                       "representatives": [{"lastName": "Holm", "firstName": "Sofia"}]}},
    {"customerId": "corp-9", "legal": {"name": "Birch Trading Ltd.", "countryOfRegistration": "GB",
                                       "representatives": [{"lastName": "Moreau", "firstName": "Claire"}]}},
]  # fmt: skip
PLACES: list[Ivms] = [
    {"address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "tag": "77001"},
    {"address": "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "tag": "77002"},
    {"address": "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"},
    {"address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"},
]
OPTIONAL = {
    "dateAndPlaceOfBirth", "customerIdentification", "nationalIdentification", "geographicAddress",
    "countryOfResidence", "countryOfRegistration", "localNameIdentifier", "nameIdentifierType",
    "legalPersonNameIdentifierType",
}  # fmt: skip
NAMES = {"primaryIdentifier", "secondaryIdentifier", "legalPersonName"}

senders, places = st.sampled_from(range(len(SENDERS))), st.sampled_from(range(len(PLACES)))


def asked(sender: int, place: int) -> Ivms:
    """The payload of our authorization."""
    destination = {"kind": "vasp", "vaspEntityId": "south", **PLACES[place]}
    return authorization_payload(requested(originator=SENDERS[sender], destination=destination), PROFILE)


def copied(sent: Ivms) -> Ivms:
    return {**deepcopy(sent), "BeneficiaryVASP": beneficiary_vasp(SOUTH_PROFILE)}


def walked(value: Any, change: Callable[[dict[str, Any]], None]) -> None:
    """Let ``change`` see every object."""
    for inner in list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []:
        walked(inner, change)
    if isinstance(value, dict):
        change(value)


def leave_out(draw: st.DrawFn, holder: dict[str, Any], absent: Any) -> None:
    """Optional fields that are not there, null or empty."""
    for name in OPTIONAL & set(holder):
        if name == "localNameIdentifier" and not holder["nameIdentifier"][0].get("primaryIdentifier"):
            continue
        if draw(st.booleans()):
            holder.pop(name) if absent is ... else holder.update({name: absent})


def respell(draw: st.DrawFn, holder: dict[str, Any], _: Any) -> None:
    """Names in another case."""
    for name in NAMES & set(holder):
        holder[name] = draw(st.sampled_from([str.upper, str.lower, str.title, str]))(holder[name] or "")


def reorder(draw: st.DrawFn, holder: dict[str, Any], _: Any) -> None:
    """Last and first name in the other order, or in one field."""
    last, first = holder.get("primaryIdentifier"), holder.get("secondaryIdentifier")
    if last and first:
        forms = [(last, first), (first, last), (f"{last} {first}", ""), (f"{first} {last}", None)]
        holder["primaryIdentifier"], holder["secondaryIdentifier"] = draw(st.sampled_from(forms))


@st.composite
def honest(draw: st.DrawFn, sent: Ivms) -> tuple[Ivms, Ivms]:
    """Clear body and payload of an honest answer, in one of its forms."""
    payload = copied(sent)
    absent: Any = draw(st.sampled_from([..., None, ""]))
    objects = {name: payload[name] for name in ("Originator", "Beneficiary", "OriginatingVASP")}
    for change in draw(st.sets(st.sampled_from([leave_out, respell, reorder]))):
        walked(objects, lambda holder, change=change: change(draw, holder, absent))
    if draw(st.booleans()):
        payload["Originator"]["originatorPersons"] = payload["Originator"]["originatorPersons"][:1]
    if draw(st.booleans()):
        payload["Beneficiary"].update(beneficiaryPersons=[], note={"x": [1, {"y": None}]})
    number = payload["Beneficiary"]["accountNumber"][0]
    if number.startswith(("0x", "bc1")) and draw(st.booleans()):
        payload["Beneficiary"]["accountNumber"] = [number.upper().replace("0X", "0x")]
    return draw(clear_body(payload)), payload


@st.composite
def clear_body(draw: st.DrawFn, payload: Ivms) -> Ivms:
    """The result in any case, with or without transferId, and the VASP inside the payload or here."""
    body: Ivms = {"result": draw(st.sampled_from(["verified", "VERIFIED", " Verified"]))}
    place = draw(st.sampled_from(["inside", "wrapped", "bare"]))
    if place != "inside":
        vasp = payload.pop("BeneficiaryVASP")
        body["beneficiaryVasp"] = vasp if place == "wrapped" else vasp["beneficiaryVASP"]
    named = draw(st.sampled_from([..., WITHDRAWAL_ID, WITHDRAWAL_ID.upper(), None, ""]))
    return body if named is ... else {**body, "transferId": named}


def report(sent: Ivms, body: Ivms, payload: Ivms, **facts: Any) -> CallResult:
    made = answered("transfer-authorization", **body, payload=payload)
    clear = {"transferId": WITHDRAWAL_ID}
    return made.model_copy(update={"sent": SentBody(clear=clear, payload=sent), **facts})


def outcome(sent: Ivms, sender: int, place: int, made: CallResult) -> tuple[list[str], int]:
    """Verdicts and finishes of the real machine, whatever is asked again being answered in the same way."""
    destination = {"kind": "vasp", "vaspEntityId": "south", **PLACES[place]}
    scene = Scene(rules=policy())
    scene.submit(requested(originator=SENDERS[sender], destination=destination), VALID)
    for _ in range(5):
        calls = [one for one in scene.calls if one.operation == "transfer-authorization"]
        if not calls:
            break
        assert calls[0].payload == sent, "the same content each time"
        scene.submit(made)
    emitted = [one for one in scene.history if isinstance(one, Emit) and one.topic == "verdicts"]
    finishes = [one for one in scene.history if isinstance(one, CallHub) and one.operation == "finish"]
    return [one.data["verdict"] for one in emitted], len(finishes)


@given(st.data(), senders, places)
def test_honest_answers_pass_in_every_form(data: st.DataObject, sender: int, place: int) -> None:
    sent = asked(sender, place)
    body, payload = data.draw(honest(sent))
    made = report(sent, body, payload, answer_seal="aa", request_seal="bb")
    assert binding_fault(made, EVERY_CHECK, verified=True) is None
    assert outcome(sent, sender, place, made) == (["allow"], 0)


@given(st.data(), senders, places, senders, places)
def test_the_answer_to_another_request_allows_nothing(
    data: st.DataObject, sender: int, place: int, other_sender: int, other_place: int
) -> None:
    sent, other = asked(sender, place), asked(other_sender, other_place)
    body, payload = data.draw(honest(other))
    body.pop("transferId", None)
    made = report(sent, body, payload, answer_seal="aa", request_seal="bb")
    if (sender, place) == (other_sender, other_place):
        # By content nothing tells them apart: only that the bytes were accepted before.
        made = made.model_copy(update={"accepted_for": "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"})
    assert binding_fault(made, EVERY_CHECK, verified=True) is not None
    assert outcome(sent, sender, place, made) == (["hold"], 1)


@given(st.data(), senders, places, st.sampled_from(["seal", "mark", "content"]))
def test_our_own_words_allow_nothing(data: st.DataObject, sender: int, place: int, known_by: str) -> None:
    """With ``content`` neither mark nor hash tells, as for a request that an earlier version sealed."""
    sent = asked(sender, place)
    vasp = data.draw(st.sampled_from([{}, None, sent["OriginatingVASP"], sent["OriginatingVASP"]["originatingVASP"]]))
    facts = {
        "seal": {"answer_seal": "aa", "request_seal": "aa"},
        "mark": {"answer_seal": "aa", "request_seal": "bb", "own_words": True},
        "content": {},
    }[known_by]
    if known_by != "content":
        vasp = data.draw(st.sampled_from([vasp, beneficiary_vasp(SOUTH_PROFILE)]))
    body = {"result": "verified", "transferId": WITHDRAWAL_ID, "beneficiaryVasp": vasp}
    made = report(sent, body, sent, **facts)
    assert binding_fault(made, EVERY_CHECK, verified=True) is not None
    assert outcome(sent, sender, place, made) == (["hold"], 1)


def _nobody(payload: Ivms) -> None:
    payload["Originator"]["originatorPersons"] = []


def _somebody_besides(payload: Ivms) -> None:
    entry = {"primaryIdentifier": "Quagmire", "secondaryIdentifier": "Zeb", "nameIdentifierType": "LEGL"}
    payload["Originator"]["originatorPersons"].append({"naturalPerson": {"name": {"nameIdentifier": [entry]}}})


def _other_kind(payload: Ivms) -> None:
    first = payload["Originator"]["originatorPersons"][0]
    kind = "legalPerson" if "naturalPerson" in first else "naturalPerson"
    payload["Originator"]["originatorPersons"][0] = {kind: next(iter(first.values()))}


def _we_are_the_beneficiary(payload: Ivms) -> None:
    payload["BeneficiaryVASP"] = {"beneficiaryVASP": payload["OriginatingVASP"]["originatingVASP"]}


def _other_vasp(payload: Ivms) -> None:
    payload["OriginatingVASP"] = {"originatingVASP": beneficiary_vasp(SOUTH_PROFILE)["beneficiaryVASP"]}


PARTIES = ("Originator", "Beneficiary")
OBJECTS = (*PARTIES, "OriginatingVASP", "BeneficiaryVASP")
Mutation = Callable[[Ivms], Any]


def _without(name: str) -> Mutation:
    return lambda payload: payload.pop(name)


def _empty(name: str) -> Mutation:
    return lambda payload: payload.update({name: {"x": None}})


def _accounts(name: str, *numbers: Any) -> Mutation:
    return lambda payload: payload[name].update(accountNumber=[*numbers])


def _account_besides(name: str, number: str) -> Mutation:
    return lambda payload: payload[name]["accountNumber"].append(number)


def _tagged(payload: Ivms) -> None:
    payload["Beneficiary"]["accountNumber"] = [payload["Beneficiary"]["accountNumber"][0] + ":9"]


MUTATIONS: list[Mutation] = [
    *map(_without, OBJECTS),
    *map(_empty, ("Originator", "BeneficiaryVASP")),
    *(_accounts(name, None, "") for name in PARTIES),
    *(_accounts(name, "elsewhere") for name in PARTIES),
    *(_account_besides(name, "elsewhere") for name in PARTIES),
    _tagged,
    _nobody,
    _somebody_besides,
    _other_kind,
    _we_are_the_beneficiary,
    _other_vasp,
]


@given(senders, places, st.sampled_from(MUTATIONS))
def test_what_binds_an_answer_cannot_be_changed(sender: int, place: int, mutate: Mutation) -> None:
    sent = asked(sender, place)
    payload = copied(sent)
    mutate(payload)
    made = report(sent, {"result": "verified"}, payload)
    assert binding_fault(made, EVERY_CHECK, verified=True) is not None
    assert outcome(sent, sender, place, made) == (["hold"], 1)


keys = st.sampled_from(
    [*NAMES, "accountNumber", "originatorPersons", "legalPerson", "naturalPerson", "name", "nameIdentifier"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(OBJECTS), values), values)
def test_no_nonsense_passes_and_none_raises(payload: Ivms, vasp: Any) -> None:
    made = report(asked(0, 0), {"result": "verified", "beneficiaryVasp": vasp}, payload or {"Originator": 1})
    assert binding_fault(made, EVERY_CHECK, verified=True) is not None
