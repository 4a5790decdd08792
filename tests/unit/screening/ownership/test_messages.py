"""The signed message: what binds it to one request, and what of it a signer may not change."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from coincurve import PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from travelrule.crypto.encodings.public_keys import evm_address
from travelrule.screening.ownership.evm import message_hash
from travelrule.screening.ownership.proof_check import check_proof
from travelrule.screening.ownership.proof_message import ProofBinding, ProofMessage, fault_of, parse
from travelrule.screening.ownership.proof_result import ProofCode

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
KEY = PrivateKey(b"k" * 32)
ADDRESS = evm_address(KEY.public_key.format(compressed=False))
BOUND = ProofBinding("app.north.example:443", ADDRESS, "customer-1", "n0nce")
MESSAGE = ProofMessage(
    bound=BOUND,
    chain="Ethereum",
    uri="https://app.north.example:443",
    statement="I prove to North Ltd. that this wallet is mine.",
    issued_at=NOW,
    expires_at=NOW + timedelta(hours=24),
    chain_id="1",
)

# The example of EIP-4361, with the expiry and request id that we ask for besides.
PUBLISHED = """example.com wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Expiration Time: 2021-10-01T16:25:24Z
Request ID: some-id
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json"""


def signed(text: str) -> str:
    raw = KEY.sign_recoverable(message_hash(text), hasher=None)
    return "0x" + raw[:64].hex() + bytes([raw[64] + 27]).hex()


def test_a_message_is_read_as_it_was_written() -> None:
    assert parse(MESSAGE.text()) == MESSAGE
    bare = replace(MESSAGE, statement="", chain_id="")
    assert parse(bare.text()) == bare
    assert parse(MESSAGE.text().replace("\n", "\r\n")) == MESSAGE


def test_the_published_form_is_read() -> None:
    message = parse(PUBLISHED)
    assert message is not None
    assert message.bound == ProofBinding(
        "example.com", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "some-id", "32891756"
    )
    assert message.statement == "I accept the ExampleOrg Terms of Service: https://example.com/tos"
    assert message.issued_at == datetime(2021, 9, 30, 16, 25, 24, tzinfo=UTC)
    assert (message.chain, message.chain_id, message.uri) == ("Ethereum", "1", "https://example.com/login")


@pytest.mark.parametrize("name", ["URI", "Version", "Nonce", "Issued At", "Expiration Time", "Request ID"])
def test_a_message_without_one_of_its_parts_is_unreadable(name: str) -> None:
    lines = [line for line in MESSAGE.text().split("\n") if not line.startswith(f"{name}:")]
    assert parse("\n".join(lines)) is None
    assert parse(f"{MESSAGE.text()}\n{name}: other") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I own it",
        MESSAGE.text().replace("Version: 1", "Version: 2"),
        MESSAGE.text().replace("2026-11-20T09:00:00Z", "today"),
        MESSAGE.text() + "x" * 4000,
    ],
)
def test_other_texts_are_unreadable(text: str) -> None:
    assert fault_of(text, BOUND, NOW) is ProofCode.MESSAGE_UNREADABLE


@pytest.mark.parametrize(
    ("bound", "code"),
    [
        (replace(BOUND, domain="app.south.example"), ProofCode.DOMAIN_MISMATCH),
        (replace(BOUND, address="0x" + "0" * 40), ProofCode.ADDRESS_MISMATCH),
        (replace(BOUND, reference="customer-2"), ProofCode.REFERENCE_MISMATCH),
        (replace(BOUND, nonce="n0nce2"), ProofCode.NONCE_MISMATCH),
        (replace(BOUND, nonce="\u00e9"), ProofCode.NONCE_MISMATCH),
    ],
)
def test_a_good_signature_over_a_message_for_something_else_is_invalid(bound: ProofBinding, code: ProofCode) -> None:
    check = check_proof("ETH", ADDRESS, MESSAGE.text(), signed(MESSAGE.text()), bound=bound, now=NOW)
    assert (check.outcome, check.code, check.message_checked) == ("invalid", code, True)


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (-1, ProofCode.NOT_YET_VALID),
        (0, ProofCode.SIGNATURE_VALID),
        (86_399, ProofCode.SIGNATURE_VALID),
        (86_400, ProofCode.EXPIRED),
    ],
)
def test_a_message_is_good_for_its_time(seconds: int, code: ProofCode) -> None:
    now = NOW + timedelta(seconds=seconds)
    assert check_proof("ETH", ADDRESS, MESSAGE.text(), signed(MESSAGE.text()), bound=BOUND, now=now).code is code


def test_an_invalid_signature_is_told_before_what_the_message_says() -> None:
    check = check_proof("ETH", ADDRESS, "anything", signed("something"), bound=BOUND, now=NOW)
    assert (check.code, check.message_checked) == (ProofCode.SIGNATURE_MISMATCH, False)


def test_the_case_of_an_evm_address_is_only_a_checksum() -> None:
    upper = replace(BOUND, address="0x" + ADDRESS[2:].upper())
    assert fault_of(MESSAGE.text(), upper, NOW) is None
    solana = replace(MESSAGE, bound=replace(BOUND, address="SoL"))
    assert fault_of(solana.text(), replace(BOUND, address="sOl"), NOW) is ProofCode.ADDRESS_MISMATCH


def test_nothing_of_the_customer_stands_in_a_repr() -> None:
    said = repr(MESSAGE) + repr(BOUND)
    assert ADDRESS not in said
    assert "customer-1" not in said
    assert "n0nce" not in said


def test_a_message_is_not_judged_without_a_moment() -> None:
    with pytest.raises(ValueError, match="now"):
        check_proof("ETH", ADDRESS, MESSAGE.text(), signed(MESSAGE.text()), bound=BOUND)


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert parse(text) is None
    assert fault_of(f"{MESSAGE.text()}\n\n{text}", BOUND, NOW) in (None, ProofCode.MESSAGE_UNREADABLE)
