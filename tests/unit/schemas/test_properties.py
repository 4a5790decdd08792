"""Whatever the input, reading returns a model that can be written and read again, or raises ValidationError."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import schemas
from schemas.events.withdrawals import WithdrawalRequested
from schemas.export import documents
from schemas.field_faults import CODES, field_faults

EXAMPLES = Path(schemas.__file__).parent / "examples"
MODELS = documents()

any_text = st.text(st.characters(codec=None), max_size=12)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), any_text, st.sampled_from(["", "true", "1.5", "0", "invalid"])
)
any_json = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4), max_leaves=12
)

line = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=35)
solid = st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=40)
amount = st.from_regex(r"\A([1-9][0-9]{0,29})(\.[0-9]{1,36})?\Z")
day = st.dates().map(lambda date: date.isoformat())
natural = st.fixed_dictionaries(
    {"lastName": line},
    optional={"firstName": line, "localLastName": line, "dateOfBirth": day, "countryOfResidence": st.just("SE")},
)
legal = st.fixed_dictionaries({"name": line, "representatives": st.lists(natural, max_size=3)})
person = st.fixed_dictionaries({"natural": natural}) | st.fixed_dictionaries({"legal": legal})
requested = st.fixed_dictionaries(
    {
        "withdrawalId": line,
        "currency": st.sampled_from(["XRP", "BTC", "USDT"]),
        "amount": amount,
        "tradePrice": amount,
        "tradeCurrency": st.sampled_from(["USD", "KRW"]),
        "isExceedingThreshold": st.booleans(),
        "destination": st.fixed_dictionaries(
            {"kind": st.just("vasp"), "vaspEntityId": line, "address": solid}, optional={"tag": line}
        ),
        "originator": st.tuples(person, line).map(lambda made: {**made[0], "customerId": made[1]}),
        "beneficiary": person,
    },
    optional={
        "network": line,
        "historicalCost": st.text(st.characters(exclude_characters="\x00", codec="utf-8"), min_size=1),
    },
)


@settings(max_examples=100, deadline=None)
@given(requested)
def test_a_valid_withdrawal_comes_back_as_it_was(data: dict[str, Any]) -> None:
    read = WithdrawalRequested.model_validate(data)
    assert read.to_wire() == data
    assert WithdrawalRequested.model_validate_json(orjson.dumps(read.to_wire())) == read


@settings(max_examples=60, deadline=None)
@given(any_json, st.sampled_from(sorted(MODELS)))
def test_any_json_is_read_or_refused(value: Any, name: str) -> None:
    read_or_refuse(name, value)


VALID = sorted(EXAMPLES.glob("*/valid-*.json"))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, inner in items for place in places(inner, (*path, key)))]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_an_example_with_anything_at_any_place_is_read_or_refused(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(VALID))
    event = json.loads(path.read_text(encoding="utf-8"))
    name = path.parent.name
    value = copy.deepcopy(event if name == "cloudevent" else event["data"])
    *parents, last = data.draw(st.sampled_from(places(value)[1:]))
    target = value
    for step in parents:
        target = target[step]
    target[last] = data.draw(any_json)
    read_or_refuse(name, value)


def read_or_refuse(name: str, value: Any) -> None:
    model = MODELS[name]
    try:
        read = model.model_validate(value)
    except ValidationError as refused:
        faults = field_faults(refused)
        assert faults
        assert {fault.code for fault in faults} <= CODES.keys()
        return
    written = read.to_wire()
    if name == "cloudevent":
        return  # the data of an envelope are as the sender made them; their own model judges them
    assert model.model_validate(written).to_wire() == written


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("value", [None, [], "", 0, 1.5, True, [[]], "\ud800", float("nan")])
def test_a_body_that_is_no_object_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        MODELS[name].model_validate(value)
