"""Signatures that others published, and what becomes of them when anything is changed."""

from __future__ import annotations

import base64

import bip322
import pytest
from coincurve import PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from travelrule.crypto.encodings.base58 import decode as base58_decode
from travelrule.crypto.encodings.base58 import encode as base58_encode
from travelrule.crypto.encodings.public_keys import bitcoin_addresses, evm_address
from travelrule.screening.ownership.evm import KLAYTN, message_hash
from travelrule.screening.ownership.proof_check import check_proof
from travelrule.screening.ownership.proof_result import ProofCode

# The documentation of web3.js (eth.accounts.sign).
_SIGNED = (
    "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd"
    "6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c"
)
ETH = ("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23", "Some data", _SIGNED)
SIMPLE = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l"
TAPROOT = "bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3"
WITNESS_KEY = "ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI="
HELLO = f"AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/s{WITNESS_KEY}"
EMPTY = f"AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40{WITNESS_KEY}"
TAPROOT_HELLO = "AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=="
TREZOR = "This is an example of a signed message."
_TREZOR_TAIL = (
    "9e23edf0e4e47ff1dec27f32cd78c50e74ef018ee8a6adf35ae17c7a9b0dd96f"
    "48b493fd7dbab03efb6f439c6383c9523b3bbc5f1a7d158a6af90ab154e9be80"
)


def trezor(header: int) -> str:
    return base64.b64encode(bytes([header]) + bytes.fromhex(_TREZOR_TAIL)).decode()


# (address, message, signature, scheme): BIP-322's own vectors; Bitcoin Core and Electrum; the tests of a hardware
# wallet for P2SH-P2WPKH and P2WPKH.
BITCOIN = [
    (SIMPLE, "Hello World", HELLO, "bip-322"),
    (SIMPLE, "", EMPTY, "bip-322"),
    (SIMPLE, "Hello World", f"smp{HELLO}", "bip-322"),
    (TAPROOT, "Hello World", TAPROOT_HELLO, "bip-322"),
    (
        "1HUBHMij46Hae75JPdWjeZ5Q7KaL7EFRSD",
        "test message",
        "G/iew/NhHV9V9MdUEn/LFOftaTy1ivGPKPKyMlr8OSokNC755fAxpSThNRivwTNsyY9vPUDTRYBPc2cmGd5d4y4=",
        "bip-137",
    ),
    (
        "194vDb9xwY6XQi5bLa7FRPBewJdUqympZ9",
        "Hello, Bitcoin testing!",
        "IOeVH/0KqgmS3XKwqCJiwlcHonwxKMQN6fbOW5UsXSDZB4EGCVTXx6c+ZU/Ae5qO94MSBZn2aPOiUsupRIwBaAU=",
        "bip-137",
    ),
    ("3CwYaeWxhpXXiHue3ciQez1DLaTEAXcKa1", TREZOR, trezor(0x24), "bip-137"),
    ("bc1qyjjkmdpu7metqt5r36jf872a34syws33s82q2j", TREZOR, trezor(0x28), "bip-137"),
    ("BC1QYJJKMDPU7METQT5R36JF872A34SYWS33S82Q2J", TREZOR, trezor(0x28), "bip-137"),
]


def test_the_hashes_that_ethers_publishes() -> None:
    assert message_hash("Hello World").hex() == "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2"
    assert message_hash("Some data").hex() == "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655"


@pytest.mark.parametrize("blockchain", ["ETH", "ARBITRUM", "BASE", "KAIA", "MATIC", "BSC", "eth"])
def test_a_personal_signature_is_good_on_every_evm_chain(blockchain: str) -> None:
    check = check_proof(blockchain, *ETH)
    assert (check.outcome, check.code, check.scheme) == ("valid", "SIGNATURE_VALID", "eip-191")
    assert check.to_wire() == {
        "outcome": "valid",
        "code": "SIGNATURE_VALID",
        "scheme": "eip-191",
        "checkedByUs": True,
        "messageChecked": False,
    }


