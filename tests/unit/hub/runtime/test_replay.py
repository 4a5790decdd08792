"""Nonce and signature memory (auth.md sections 4 and 5)."""

from __future__ import annotations

import pytest

from tests.support.hub import NORTH, SOUTH, error_of, expired, hub_under_test, member, signed

DUPLICATE = (422, "DUPLICATED_HEADER_NONCE")
LIST = "/v1/code/vasps"


async def test_a_nonce_may_recur_after_100_seconds_and_not_before() -> None:
    hub = hub_under_test()
    assert (await hub.send("GET", LIST, nonce=5)).status_code == 200
    hub.clock.forward(99.9)
    assert error_of(await hub.send("GET", LIST, nonce=5, at="2026-11-20T09:01:39Z")) == DUPLICATE
    hub.clock.forward(0.1)
    assert (await hub.send("GET", LIST, nonce=5, at="2026-11-20T09:01:40Z")).status_code == 200


async def test_nonces_of_two_origins_do_not_meet() -> None:
    hub = hub_under_test()
    assert (await hub.send("GET", LIST, nonce=5)).status_code == 200
    assert (await hub.send("GET", LIST, nonce=5, key=SOUTH, origin="code:south")).status_code == 200


async def test_another_case_of_the_alliance_is_no_other_origin() -> None:
    hub = hub_under_test()
    assert (await hub.send("GET", LIST, nonce=5)).status_code == 200
    assert error_of(await hub.send("GET", LIST, nonce=5, origin="Code:north")) == DUPLICATE


async def test_a_call_that_is_not_verified_uses_up_no_nonce() -> None:
    """Anybody could burn another VASP's nonces otherwise."""
    hub = hub_under_test()
    forged = {"X-Code-Req-Signature": SOUTH.sign("2026-11-20T09:00:00Z", b"", 5)}
    assert error_of(await hub.send("GET", LIST, nonce=5, headers=forged)) == (422, "INVALID_HEADER_SIGNATURE")
    assert (await hub.send("GET", LIST, nonce=5)).status_code == 200


async def test_a_replay_older_than_the_nonce_window_is_refused_in_strict_mode() -> None:
    hub = hub_under_test()
    headers = signed(nonce=5)
    assert (await hub.client.get(LIST, headers=headers)).status_code == 200
    hub.clock.forward(200)
    assert error_of(await hub.client.get(LIST, headers=headers)) == DUPLICATE


async def test_a_replay_does_not_occupy_the_nonce_again() -> None:
    hub = hub_under_test()
    headers = signed(nonce=5)
    await hub.client.get(LIST, headers=headers)
    hub.clock.forward(200)
    await hub.client.get(LIST, headers=headers)
    assert (await hub.send("GET", LIST, nonce=5, at="2026-11-20T09:03:20Z")).status_code == 200


async def test_a_signature_is_remembered_until_its_time_is_out_of_tolerance() -> None:
    """A request dated one tolerance ahead stays in time for two tolerances: so long it must be refused."""
    hub = hub_under_test()
    headers = signed(nonce=5, at="2026-11-20T09:05:00Z")
    assert (await hub.client.get(LIST, headers=headers)).status_code == 200
    hub.clock.forward(599)
    assert error_of(await hub.client.get(LIST, headers=headers)) == DUPLICATE
    hub.clock.forward(2)
    assert error_of(await hub.client.get(LIST, headers=headers)) == (422, "INVALID_MSG_FIELD_VALUE")


async def test_a_body_less_signature_fits_no_second_path() -> None:
    hub = hub_under_test()
    headers = signed(nonce=5)
    assert (await hub.client.get(LIST, headers=headers)).status_code == 200
    assert error_of(await hub.client.get("/v1/code/connect/coin-network", headers=headers)) == DUPLICATE


async def test_expired_and_removed_keys_sign_nothing() -> None:
    hub = hub_under_test()
    assert (await hub.send("GET", LIST)).status_code == 200
    for entry in (expired(member("north", NORTH)), member("north", SOUTH)):
        await hub.hub.state.put_member(entry, up=True)
        assert error_of(await hub.send("GET", LIST)) == (422, "INVALID_HEADER_SIGNATURE")


async def test_a_key_without_readable_expiry_is_usable() -> None:
    hub = hub_under_test()
    entry = member("north", NORTH)
    unreadable = entry.pubkeys[0].__class__(NORTH.public_base64, "2022-06-31T23:59:59Z", None)
    await hub.hub.state.put_member(entry.__class__("north", "N", "SG", "code", (unreadable,)), up=True)
    assert (await hub.send("GET", LIST)).status_code == 200


@pytest.mark.parametrize("place", ["expired", "rotated away"])
async def test_an_old_key_of_the_target_is_refused(place: str) -> None:
    hub = hub_under_test()
    entry = expired(member("south", SOUTH)) if place == "expired" else member("south", NORTH)
    await hub.hub.state.put_member(entry, up=True)
    assert error_of(await hub.authorize()) == (422, "INVALID_RECEIVER_PUBLIC_KEY")
