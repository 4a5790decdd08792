"""TXID and wallet search: the members called, the outcome, and who may read it (hub-api.md 4.A.9, P.1 to P.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.hub import NORTH, SOUTH, error_of, member
from tests.support.search_hub import (
    HANGS,
    NO,
    REQUEST_ID,
    TXID_SEARCH,
    WALLET_SEARCH,
    YES,
    Kind,
    answered,
    rows,
    search_hub,
)
from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.network_file import HubLimits
from travelrule.hub.ports import MemberAnswer, NoMemberAnswer

KINDS = pytest.mark.parametrize("kind", [TXID_SEARCH, WALLET_SEARCH], ids=["txid", "wallet"])
UNKNOWN = "LACK_OF_INFORMATION"
AS_SOUTH: dict[str, Any] = {"key": SOUTH, "origin": "code:south"}


@KINDS
async def test_the_one_finder_is_named_in_the_field_of_its_search(kind: Kind) -> None:
    hub = search_hub({"east": YES})
    assert await hub.search(kind) == {
        "result": "valid",
        kind.finder: "east",
        "requestId": REQUEST_ID,
        "analysisResult": [
            {"entityId": "south", "result": kind.not_found},
            {"entityId": "east", "result": "FOUND"},
        ],
    }


@KINDS
async def test_nobody_and_several(kind: Kind) -> None:
    nobody = await search_hub().search(kind)
    assert (nobody["result"], nobody["reasonType"]) == ("invalid", kind.not_found)
    several = await search_hub({"east": YES, "south": YES}).search(kind)
    assert (several["result"], several["reasonType"]) == ("invalid", "ALLIANCE_DATA_NON_UNIQUE_RESULT")
    assert rows(several) == {"south": "FOUND", "east": "FOUND"}
    assert kind.finder not in nobody | several


@pytest.mark.parametrize(
    "said",
    [
        answered(503, errorType="VASP_BACKEND_INTERNAL_ERROR"),
        answered(500, result="valid"),
        answered(result="perhaps"),
        answered(result=True),
        answered(),
        MemberAnswer(200, b"<html>valid</html>"),
        MemberAnswer(200, b'["valid"]'),
        NoMemberAnswer(reached=False),
        NoMemberAnswer(reached=True),
        RuntimeError("a fault of the transport"),
        HANGS,
    ],
)
@KINDS
async def test_whoever_gives_no_usable_answer_is_not_available(said: Any, kind: Kind) -> None:
    hub = search_hub({"south": said, "east": YES})
    result = await hub.search(kind)
    assert (result["result"], result[kind.finder]) == ("valid", "east")
    assert rows(result) == {"south": "SYSTEM_NOT_AVAILABLE", "east": "FOUND"}
    alone = await search_hub({"south": said}).search(kind)
    assert (alone["reasonType"], rows(alone)["south"]) == (kind.not_found, "SYSTEM_NOT_AVAILABLE")


async def test_yes_and_no_in_any_case() -> None:
    result = await search_hub({"south": answered(result="Valid"), "east": answered(result="INVALID")}).search()
    assert rows(result) == {"south": "FOUND", "east": "NOT_FOUND_TXID"}


@KINDS
async def test_all_are_asked_at_once_and_none_longer_than_its_budget(kind: Kind) -> None:
    crowd = [member(f"m{number}", SigningKey(bytes([number]) * 32)) for number in range(1, 41)]
    hub = search_hub({entry.entity_id: HANGS for entry in crowd} | {"south": YES}, *crowd)
    result = await hub.search(kind)
    assert hub.members.hanging_most == 40
    assert sum(row == "SYSTEM_NOT_AVAILABLE" for row in rows(result).values()) == 40
    assert (result[kind.finder], rows(result)["east"]) == ("south", kind.not_found)


def test_a_member_gets_one_second() -> None:
    assert HubLimits().member_search_seconds == 1


@KINDS
async def test_it_is_processing_until_the_last_has_answered(kind: Kind) -> None:
    hub = search_hub({"south": HANGS, "east": YES}, member_search_seconds=0.1)
    assert (await hub.start(kind)).json()["result"] == "SUCCESS"
    running = await hub.result(kind)
    assert (running["result"], running["reasonType"], running["requestId"]) == ("invalid", "PROCESSING", REQUEST_ID)
    assert running["analysisResult"] == []
    await hub.hub.tasks.settled()
    assert (await hub.result(kind))[kind.finder] == "east"


@KINDS
async def test_neither_the_caller_nor_the_hub_nor_a_member_that_is_down_is_asked(kind: Kind) -> None:
    hub = search_hub({"north": YES, "down": YES, "codevasp": YES})
    assert (await hub.search(kind))["reasonType"] == kind.not_found
    assert sorted(hub.members.asked) == ["east", "south"]
    await hub.start(kind, **AS_SOUTH)
    await hub.hub.tasks.settled()
    assert (await hub.result(kind, **AS_SOUTH))[kind.finder] == "north"


@pytest.mark.parametrize(
    ("kind", "fields", "asked"),
    [
        (TXID_SEARCH, {}, False),
        (TXID_SEARCH, {"currency": "XRP"}, False),
        (TXID_SEARCH, {"network": "XRP"}, False),
        (TXID_SEARCH, {"currency": "XRP", "network": ""}, False),
        (TXID_SEARCH, {"currency": "XRP", "network": "XRP"}, True),
        (TXID_SEARCH, {"currency": "XRP", "network": "all"}, True),
        (WALLET_SEARCH, {}, False),
        (WALLET_SEARCH, {"network": "all"}, True),
    ],
)
async def test_affiliated_networks_are_asked_only_with_currency_and_network(
    kind: Kind, fields: dict[str, str], asked: bool
) -> None:
    hub = search_hub({"west": YES})
    result = await hub.search(kind, fields=fields)
    assert ("west" in hub.members.asked, "west" in rows(result)) == (asked, asked)
    assert {"south", "east"} <= set(hub.members.asked)


@KINDS
async def test_a_result_is_shown_only_to_its_requester(kind: Kind) -> None:
    hub = search_hub({"east": YES})
    await hub.search(kind)
    foreign = await hub.result(kind, **AS_SOUTH)
    never = await hub.result(kind, "never-used", **AS_SOUTH)
    assert foreign == never | {"requestId": REQUEST_ID}
    assert (foreign["result"], foreign["reasonType"], foreign["analysisResult"]) == ("invalid", UNKNOWN, [])
    assert kind.finder not in foreign


async def test_a_running_search_is_hidden_from_others_too() -> None:
    hub = search_hub({"south": HANGS})
    await hub.start()
    assert (await hub.result(**AS_SOUTH))["reasonType"] == UNKNOWN
    await hub.hub.tasks.settled()


async def test_two_vasps_may_choose_the_same_id_and_each_reads_its_own() -> None:
    hub = search_hub({"south": YES})
    await hub.search()
    answer = await hub.start(fields={"txid": "another"}, **AS_SOUTH)
    assert answer.json()["result"] == "SUCCESS"
    await hub.hub.tasks.settled()
    assert (await hub.result(**AS_SOUTH))["reasonType"] == "NOT_FOUND_TXID"
    assert (await hub.result())["vaspEntityId"] == "south"


async def test_the_two_kinds_do_not_see_each_other() -> None:
    hub = search_hub({"south": YES})
    await hub.search(TXID_SEARCH)
    assert (await hub.result(WALLET_SEARCH))["reasonType"] == UNKNOWN
    assert (await hub.search(WALLET_SEARCH))["beneficiaryVaspEntityId"] == "south"


@KINDS
async def test_the_same_id_and_content_searches_once(kind: Kind) -> None:
    hub = search_hub({"south": YES})
    started = await asyncio.gather(*(hub.start(kind) for _ in range(3)))
    assert {answer.json()["result"] for answer in started} == {"SUCCESS"}
    await hub.hub.tasks.settled()
    assert (await hub.start(kind, fields={"someUnknownField": 1})).json()["result"] == "SUCCESS"
    await hub.hub.tasks.settled()
    assert sorted(hub.members.asked) == ["east", "south"]
    assert (await hub.result(kind))[kind.finder] == "south"


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        (TXID_SEARCH, {"txid": "other"}),
        (TXID_SEARCH, {"beneficiaryAddress": "rOTHER"}),
        (TXID_SEARCH, {"currency": "XRP"}),
        (TXID_SEARCH, {"network": "XRP"}),
        (TXID_SEARCH, {"callbackUrl": "https://north.invalid/x"}),
        (WALLET_SEARCH, {"addressNumber": "rOTHER"}),
        (WALLET_SEARCH, {"currency": "BTC"}),
        (WALLET_SEARCH, {"network": "XRP"}),
    ],
)
async def test_the_same_id_with_other_content_is_refused(kind: Kind, changed: dict[str, str]) -> None:
    hub = search_hub({"south": YES})
    before = await hub.search(kind)
    refused = await hub.start(kind, fields=changed)
    assert error_of(refused) == (422, "INVALID_MSG_FIELD_VALUE")
    assert len(hub.members.calls) == 2
    assert await hub.result(kind) == before


async def test_the_case_of_a_currency_and_an_empty_field_are_no_other_content() -> None:
    hub = search_hub()
    await hub.search(WALLET_SEARCH)
    again = await hub.start(WALLET_SEARCH, fields={"currency": "xrp", "network": "", "callbackUrl": None})
    assert again.json()["result"] == "SUCCESS"


@KINDS
async def test_a_result_is_kept_for_a_day_and_then_the_id_is_new(kind: Kind) -> None:
    hub = search_hub({"south": YES})
    await hub.search(kind)
    hub.clock.forward(24 * 3600 - 1)
    at = hub.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (await hub.result(kind, at=at))[kind.finder] == "south"
    hub.clock.forward(1)
    assert (await hub.result(kind, at=at))["reasonType"] == UNKNOWN
    hub.members.says["south"] = NO
    await hub.start(kind, at=at)
    await hub.hub.tasks.settled()
    assert (await hub.result(kind, at=at))["reasonType"] == kind.not_found


async def test_what_is_forgotten_takes_no_memory() -> None:
    hub = search_hub()
    for number in range(50):
        await hub.start(fields={"requestId": f"r{number}"})
    await hub.hub.tasks.settled()
    kept = hub.hub.state._searches  # type: ignore[attr-defined]
    assert len(kept) == 50
    hub.clock.forward(24 * 3600)
    await hub.result(request_id="r1", at=hub.clock.now.strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert len(kept) == 0


async def test_an_id_is_any_text_even_one_with_slashes() -> None:
    hub = search_hub({"south": YES})
    await hub.start(fields={"requestId": "a/b c:ü"})
    await hub.hub.tasks.settled()
    assert (await hub.result(request_id="a%2Fb%20c%3A%C3%BC"))["requestId"] == "a/b c:ü"


@KINDS
async def test_searches_are_limited_and_reading_results_is_not(kind: Kind) -> None:
    hub = search_hub(rate_limit_per_minute=1)
    assert (await hub.start(kind)).status_code == 200
    assert error_of(await hub.start(kind)) == (429, "TOO_MANY_REQUESTS")
    await hub.hub.tasks.settled()
    assert [(await hub.result(kind))["reasonType"] for _ in range(5)] == [kind.not_found] * 5


async def test_the_end_of_the_hub_waits_for_searches_but_not_for_ever() -> None:
    hub = search_hub({"south": YES})
    await hub.start()
    await hub.hub.tasks.aclose(1)
    assert (await hub.result())["vaspEntityId"] == "south"
    slow = search_hub({"south": HANGS}, member_search_seconds=60)
    await slow.start()
    await slow.hub.tasks.aclose(0.01)
    assert (await slow.result())["reasonType"] == "PROCESSING"


async def test_the_journal_tells_who_was_asked_and_what_was_told() -> None:
    hub = search_hub({"south": YES, "east": answered(503, errorType="VASP_BACKEND_INTERNAL_ERROR")})
    await hub.search()
    (search,) = hub.recorded("txid-search")
    (result,) = hub.recorded("txid-search-result")
    assert (search.caller, search.request_id, search.txid, search.result) == (
        "north", REQUEST_ID, "9f1c0e5a", "SUCCESS"
    )  # fmt: skip
    assert (result.caller, result.request_id, result.result) == ("north", REQUEST_ID, "valid")
    checks = {record.target: record for record in hub.recorded("txid-check")}
    assert checks.keys() == {"south", "east"}
    assert {(check.caller, check.request_id, check.reached) for check in checks.values()} == {
        ("codevasp", REQUEST_ID, True)
    }
    assert (checks["south"].status, checks["south"].result, checks["south"].error_type) == (200, "valid", "")
    assert (checks["east"].status, checks["east"].error_type) == (503, "VASP_BACKEND_INTERNAL_ERROR")
    assert "rPEPPER" not in str(hub.records.kept)


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("X-Code-Req-Signature", None, "MISSING_HEADER_FIELD"),
        ("X-Request-Origin", "north", "ILLEGAL_FORMAT_OF_ORIGIN"),
        ("X-Request-Origin", "code:nobody", "INVALID_ORIGIN"),
        ("X-Code-Req-PubKey", SOUTH.public_base64, "INVALID_HEADER_SIGNATURE"),
        ("X-Code-Req-Nonce", "x", "INVALID_MSG_FIELD_VALUE"),
        ("X-Code-Req-Signature", NORTH.sign("x", b"", 1), "INVALID_HEADER_SIGNATURE"),
    ],
)
@KINDS
async def test_the_checks_of_every_operation_come_first(name: str, value: str | None, refusal: str, kind: Kind) -> None:
    hub = search_hub()
    bad_body = {"requestId": 7, "callbackUrl": "x"}
    assert error_of(await hub.start(kind, fields=bad_body, headers={name: value})) == (422, refusal)
    response = await hub.send("GET", f"{kind.path}/{REQUEST_ID}", headers={name: value})
    assert error_of(response) == (422, refusal)
    assert hub.members.calls == []


@pytest.mark.parametrize(
    ("kind", "field", "value", "refusal"),
    [
        *((TXID_SEARCH, field, "", "MISSING_REQUIRED_MSG_FIELD") for field in ("txid", "beneficiaryAddress")),
        *((WALLET_SEARCH, field, None, "MISSING_REQUIRED_MSG_FIELD") for field in ("currency", "addressNumber")),
        (TXID_SEARCH, "requestId", "", "MISSING_REQUIRED_MSG_FIELD"),
        (WALLET_SEARCH, "requestId", "", "MISSING_REQUIRED_MSG_FIELD"),
        (TXID_SEARCH, "requestId", 5, "INVALID_MSG_FIELD_VALUE"),
        (TXID_SEARCH, "requestId", "x" * 201, "INVALID_MSG_FIELD_VALUE"),
        (TXID_SEARCH, "requestId", "x\n", "INVALID_MSG_FIELD_VALUE"),
        (TXID_SEARCH, "currency", ["XRP"], "INVALID_MSG_FIELD_VALUE"),
        (WALLET_SEARCH, "network", 1, "INVALID_MSG_FIELD_VALUE"),
        (WALLET_SEARCH, "callbackUrl", 1, "INVALID_MSG_FIELD_VALUE"),
    ],
)
async def test_body_fields(kind: Kind, field: str, value: Any, refusal: str) -> None:
    hub = search_hub()
    assert error_of(await hub.start(kind, fields={field: value})) == (422, refusal)
    assert (await hub.result(kind))["reasonType"] == UNKNOWN
