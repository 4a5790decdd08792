"""Results and errors as the value that retries are decided on, with the payload opened by the right pair."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from schemas.limits import BENEFICIARY_ACCOUNTS_MAX, VALUES_MAX
from schemas.operations import Operation
from tests.support.hub_function import NOW, OWN, PEER, HubFunction
from travelrule.client.answer_status import Answer
from travelrule.client.attempt import answered, attempt
from travelrule.client.errors import BadAnswer, HubError, NoAnswer
from travelrule.client.hub import HubClient
from travelrule.crypto.sealing import seal
from travelrule.crypto.signing import SigningKey
from travelrule.machine.retry_policy import Complete, Retry, next_action

IVMS = {"BeneficiaryVASP": {"beneficiaryVASP": {}}}


def sealed(own: SigningKey, plain: bytes) -> str:
    return seal(own, OWN.public_base64, plain, bytes(24))


@pytest.mark.parametrize(
    ("payload", "opened"),
    [
        (sealed(PEER, orjson.dumps({"ivms101": IVMS})), IVMS),
        (sealed(SigningKey(bytes(32)), orjson.dumps({"ivms101": IVMS})), None),
        (sealed(PEER, b"not json"), None),
        (sealed(PEER, b"[]"), None),
        (sealed(PEER, b'{"ivms101": 7}'), None),
        ("!", None),
        ({"ivms101": IVMS}, None),
        (None, None),
    ],
    ids=["good", "other-key", "not-json", "array", "no-object", "no-base64", "unsealed", "absent"],
)
async def test_the_response_payload(client: HubClient, hub: HubFunction, payload: object, opened: object) -> None:
    hub.says(200, json={"result": "verified", "transferId": "1", "payload": payload})
    tried = await attempt(
        client.call(Operation.TRANSFER_AUTHORIZATION, "south", b"{}", PEER.public_base64), OWN, PEER.public_base64
    )
    assert (tried.kind, tried.status, tried.payload) == ("answer", 200, opened)
    assert tried.body == {"result": "verified", "transferId": "1"}


async def test_the_payload_of_a_data_request_is_opened(client: HubClient, hub: HubFunction) -> None:
    payload = sealed(PEER, orjson.dumps({"ivms101": IVMS}))
    hub.says(200, json={"result": "normal", "amount": "1.5", "payload": payload})
    tried = await attempt(
        client.call(Operation.DATA_REQUEST, "south", b"{}", PEER.public_base64), OWN, PEER.public_base64
    )
    assert (tried.payload, tried.body) == (IVMS, {"result": "normal", "amount": "1.5"})


async def test_errors_become_values(client: HubClient, hub: HubFunction) -> None:
    hub.says(429, json={"errorType": "TOO_MANY_REQUESTS"}, headers={"Retry-After": "9"})
    tried = await attempt(client.call(Operation.FINISH, "south", b"{}"), OWN)
    assert (tried.kind, tried.status, tried.code, tried.retry_after) == ("error", 429, "TOO_MANY_REQUESTS", 9.0)
    hub.says(200, content=b"<html>")
    tried = await attempt(client.call(Operation.FINISH, "south", b"{}"), OWN)
    assert (tried.kind, tried.status, tried.code) == ("error", 200, "BAD_ANSWER")


@pytest.mark.parametrize(
    ("error", "maybe_acted"),
    [
        (NoAnswer("transfer-authorization", sent_maybe=True), True),
        (NoAnswer("transfer-authorization", sent_maybe=False), False),
        (BadAnswer("transfer-authorization", 200, "x"), True),
    ],
)
async def test_retries_see_whether_the_counterparty_may_have_acted(error: HubError, *, maybe_acted: bool) -> None:
    """The codes that are made here must be codes of the retry table."""

    async def fail() -> None:
        raise error

    tried = await attempt(fail(), OWN)  # type: ignore[arg-type]
    late = NOW + timedelta(hours=1)
    decided = next_action(
        "data-request",
        tried,
        tries=9,
        first_at=NOW,
        now=late,
        key_refreshed=False,
        jitter=0.0,
        note="0,0,0,0",
    )
    assert isinstance(decided, Complete)
    assert decided.maybe_acted is maybe_acted
    again = next_action("finish", tried, tries=1, first_at=NOW, now=NOW, key_refreshed=False, jitter=0.0)
    assert isinstance(again, Retry)


async def test_an_error_of_ours_is_not_taken_for_an_answer(client: HubClient) -> None:
    with pytest.raises(ValueError, match="sealed"):
        await attempt(client.call("finish", "south", b"{}", PEER.public_base64), OWN)


def nested(levels: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(levels):
        value = {"inner": value}
    return value


def test_an_answer_nested_deeper_than_the_protocol_is_a_bad_answer() -> None:
    answer = Answer(200, "verified", {"result": "verified", "beneficiaryVasp": nested(400)})
    attempted = answered(answer, SigningKey(bytes(32)))
    assert (attempted.kind, attempted.code, attempted.body) == ("error", "BAD_ANSWER", None)


def test_a_payload_nested_deeper_than_ivms101_counts_as_unreadable() -> None:
    own, peer = SigningKey(bytes(32)), SigningKey(bytes([1]) * 32)
    plain = ('{"ivms101":' + '{"x":' * 300 + "{}" + "}" * 300 + "}").encode()
    body = {"result": "verified", "payload": seal(peer, own.public_base64, plain, bytes(24))}
    assert answered(Answer(200, "verified", body), own, peer.public_base64).payload is None


def test_a_payload_over_the_limits_counts_as_unreadable() -> None:
    own, peer = SigningKey(bytes(32)), SigningKey(bytes([1]) * 32)

    def payload_of(accounts: int, more: int = 0) -> object:
        inner = {"Beneficiary": {"accountNumber": ["a"] * accounts}, "more": [0] * more}
        plain = orjson.dumps({"ivms101": inner})
        body = {"result": "verified", "payload": seal(peer, own.public_base64, plain, bytes(24))}
        return answered(Answer(200, "verified", body), own, peer.public_base64).payload

    assert payload_of(BENEFICIARY_ACCOUNTS_MAX) is not None
    assert payload_of(BENEFICIARY_ACCOUNTS_MAX + 1) is None
    assert payload_of(1, VALUES_MAX) is None
