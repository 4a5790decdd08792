"""Bitcoin: BIP-137 (a recoverable signature of 65 bytes) and BIP-322 in its simple form (a witness)."""

from __future__ import annotations

import binascii
import re

import bip322
from coincurve import PublicKey

from travelrule.crypto.encodings.base58 import double_sha256
from travelrule.crypto.encodings.public_keys import bitcoin_addresses
from travelrule.screening.ownership.proof_result import ProofCode, ProofResult

BIP_137 = "bip-137"
BIP_322 = "bip-322"

_ADDRESS = re.compile(r"[13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71}")
_SIMPLE = "smp"
_OTHER_FORMS = ("ful", "pof")
"""Prefixes of BIP-322: a full transaction or a proof of funds cannot be checked here."""

_COMPACT_BYTES = 65
_HEADER_FIRST, _HEADER_LAST = 27, 42
_MAGIC = b"\x18Bitcoin Signed Message:\n"
_ONE_BYTE_MAX, _TWO_BYTES_MAX = 0xFC, 0xFFFF


def check(address: str, message: str, signature: str) -> ProofResult:
    """Check a base64 signature for a mainnet address."""
    if _ADDRESS.fullmatch(address) is None:
        return ProofResult(ProofCode.ADDRESS_MALFORMED)
    text = signature.strip()
    if text.startswith(_OTHER_FORMS):
        return ProofResult(ProofCode.SCHEME_UNSUPPORTED)
    text = text.removeprefix(_SIMPLE)
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return ProofResult(ProofCode.SIGNATURE_MALFORMED)
    # A witness of 65 bytes does not exist: the shortest, one Schnorr signature, has 66.
    return _compact(address, message, raw) if len(raw) == _COMPACT_BYTES else _simple(address, message, text)


def _compact(address: str, message: str, raw: bytes) -> ProofResult:
    """Check BIP-137. The header names a kind of address, but wallets use the oldest one for all: any kind matches."""
    if not _HEADER_FIRST <= raw[0] <= _HEADER_LAST:
        return ProofResult(ProofCode.SIGNATURE_MALFORMED, BIP_137)
    recovery = (raw[0] - _HEADER_FIRST) & 3
    encoded = message.encode()
    digest = double_sha256(_MAGIC + _var_int(len(encoded)) + encoded)
    try:
        key = PublicKey.from_signature_and_message(raw[1:] + bytes([recovery]), digest, hasher=None)
    except ValueError:
        return ProofResult(ProofCode.SIGNATURE_MISMATCH, BIP_137)
    given = address.lower() if address.startswith("BC1") else address
    owned = given in bitcoin_addresses(key.format(compressed=True), key.format(compressed=False))
    return ProofResult(ProofCode.SIGNATURE_VALID if owned else ProofCode.SIGNATURE_MISMATCH, BIP_137)


def _simple(address: str, message: str, text: str) -> ProofResult:
    try:
        bip322.verify_simple_encoded(address, message, text)
    except bip322.VerificationError:
        # The text of the error quotes address and signature, so it is dropped.
        return ProofResult(ProofCode.SIGNATURE_MISMATCH, BIP_322)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 -- a panic of the library's Rust side is a BaseException; it proves nothing
        return ProofResult(ProofCode.VERIFIER_FAILED)
    return ProofResult(ProofCode.SIGNATURE_VALID, BIP_322)


def _var_int(number: int) -> bytes:
    if number <= _ONE_BYTE_MAX:
        return bytes([number])
    if number <= _TWO_BYTES_MAX:
        return b"\xfd" + number.to_bytes(2, "little")
    return b"\xfe" + number.to_bytes(4, "little")
