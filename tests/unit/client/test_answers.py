"""Answers and errors: status first, then the deciding field; whose fault and what to do."""

from __future__ import annotations

import contextlib

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.operations import Operation
from tests.support.hub_function import NOW, PEER, HubFunction
from travelrule.client.answer_status import read, retry_after_seconds
from travelrule.client.codes import CODES
from travelrule.client.errors import Action, BadAnswer, HubError, HubRefused, HubUnavailable, NoAnswer
from travelrule.client.hub import HubClient
from travelrule.client.hub_transport import RawAnswer
from travelrule.client.operations import OPERATIONS


async def error_of(client: HubClient) -> HubError:
    with pytest.raises(HubError) as caught:
        await client.call(Operation.TRANSFER_AUTHORIZATION, "south", b"{}", PEER.public_base64)
    return caught.value


async def test_a_refusal_by_result_is_an_answer(
    client: HubClient, hub: HubFunction, seen: list[tuple[str, str]]
) -> None:
    hub.says(200, json={"result": "DENIED", "reasonType": "UNKNOWN", "extra": 1})
    answer = await client.call(Operation.TRANSFER_AUTHORIZATION, "south", b"{}", PEER.public_base64)
    assert answer.result == "denied"
    assert answer.body["extra"] == 1
    assert seen == [("transfer-authorization", "answered")]


# (HTTP status, errorType, class, whose fault, what to do, whether the counterparty may have acted): errors.md 2.
ROWS = [
    (422, "INVALID_TARGET_VASP_ID", HubRefused, "ours", Action.FIX, False),
    (422, "INVALID_BENEFICIARY", HubRefused, "ours", Action.FIX, False),
    (422, "MISSING_REQUIRED_MSG_FIELD", HubRefused, "ours", Action.FIX, False),
    (503, "MISSING_HEADER_FIELD", HubRefused, "ours", Action.FIX, False),
    (503, "INVALID_MSG_FIELD_VALUE", HubRefused, "ours", Action.FIX, False),
    (422, "DUPLICATED_HEADER_NONCE", HubRefused, "ours", Action.RETRY, False),
    (422, "INVALID_HEADER_SIGNATURE", HubRefused, "ours", Action.OPERATOR, False),
    (422, "INVALID_RECEIVER_PUBLIC_KEY", HubRefused, "ours", Action.KEY, False),
    (422, "ILLEGAL_FORMAT_OF_ORIGIN", HubRefused, "ours", Action.FIX, False),
    (422, "INVALID_ORIGIN", HubRefused, "ours", Action.OPERATOR, False),
    (408, "BENEFICIARY_VASP_REQUEST_TIMEOUT", HubUnavailable, "counterparty", Action.RETRY, True),
    (429, "TOO_MANY_REQUESTS", HubUnavailable, "ours", Action.WAIT, False),
    (500, "RECEIVED_WRONG_JSON_MESSAGE", HubUnavailable, "counterparty", Action.OPERATOR, True),
    (500, "RECEIVED_MSG_MISSING_FIELD", HubUnavailable, "counterparty", Action.OPERATOR, True),
    (500, "CODE_SERVER_INTERNAL_ERROR", HubUnavailable, "hub", Action.RETRY, True),
    (503, "VASP_BACKEND_INTERNAL_ERROR", HubUnavailable, "counterparty", Action.RETRY, True),
    (503, "DUPLICATED_TRANSFER_ID", HubRefused, "ours", Action.FIX, True),
    (503, "INVALID_ENCRYPTED_BODY", HubRefused, "ours", Action.KEY, False),
    (503, "UNACCEPTABLE_REQUEST", HubRefused, "counterparty", Action.STOP, False),
    (503, "UNKNOWN_TRANSFER_ID", HubRefused, "ours", Action.STOP, False),
    (400, "BAD_REQUEST", HubRefused, "ours", Action.FIX, False),
    (400, "UNSUPPORTED_BLOCKCHAIN", HubRefused, "ours", Action.FIX, False),
    (403, "ACCESS_DENIED", HubRefused, "ours", Action.OPERATOR, False),
    (404, "NOT_FOUND", HubRefused, "ours", Action.FIX, False),
    (503, "SERVICE_UNAVAILABLE", HubUnavailable, "hub", Action.RETRY, False),
    (500, "INTERNAL_SERVER_ERROR", HubUnavailable, "hub", Action.RETRY, True),
    # Unknown codes: by HTTP status, then class.
    (418, "TEAPOT", HubRefused, "ours", Action.FIX, False),
    (429, "", HubUnavailable, "ours", Action.WAIT, False),
    (408, "WHATEVER", HubUnavailable, "counterparty", Action.RETRY, True),
    (502, "WHATEVER", HubUnavailable, "hub", Action.RETRY, True),
    (503, "", HubUnavailable, "counterparty", Action.RETRY, True),
]


