"""A body without its media type, or with another one, is refused before it is read."""

from __future__ import annotations

import json

import pytest

from tests.support.hub import AUTHORIZATION, SOUTH, error_of, hub_under_test, signed
from travelrule.hub.operations import OPERATIONS

WITH_BODY = [(one.method, path) for one in OPERATIONS.values() if one.request for path in one.paths]


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
@pytest.mark.parametrize(
    ("content_type", "code"),
    [(None, "MISSING_HEADER_FIELD"), ("text/plain;charset=utf-8", "INVALID_MSG_FIELD_VALUE")],
)
async def test_every_operation_with_a_body_wants_json(
    method: str, path: str, content_type: str | None, code: str
) -> None:
    hub = hub_under_test()
    target = path.replace("{target}", "south")
    answer = await hub.send(method, target, AUTHORIZATION, remote=SOUTH, headers={"Content-Type": content_type})
    assert error_of(answer) == (422, code)
    assert "content-type" in answer.json()["errorMsg"].lower()
    assert hub.south.calls == []


async def test_the_type_is_one() -> None:
    hub = hub_under_test()
    body = json.dumps(AUTHORIZATION).encode()
    twice = [*signed(body, remote=SOUTH).items(), ("Content-Type", "text/plain")]
    answer = await hub.client.request("POST", "/v1/code/transfer/south", content=body, headers=twice)
    assert error_of(answer) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_what_has_no_body_needs_no_type() -> None:
    hub = hub_under_test()
    answer = await hub.send("GET", "/v1/code/vasps", headers={"Content-Type": None})
    assert answer.status_code == 200