def test_forms_of_an_evm_signature_that_wallets_send() -> None:
    address, message, signature = ETH
    for form in (signature.removeprefix("0x"), signature.upper().replace("0X", "0x"), f" {signature}\n"):
        assert check_proof("ETH", address.lower(), message, form).outcome == "valid"
    assert signature.endswith("1c")
    assert check_proof("ETH", address, message, signature[:-2] + "01").outcome == "valid"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda address, message, signature: (address, message + " ", signature), ProofCode.SIGNATURE_MISMATCH),
        (lambda address, message, signature: (address[:-1] + "4", message, signature), ProofCode.SIGNATURE_MISMATCH),
        (lambda address, message, signature: (address, message, signature[:-2] + "1b"), ProofCode.SIGNATURE_MISMATCH),
        (lambda address, message, signature: (address, message, signature[:-2] + "25"), ProofCode.SIGNATURE_MALFORMED),
        (lambda address, message, signature: (address, message, signature[:-2]), ProofCode.SIGNATURE_MALFORMED),
        (lambda address, message, _: (address, message, "0x" + "00" * 64 + "1b"), ProofCode.SIGNATURE_MISMATCH),
        (lambda address, message, _: (address, message, "0x" + "ff" * 64 + "1b"), ProofCode.SIGNATURE_MISMATCH),
        (lambda address, message, _: (address, message, ""), ProofCode.SIGNATURE_MALFORMED),
        (lambda address, message, _: (address, message, "signed"), ProofCode.SIGNATURE_MALFORMED),
        (lambda _, message, signature: ("0x2c75", message, signature), ProofCode.ADDRESS_MALFORMED),
        (lambda _, message, signature: ("", message, signature), ProofCode.ADDRESS_MALFORMED),
        (lambda address, message, signature: (address, message, signature + "00" * 300), ProofCode.SCHEME_UNSUPPORTED),
    ],
)
def test_what_becomes_of_a_changed_evm_proof(change, code: ProofCode) -> None:
    check = check_proof("ETH", *change(*ETH))
    assert check.code is code
    assert check.outcome == ("unsupported" if code is ProofCode.SCHEME_UNSUPPORTED else "invalid")


def test_wallets_of_kaia_may_sign_under_its_former_name_and_others_may_not() -> None:
    key = PrivateKey(b"k" * 32)
    address = evm_address(key.public_key.format(compressed=False))
    raw = key.sign_recoverable(message_hash("mine", KLAYTN), hasher=None)
    signature = raw[:64].hex() + bytes([raw[64] + 27]).hex()
    assert check_proof("KAIA", address, "mine", signature).outcome == "valid"
    assert check_proof("ETH", address, "mine", signature).code is ProofCode.SIGNATURE_MISMATCH


@pytest.mark.parametrize(("address", "message", "signature", "scheme"), BITCOIN)
def test_published_bitcoin_signatures(address: str, message: str, signature: str, scheme: str) -> None:
    check = check_proof("BTC", address, message, signature)
    assert (check.outcome, check.scheme, check.checked_by_us) == ("valid", scheme, True)
    other = check_proof("BTC", address, f"{message}!", signature)
    assert (other.outcome, other.code) == ("invalid", "SIGNATURE_MISMATCH")
    foreign = TAPROOT if address != TAPROOT else SIMPLE
    assert check_proof("BTC", foreign, message, signature).outcome == "invalid"


@pytest.mark.parametrize("header", range(27, 43))
def test_any_header_of_a_compact_signature_is_read_by_its_recovery_id_only(header: int) -> None:
    right = (header - 27) % 4 == (0x28 - 27) % 4
    outcomes = {
        check_proof("BTC", address, TREZOR, trezor(header)).outcome
        for address in ("3CwYaeWxhpXXiHue3ciQez1DLaTEAXcKa1", "bc1qyjjkmdpu7metqt5r36jf872a34syws33s82q2j")
    }
    assert outcomes == {"valid" if right else "invalid"}


@pytest.mark.parametrize("header", [0, 26, 43, 255])
def test_other_headers_are_malformed(header: int) -> None:
    assert check_proof("BTC", BITCOIN[-2][0], TREZOR, trezor(header)).code is ProofCode.SIGNATURE_MALFORMED


@pytest.mark.parametrize("prefix", ["ful", "pof"])
def test_other_forms_of_bip_322_are_unsupported_and_not_invalid(prefix: str) -> None:
    check = check_proof("BTC", SIMPLE, "Hello World", prefix + HELLO)
    assert (check.outcome, check.code, check.checked_by_us) == ("unsupported", "SCHEME_UNSUPPORTED", False)


