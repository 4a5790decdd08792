"""The requests to members in a search: sent by the hub itself, with no more than they need."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.support.hub import NOW, SOUTH, member
from tests.support.search_hub import (
    ACCOUNT,
    CALLBACK_URL,
    EAST,
    HUB,
    TXID,
    TXID_SEARCH,
    WALLET_SEARCH,
    WEST,
    YES,
    Kind,
    rows,
    search_hub,
)
from travelrule.crypto.sealing import open_sealed
from travelrule.crypto.signing import SigningKey
from travelrule.hub.members.member import MemberKey

FULL = {"network": "XRP", "currency": "XRP", "callbackUrl": CALLBACK_URL}


async def test_the_txid_question_names_neither_caller_nor_callback_nor_id() -> None:
    hub = search_hub()
    await hub.search(TXID_SEARCH, fields=FULL)
    assert hub.members.question("south") == {"txid": TXID, "beneficiaryAddress": ACCOUNT}
    assert hub.members.question("west") == {
        "txid": TXID, "beneficiaryAddress": ACCOUNT, "currency": "XRP", "network": "XRP"
    }  # fmt: skip


@pytest.mark.parametrize("kind", [TXID_SEARCH, WALLET_SEARCH])
async def test_the_headers_are_those_of_a_forwarded_call_with_the_hub_as_origin(kind: Kind) -> None:
    hub = search_hub()
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    await hub.search(kind, headers={"traceparent": trace})
    seen = []
    for _, call in hub.members.calls:
        headers = dict(call.headers)
        seen.append(headers.pop("X-Code-Req-Nonce"))
        assert seen[-1].isdigit()
        assert int(seen[-1]) < 2**32
        if kind is WALLET_SEARCH:
            assert headers.pop("X-Code-Req-Remote-PubKey") in (SOUTH.public_base64, EAST.public_base64)
        assert headers == {
            "X-Code-Req-Datetime": "2026-11-20T09:00:00Z",
            "X-Code-Req-PubKey": HUB.public_base64,
            "X-Request-Origin": "code:codevasp",
            "traceparent": trace,
            "Content-Type": "application/json",
        }
    assert len(set(seen)) == len(seen) == 2


async def test_the_wallet_question_is_sealed_for_each_member_and_holds_the_account_alone() -> None:
    hub = search_hub()
    await hub.search(WALLET_SEARCH, fields={"network": "XRP"})
    sealed = []
    for entity_id, key in (("south", SOUTH), ("east", EAST), ("west", WEST)):
        body = hub.members.question(entity_id)
        sealed.append(body["payload"])
        plain = json.loads(open_sealed(key, HUB.public_base64, body["payload"]))
        assert plain == {"ivms101": {"Beneficiary": {"beneficiaryPersons": [], "accountNumber": [ACCOUNT]}}}
        assert (body["currency"], body["network"]) == ("XRP", "XRP")
    assert len({text[:32] for text in sealed}) == 3
    assert set(hub.members.question("south")) == {"currency", "payload", "network"}
    west = hub.members.question("west")
    assert (west["address"], west["tag"]) == tuple(ACCOUNT.split(":"))


async def test_own_members_are_not_told_the_network_all() -> None:
    """`all` is no network: a member would have to answer that it does not serve it."""
    hub = search_hub()
    await hub.search(WALLET_SEARCH, fields={"network": "ALL"})
    assert "network" not in hub.members.question("south")
    assert hub.members.question("west")["network"] == "ALL"


async def test_of_several_keys_the_one_that_lasts_longest_seals() -> None:
    old, lasting = SigningKey(b"o" * 32), SigningKey(b"l" * 32)
    entry = member("many", old, expires_at="2020-01-01T00:00:00Z")
    keys = (*entry.pubkeys, *member("x", lasting, expires_at="2040-01-01T00:00:00Z").pubkeys)
    later = (*keys, MemberKey(SOUTH.public_base64, "unknown", None))
    hub = search_hub({"many": YES}, replace(entry, pubkeys=later))
    assert (await hub.search(WALLET_SEARCH))["beneficiaryVaspEntityId"] == "many"
    payload = hub.members.question("many")["payload"]
    assert b"accountNumber" in open_sealed(lasting, HUB.public_base64, payload)


async def test_a_member_without_usable_key_is_not_available_to_a_wallet_search() -> None:
    entry = member("keyless")
    ended = member("ended", SigningKey(b"q" * 32), expires_at=datetime(2026, 1, 1, tzinfo=UTC).isoformat())
    hub = search_hub({"keyless": YES, "ended": YES}, entry, ended)
    result = await hub.search(WALLET_SEARCH)
    assert (rows(result)["keyless"], rows(result)["ended"]) == ("SYSTEM_NOT_AVAILABLE",) * 2
    assert {record.target: record.reached for record in hub.recorded("wallet-check")}["keyless"] is False
    assert NOW.year == 2026
    hub = search_hub({"keyless": YES}, entry)
    assert (await hub.search(TXID_SEARCH))["vaspEntityId"] == "keyless"
