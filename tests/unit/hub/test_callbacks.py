"""Callbacks: one POST with the object of the result, to URLs that may be called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.hub import error_of
from tests.support.search_hub import CALLBACK_URL, REQUEST_ID, TXID_SEARCH, WALLET_SEARCH, YES, Kind, search_hub
from travelrule.hub.ports import NoMemberAnswer

URL = {"callbackUrl": CALLBACK_URL}


@pytest.mark.parametrize("kind", [TXID_SEARCH, WALLET_SEARCH], ids=["txid", "wallet"])
@pytest.mark.parametrize("said", [{"south": YES}, {}, {"south": YES, "east": YES}], ids=["one", "none", "two"])
async def test_the_end_is_told_once_and_is_the_object_of_the_result(kind: Kind, said: dict[str, Any]) -> None:
    hub = search_hub(said)
    result = await hub.search(kind, fields=URL)
    (call,) = hub.callbacks.calls
    assert (call.url, json.loads(call.body)) == (CALLBACK_URL, result)
    await hub.start(kind, fields=URL)
    await hub.hub.tasks.settled()
    assert len(hub.callbacks.calls) == 1


async def test_without_a_url_nobody_is_called() -> None:
    hub = search_hub({"south": YES})
    await hub.search(fields={"callbackUrl": ""})
    assert hub.callbacks.calls == []
    assert hub.recorded("callback") == []


@pytest.mark.parametrize(
    ("answer", "status", "reached", "error"),
    [
        (200, 200, True, ""),
        (500, 500, True, ""),
        (NoMemberAnswer(reached=False), None, False, "BENEFICIARY_VASP_REQUEST_TIMEOUT"),
        (NoMemberAnswer(reached=True), None, True, "BENEFICIARY_VASP_REQUEST_TIMEOUT"),
        (RuntimeError("x"), None, True, ""),
    ],
)
async def test_whatever_is_answered_there_is_no_second_attempt(
    answer: int | Exception, status: int | None, reached: bool, error: str
) -> None:
    hub = search_hub({"south": YES})
    hub.callbacks.answer = answer
    assert (await hub.search(fields=URL))["vaspEntityId"] == "south"
    assert len(hub.callbacks.calls) == 1
    (record,) = hub.recorded("callback")
    assert (record.status, record.reached, record.error_type) == (status, reached, error)
    assert (record.caller, record.target, record.request_id, record.result) == (
        "codevasp", "north", REQUEST_ID, "valid"
    )  # fmt: skip


async def test_whoever_is_called_back_finds_the_result() -> None:
    hub = search_hub({"south": YES})
    found: list[str] = []

    async def ask_at_once(_: Any) -> int:
        found.append((await hub.result()).get("vaspEntityId", ""))
        return 200

    hub.callbacks.post_callback = ask_at_once  # type: ignore[method-assign,assignment]
    await hub.search(fields=URL)
    assert found == ["south"]


@pytest.mark.parametrize(
    "url",
    [
        "http://north.invalid/x",
        "http://127.0.0.1/x",
        "HTTP://127.0.0.1/x",
        "ftp://north.invalid/x",
        "https://",
        "https:///path",
        "//north.invalid/x",
        "north.invalid/x",
        "file:///etc/passwd",
        "https://north.invalid:port/x",
        "https://north.invalid/\r\nx",
        "https://[::1/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://127.0.0.1/x",
        "https://127.0.0.1./x",
        "https://127.1/x",
        "https://2130706433/x",
        "https://0x7f000001/x",
        "https://0177.0.0.1/x",
        "https://0/x",
        "https://[::1]:8443/x",
        "https://[::ffff:10.0.0.1]/x",
        "https://user@north.invalid/x",
        "https://user:secret@north.invalid/x",
        "https://:secret@north.invalid/x",
        "https://@north.invalid/x",
        "https://@10.0.0.1/x",
        "https://north.invalid@8.8.8.8?x",
        "https://@8.8.8.8#x",
        f"https://north.invalid/{'x' * 2000}",
    ],
)
async def test_other_urls_are_refused_and_nothing_is_searched(url: str) -> None:
    hub = search_hub({"south": YES})
    for kind in (TXID_SEARCH, WALLET_SEARCH):
        assert error_of(await hub.start(kind, fields={"callbackUrl": url})) == (422, "INVALID_MSG_FIELD_VALUE")
        assert (await hub.result(kind))["reasonType"] == "LACK_OF_INFORMATION"
    assert hub.members.calls == []


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://127.0.0.1:8082/x", 200),
        ("http://127.1.2.3/x", 200),
        ("http://localhost:1/x", 200),
        ("http://[::1]:1/x", 200),
        ("https://north.invalid/x", 200),
        ("http://north.invalid/x", 422),
        ("http://192.168.0.1/x", 422),
        ("http://localhost.north.invalid/x", 422),
        ("http://127.0.0.1.north.invalid/x", 422),
        ("http://127.0.0.1@north.invalid/x", 422),
    ],
)
async def test_the_test_switch_allows_plain_http_on_the_own_machine_only(url: str, status: int) -> None:
    hub = search_hub(allow_http_callbacks=True)
    assert (await hub.start(fields={"callbackUrl": url})).status_code == status
    await hub.hub.tasks.settled()
    assert len(hub.callbacks.calls) == (status == 200)


async def test_the_url_is_a_secret() -> None:
    hub = search_hub({"south": YES})
    await hub.search(fields=URL)
    assert "secret-path" not in repr(hub.records.kept) + repr(hub.callbacks.calls)