@pytest.mark.parametrize(("status", "code", "kind", "fault", "action", "maybe"), ROWS)
async def test_error_codes(
    client: HubClient, hub: HubFunction, status: int, code: str, kind: type, fault: str, action: Action, maybe: bool
) -> None:
    hub.says(status, json={"errorType": code, "errorMsg": "Erik Lind"})
    error = await error_of(client)
    assert type(error) is kind
    assert (error.status, error.error_code, error.fault, error.action, error.maybe_acted) == (
        (status, code, fault, action, maybe)
    )
    assert "Erik" not in str(error) + repr(error)


def test_every_code_of_the_table_is_tested() -> None:
    assert {row[1] for row in ROWS} >= set(CODES)


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"[]", b"null", b'{"errorType": 7}', b'{"errorType":"Erik Lind"}', b'{"errorType":"A B"}']
)
async def test_an_error_without_readable_code_is_judged_by_its_status(
    client: HubClient, hub: HubFunction, body: bytes
) -> None:
    hub.says(500, content=body)
    error = await error_of(client)
    assert isinstance(error, HubUnavailable)
    assert error.error_code == ""


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (200, b"<html>"),
        (200, b""),
        (200, b"[]"),
        (200, b"{}"),
        (200, b'{"result": "maybe"}'),
        (200, b'{"result": true}'),
        (200, b'{"result": "verified"'),
        (204, b""),
        (302, b""),
        (200, b'{"result":"verified","x":"' + b"y" * 1024 * 1024 + b'"}'),
        (200, b"[" * 100_000),
    ],
    ids=["html", "empty", "array", "no-result", "odd-result", "bool", "cut", "204", "302", "large", "deep"],
)
async def test_garbage_is_a_bad_answer(client: HubClient, hub: HubFunction, status: int, content: bytes) -> None:
    hub.says(status, content=content, headers={"location": "http://hub.test/elsewhere"})
    error = await error_of(client)
    assert isinstance(error, BadAnswer)
    assert error.maybe_acted
    assert len(hub.requests) == 1


async def test_directory_answers_are_read_tolerantly(client: HubClient, hub: HubFunction) -> None:
    hub.says(200, json={"vasps": [{"vaspEntityId": "south", "health": "down"}, {"x": 1}, None]})
    listing = await client.vasp_list()
    assert [(vasp.vasp_entity_id, vasp.is_up) for vasp in listing.vasps] == [("south", False)]
    hub.says(200, json={"vasps": {}})
    with pytest.raises(BadAnswer):
        await client.vasp_list()


async def test_keys_with_an_impossible_expiry_are_read(client: HubClient, hub: HubFunction) -> None:
    hub.says(200, json={"pubkeys": [{"pubkey": PEER.public_base64, "expiresAt": "2022-06-31T23:59:59Z"}]})
    assert [(key.pubkey, key.expires_at) for key in (await client.public_keys("south")).pubkeys] == [
        (PEER.public_base64, None)
    ]


async def test_connection_errors_are_no_answer(
    client: HubClient, hub: HubFunction, seen: list[tuple[str, str]]
) -> None:
    for raised, maybe in (
        (httpx.ConnectError("x"), False),
        (httpx.PoolTimeout("x"), False),
        (httpx.ReadError("x"), True),
    ):

        def fail(_: httpx.Request, raised: Exception = raised) -> httpx.Response:
            raise raised

        hub.answer = fail
        error = await error_of(client)
        assert isinstance(error, NoAnswer)
        assert error.sent_maybe is maybe
        assert error.error_code == ("NO_ANSWER" if maybe else "NOT_SENT")
    assert seen == [("transfer-authorization", "no-answer")] * 3


async def test_retry_after(client: HubClient, hub: HubFunction) -> None:
    hub.says(429, json={"errorType": "TOO_MANY_REQUESTS"}, headers={"Retry-After": "17"})
    assert (await error_of(client)).retry_after_s == 17.0
    for text, seconds in (
        ("", None),
        ("soon", None),
        ("-5", None),
        ("9" * 40, 3600.0),
        ("Fri, 20 Nov 2026 09:00:30 GMT", 30.0),
        ("Fri, 20 Nov 2026 08:00:00 GMT", 0.0),
        ("Fri, 20 Nov 2026 09:00:05 -0000", 5.0),
    ):
        assert retry_after_seconds(text, NOW) == seconds, text


@settings(max_examples=100, deadline=None)
@given(
    status=st.sampled_from([200, 201, 302, 400, 408, 422, 429, 500, 503]),
    body=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["result", "status", "errorType", "vasps"]), inner, max_size=3)
        ),
        max_leaves=10,
    ).map(lambda value: httpx.Response(200, json=value).content),
    name=st.sampled_from(sorted(OPERATIONS)),
    retry=st.text(st.characters(codec="latin-1"), max_size=12),
)
def test_no_answer_raises_anything_but_a_hub_error(status: int, body: bytes, name: str, retry: str) -> None:
    operation = OPERATIONS[name]
    answer = None
    with contextlib.suppress(HubError):
        answer = read(operation, RawAnswer(status, body, retry), NOW)
    assert answer is None or (status == 200 and (answer.result in operation.values or not operation.values))
