"""Flipping any bit of what is signed, or of the signature, is refused."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.hub import AUTHORIZATION, SOUTH, hub_under_test, signed

BODY = json.dumps(AUTHORIZATION).encode()
HEADERS = signed(BODY, nonce=123_456, remote=SOUTH)
PARTS = {
    "body": BODY,
    "X-Code-Req-Datetime": HEADERS["X-Code-Req-Datetime"].encode(),
    "X-Code-Req-Nonce": HEADERS["X-Code-Req-Nonce"].encode(),
    "X-Code-Req-Signature": HEADERS["X-Code-Req-Signature"].encode(),
    "X-Code-Req-PubKey": HEADERS["X-Code-Req-PubKey"].encode(),
}
PLACES = [(part, index, bit) for part, raw in PARTS.items() for index in range(len(raw)) for bit in range(8)]
# What HTTP itself strips or refuses in a header never reaches the hub as that byte.
NO_HEADER_BYTE = {*range(0x20), 0x7F, 0x20}


async def _send(body: bytes, headers: dict[str, str | bytes]) -> tuple[int, int]:
    hub = hub_under_test(lenient_time=True)
    answer = await hub.client.post("/v1/code/transfer/south", content=body, headers=headers)  # type: ignore[arg-type]
    return answer.status_code, len(hub.south.calls)


async def test_the_request_itself_is_good() -> None:
    assert await _send(BODY, dict(HEADERS)) == (200, 1)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PLACES))
def test_any_flipped_bit_is_refused(place: tuple[str, int, int]) -> None:
    part, index, bit = place
    raw = bytearray(PARTS[part])
    raw[index] ^= 1 << bit
    if part != "body" and raw[index] in NO_HEADER_BYTE:
        raw[index] = ord("~")
    headers: dict[str, str | bytes] = dict(HEADERS)
    if part != "body":
        headers[part] = bytes(raw)
    status, forwarded = asyncio.run(_send(bytes(raw) if part == "body" else BODY, headers))
    assert (status, forwarded) == (422, 0), (part, index, bit)


@settings(max_examples=50, deadline=None)
@given(st.binary(min_size=1, max_size=4), st.integers(0, len(BODY)))
def test_inserted_bytes_are_refused(extra: bytes, at: int) -> None:
    status, forwarded = asyncio.run(_send(BODY[:at] + extra + BODY[at:], dict(HEADERS)))
    assert (status, forwarded) == (422, 0)


async def test_signed_bytes_do_not_slide_from_the_body_into_the_time() -> None:
    """No separator stands between the signed parts, so the same signature fits a shorter body and a longer time."""
    headers = signed(b"5" + BODY, nonce=9, remote=SOUTH)
    headers["X-Code-Req-Datetime"] += "5"
    assert await _send(BODY, dict(headers)) == (422, 0)
