"""A wrong type in an optional field is refused and the field is named: at the gateway, and at the hub."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from schemas.hub import bodies
from schemas.operations import HUB_OPERATIONS
from schemas.wire_model import Wire
from tests.property.schemas.documents import candidates, places, replaced, valid
from travelrule.gateway import openapi
from travelrule.gateway.refusals import Refused
from travelrule.gateway.request_reader import request_of
from travelrule.hub import body_shapes as hub_bodies
from travelrule.hub.hub_answer import HubFault
from travelrule.hub.operations import OPERATIONS

SHOWN = [one for one in openapi.DESCRIPTIONS.values() if isinstance(one, openapi.Description)]
GATEWAY = {one.request.__name__: one.request for one in SHOWN}
HUB = {name: OPERATIONS[name].request for name in HUB_OPERATIONS if OPERATIONS[name].request is not None}
BODY_OF = {
    "address-search": "AddressSearchRequest",
    "transfer-authorization": "TransferAuthorizationRequest",
    "txid-report": "TxidReportRequest",
    "finish": "FinishRequest",
    "status-search": "StatusSearchRequest",
    "txid-search": "TxidSearchRequest",
    "data-request": "DataRequest",
    "wallet-search": "WalletSearchRequest",
    "wallet-screening": "WalletScreeningRequest",
    "transaction-screening": "TransactionScreeningRequest",
    "kyt-search": "KytSearchRequest",
    "unhosted-token": "UnhostedTokenRequest",
}
ANSWERED_BY_HUB = {name for name, shape in HUB.items() if shape.model is not None}
BOOLEAN = {"isExceedingThreshold", "force"}


def wrong(field: str) -> tuple[Any, ...]:
    """Values of every JSON type but the field's own, and none that counts as absent."""
    if field == "originatingVasp":
        return (True, 5, 1.5, "x", [], ["x"])
    return (5, 1.5, [], ["x"], {"x": 1}, *(("x", "1") if field in BOOLEAN else (True, False)))


def optional_fields(name: str) -> list[str]:
    fields = model_of(name).model_fields.items()
    return [info.alias or field for field, info in fields if not info.is_required()]


def model_of(name: str) -> type[Wire]:
    found: type[Wire] = getattr(bodies, name)
    return found


def document(name: str) -> dict[str, Any]:
    """A valid body; as bytes it goes through the same reader as one of a peer."""
    found: dict[str, Any] = valid(f"hub.{name}")[0]
    return found


@pytest.mark.parametrize(("name", "field"), [(name, field) for name in GATEWAY for field in optional_fields(name)])
def test_the_gateway_names_an_optional_field_of_a_wrong_type(name: str, field: str) -> None:
    for value in wrong(field):
        with pytest.raises(Refused) as refused:
            request_of(GATEWAY[name], orjson.dumps({**document(name), field: value}))
        assert (refused.value.code, refused.value.field) == ("INVALID_MSG_FIELD_VALUE", field)


@pytest.mark.parametrize(
    ("operation", "field"), [(one, field) for one in BODY_OF for field in optional_fields(BODY_OF[one])]
)
def test_the_hub_names_an_optional_field_of_a_wrong_type(operation: str, field: str) -> None:
    shape = HUB[operation]
    for value in wrong(field):
        with pytest.raises(HubFault) as refused:
            shape.read(orjson.dumps({**document(BODY_OF[operation]), field: value}))
        code = "BAD_REQUEST" if operation == "kyt-search" else "INVALID_MSG_FIELD_VALUE"
        assert refused.value.error_type == code
        assert refused.value.message.startswith(f"{field} ")


def test_every_operation_with_a_body_is_tried() -> None:
    assert set(BODY_OF) == set(HUB)
    assert len(GATEWAY) == 7


def takes(shape: hub_bodies.RequestShape, body: bytes) -> bool:
    try:
        shape.read(body)
    except HubFault:
        return False
    return True


def gateway_takes(model: type[Wire], body: bytes) -> bool:
    try:
        request_of(model, body)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("operation", sorted(BODY_OF))
def test_the_hub_takes_what_the_schema_allows(operation: str) -> None:
    """What it answers itself exactly; what it forwards at least: of that the member is the judge."""
    name = BODY_OF[operation]
    value = document(name)
    for place in places(value):
        if (operation, place) == ("finish", ("reasonType",)):
            continue  # only six codes: schemas.unexpressed_rules
        for one in candidates():
            body = orjson.dumps(replaced(value, place, one))
            own, member = takes(HUB[operation], body), gateway_takes(model_of(name), body)
            assert own >= member, (place, one)
            if operation in ANSWERED_BY_HUB:
                assert own is member, (place, one)


def test_the_hub_answers_six_operations_with_a_body_itself() -> None:
    assert {
        "txid-search",
        "wallet-search",
        "wallet-screening",
        "transaction-screening",
        "kyt-search",
        "unhosted-token",
    } == ANSWERED_BY_HUB
