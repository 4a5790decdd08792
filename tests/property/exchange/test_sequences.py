"""Long random lives: any input in any order, and answers of peers that are no answers at all."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.exchange.catalogue import for_exchange, for_withdrawal
from tests.property.exchange.laws import check
from tests.support.events import UNHOSTED, UNKNOWN, request, requested
from tests.support.exchange_scenes import inbound, polling, waiting
from tests.support.inbound_messages import TRANSFER_ID, authorization
from tests.support.scene import Scene
from tests.support.vasps import NOW, policy
from travelrule.engine.registry import MACHINES
from travelrule.machine.internal_inputs import CallResult

OPERATIONS = [
    "address-search",
    "transfer-authorization",
    "txid-report",
    "finish",
    "status-search",
    "data-request",
    "wallet-search",
    "wallet-search-result",
    "",
]
SOUTH = request()["destination"]
RULES = [
    "",
    "operator_override = true",
    'report_moment = "final"',
    'sanctions = "required"\noperator_override = true',
    '[verdicts]\nCOUNTERPARTY_UNREACHABLE = "deny"',
    'accept_found_vasp = true\ndeny_list = ["banned"]',
    'sanctions = "required"\naccept_found_vasp = true\n[screening]\nwithdrawals = "wallet"',
    '[screening]\nwithdrawals = "wallet"\n[verdicts]\nRISK_UNKNOWN = "allow"',
    '[verdicts]\nCOUNTERPARTY_UNKNOWN = "deny"\nCOUNTERPARTY_FOUND = "deny"',
]
WITHOUT_GATES = [rules for rules in RULES if "sanctions" not in rules and "screening" not in rules]

texts = st.text(st.characters(codec="utf-8"), max_size=8)
words = st.sampled_from(["valid", "invalid", "verified", "denied", "normal", "error", "confirmed", "canceled", ""])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["result", "reasonType", "status", "txid", "vout", "beneficiaryVaspEntityId", "transferId", "analysisResult"]
)
bodies = st.none() | st.dictionaries(names | texts, values, max_size=6)


@st.composite
def odd_reports(draw: st.DrawFn, ids: list[str]) -> CallResult:
    """A result of a call whose every part may be nonsense."""
    return CallResult(
        operation=draw(st.sampled_from(OPERATIONS)),
        correlation_id=draw(st.sampled_from(ids)),
        target=draw(texts),
        outcome=draw(st.sampled_from(["answered", "failed", "troubled", "deferred"])),
        status=draw(st.sampled_from([0, 200, 302, 408, 422, 429, 500, 503, 599])),
        code=draw(texts | st.sampled_from(["NO_ANSWER", "DUPLICATED_TRANSFER_ID", "UNKNOWN_TRANSFER_ID"])),
        message_code=draw(texts),
        body=draw(bodies),
        payload=draw(st.none() | st.dictionaries(texts, values, max_size=3)),
        attempts=draw(st.integers(0, 99)),
        maybe_acted=draw(st.booleans()),
        counterparty_country=draw(st.none() | texts),
        counterparty_alliance=draw(st.none() | texts | st.sampled_from(["code", "GTR", "VerifyVASP", "sygna"])),
    )


def live(scene: Scene, data: Any) -> None:
    """Decide one more input and hold every law to it."""
    item = scene.input(data)
    decision = MACHINES[scene.subject.partition(":")[0]].decide(scene.state, item, scene.rules, scene.now)
    check(scene.state, item, decision, scene.rules)
    scene.state = decision.state


@settings(max_examples=60, deadline=None)
@given(data=st.data(), rules=st.sampled_from(RULES), destination=st.sampled_from([SOUTH, UNKNOWN, UNHOSTED]))
def test_the_life_of_a_withdrawal(data, rules, destination):
    scene = Scene(rules=policy(rules))
    live(scene, requested(destination=destination))
    known = scene.state.fingerprint
    for _ in range(data.draw(st.integers(1, 25))):
        scene.wait(data.draw(st.sampled_from([0, 1, 3600, 90_000])))
        choices = list(for_withdrawal(scene.state))
        live(scene, choices[data.draw(st.integers(0, len(choices) - 1))])
    assert scene.state.fingerprint == known, "a repeated request is recognised for ever"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_withdrawal_survives_nonsense_from_peers(data):
    scene = waiting()
    for _ in range(data.draw(st.integers(1, 12))):
        ids = [one.transfer_id for one in scene.state.attempts]
        live(scene, data.draw(odd_reports([*ids, ids[-1], "no-such-id"])))
    assert scene.state.txid is None, "no peer can make us believe that value was sent"


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    rules=st.sampled_from([rules for rules in RULES if "sanctions" not in rules and "screening" not in rules]),
)
def test_a_search_survives_nonsense_from_the_hub(data, rules):
    scene = polling(policy(rules))
    for _ in range(data.draw(st.integers(1, 12))):
        scene.wait(data.draw(st.sampled_from([0, 1, 13])))
        ids = [one.transfer_id for one in scene.state.attempts]
        ids += [scene.state.search.request_id] if scene.state.search is not None else []
        live(scene, data.draw(odd_reports([*ids, "no-such-id"])))
    assert scene.rules.accept_found_vasp or not scene.state.attempts, "nobody is asked whom the customer did not name"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_life_of_an_inbound_exchange(data):
    scene = inbound()
    for _ in range(data.draw(st.integers(1, 20))):
        scene.wait(data.draw(st.sampled_from([0, 1, 90_000])))
        choices = [*for_exchange(scene.state), data.draw(odd_reports([TRANSFER_ID]))]
        live(scene, choices[data.draw(st.integers(0, len(choices) - 1))])
    assert scene.state is None or scene.state.counterparty == "north"


entities = st.sampled_from(["Originator", "Beneficiary", "OriginatingVASP", "BeneficiaryVASP"])
parts = st.sampled_from(["originatorPersons", "beneficiaryPersons", "accountNumber", "naturalPerson", "legalPerson"])
objects = st.recursive(
    values, lambda inner: st.dictionaries(parts, inner | st.lists(inner, max_size=2), max_size=3), max_leaves=6
)


@settings(max_examples=150, deadline=None)
@given(ivms=st.dictionaries(entities | texts, objects, max_size=4), clear=st.none() | st.dictionaries(texts, objects))
def test_any_payload_gets_its_answer(ivms, clear):
    scene = inbound()
    live(scene, authorization(ivms101=ivms, originating_vasp=clear))
    assert scene.state.answer["result"] == "denied"
    assert scene.now == NOW
