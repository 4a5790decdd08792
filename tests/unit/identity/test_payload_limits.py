"""The limits of ``schemas.limits``: what events lead to stays within them, and finding an excess is itself cheap."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from schemas import limits
from tests.support.effort import lines_of
from tests.unit.identity.test_payloads import ANNA, BIRCH, PROFILE, withdrawal
from travelrule.identity.payload_limits import excess, has_too_many_values
from travelrule.identity.payloads import answer_payload, authorization_payload, data_answer_payload

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["Originator", "originatorPersons", "accountNumber", "naturalPerson", "name", "nameIdentifier"]
            ),
            inner,
        )
    ),
    max_leaves=30,
)


def largest_company() -> dict[str, Any]:
    lines = ["1 Example Street"] * limits.ADDRESS_LINES_MAX
    person = {**ANNA, "lastName": "x" * 100, "firstName": "y" * 100, "address": {**ANNA["address"], "lines": lines}}
    return {"legal": {**BIRCH, "representatives": [person] * limits.REPRESENTATIVES_MAX}}


def test_the_largest_messages_that_our_events_lead_to_are_within_the_limits() -> None:
    request = withdrawal(largest_company(), largest_company())
    sent = authorization_payload(request, PROFILE)
    answered = answer_payload(sent, PROFILE, verified=True)
    for payload in (sent, answered, data_answer_payload(sent, request, PROFILE)):
        plain = orjson.loads(orjson.dumps(payload))
        assert excess(plain) is None
        assert not has_too_many_values([plain, plain]), "fewer than half of the values allowed"


@given(JSON)
def test_whatever_json_comes_has_an_excess_or_none(payload: Any) -> None:
    assert excess(payload) is None, "nothing as small as that exceeds a limit"
    assert not has_too_many_values(payload)


def test_finding_an_excess_costs_no_more_for_a_larger_one() -> None:
    person = {"naturalPerson": {"name": {"nameIdentifier": [{"primaryIdentifier": "Lind"}]}}}

    def effort(many: int) -> int:
        payload = {"Beneficiary": {"beneficiaryPersons": [person] * many, "accountNumber": ["a"]}}
        assert excess(payload) is not None
        return lines_of(lambda: excess(payload))

    assert effort(100_000) == effort(limits.PERSONS_MAX + 1)
    assert lines_of(lambda: has_too_many_values([[1]] * 1_000_000)) < 10 * limits.VALUES_MAX


def test_a_payload_that_names_a_side_as_something_else_has_no_excess_and_no_error() -> None:
    for odd in (None, 7, "x", [], [1], {"accountNumber": {"a": 1}}, {"originatorPersons": "x"}):
        assert excess({"Originator": odd, "Beneficiary": odd, "OriginatingVASP": odd}) is None
        assert excess(odd) is None