@pytest.mark.parametrize("signature", ["", "AA==", "!!", "smp", HELLO[:-4], TAPROOT_HELLO, "/////////////w=="])
def test_broken_witnesses_are_invalid(signature: str) -> None:
    assert check_proof("BTC", SIMPLE, "Hello World", signature).outcome == "invalid"


@pytest.mark.parametrize("address", ["tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "", "0x00", "bc1b"])
def test_addresses_of_other_networks_are_malformed(address: str) -> None:
    assert check_proof("BTC", address, "Hello World", HELLO).code is ProofCode.ADDRESS_MALFORMED


class PanicException(BaseException):
    """As PyO3 raises one: no ``Exception``."""


def test_a_panic_of_the_library_proves_nothing_and_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def panics(*_: str) -> None:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(bip322, "verify_simple_encoded", panics)
    check = check_proof("BTC", SIMPLE, "Hello World", HELLO)
    assert (check.outcome, check.code) == ("unsupported", "VERIFIER_FAILED")


def test_the_end_of_the_process_is_no_panic(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(*_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bip322, "verify_simple_encoded", ends)
    with pytest.raises(KeyboardInterrupt):
        check_proof("BTC", SIMPLE, "Hello World", HELLO)


def test_solana_signatures_in_each_form() -> None:
    # Key and signature of RFC 8032, section 7.1, test 2 (the message is one byte, 0x72 = "r").
    public = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    raw = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    address = base58_encode(public)
    for signature in (base58_encode(raw), base64.b64encode(raw).decode(), raw.hex(), f"0x{raw.hex()}"):
        check = check_proof("SOL", address, "r", signature)
        assert (check.outcome, check.scheme) == ("valid", "ed25519")
        assert check_proof("SOL", address, "s", signature).code is ProofCode.SIGNATURE_MISMATCH
    other = base58_encode(SigningKey(b"o" * 32).verify_key.encode())
    assert check_proof("SOL", other, "r", raw.hex()).code is ProofCode.SIGNATURE_MISMATCH
    assert check_proof("SOL", address, "r", raw.hex()[:-2]).code is ProofCode.SIGNATURE_MALFORMED
    assert check_proof("SOL", address[:-4], "r", raw.hex()).code is ProofCode.ADDRESS_MALFORMED
    assert check_proof("SOL", "0OIl", "r", raw.hex()).code is ProofCode.ADDRESS_MALFORMED


@pytest.mark.parametrize("blockchain", ["XRP", "TRX", "AVAX", "", "KATANAX"])
def test_a_chain_we_cannot_check_is_unsupported(blockchain: str) -> None:
    check = check_proof(blockchain, *ETH)
    assert (check.outcome, check.code, check.scheme) == ("unsupported", "CHAIN_UNSUPPORTED", "")


def test_addresses_of_a_known_key() -> None:
    # The private key 1, whose addresses are public.
    key = PrivateKey((1).to_bytes(32, "big")).public_key
    assert bitcoin_addresses(key.format(compressed=True), key.format(compressed=False)) == (
        "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
        "1EHNa6Q4Jz2uvNExL497mE43ikXhwF6kZm",
        "3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    )
    assert evm_address(key.format(compressed=False)) == "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"


@settings(max_examples=100)
@given(st.binary(max_size=80))
def test_base58_there_and_back(data: bytes) -> None:
    assert base58_decode(base58_encode(data)) == data


@settings(max_examples=100)
@given(
    st.sampled_from(["ETH", "KAIA", "BTC", "SOL", "XYZ"]),
    st.sampled_from([ETH[0], SIMPLE, TAPROOT, "1HUBHMij46Hae75JPdWjeZ5Q7KaL7EFRSD", base58_encode(b"a" * 32), "x"]),
    st.text(st.characters(exclude_categories=()), max_size=50),
    st.text(st.characters(exclude_categories=()), max_size=120)
    | st.binary(max_size=120).map(lambda raw: base64.b64encode(raw).decode()),
)
def test_nothing_a_stranger_sends_raises_or_is_valid(blockchain: str, address: str, message: str, sent: str) -> None:
    assert check_proof(blockchain, address, message, sent).outcome in ("invalid", "unsupported")


def test_what_is_too_long_is_not_looked_at() -> None:
    assert check_proof("ETH", ETH[0], "x" * 10_001, ETH[2]).code is ProofCode.SIGNATURE_MALFORMED
