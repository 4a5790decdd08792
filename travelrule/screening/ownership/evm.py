"""EIP-191 ``personal_sign``: the address that signed is recovered from the signature and compared."""

from __future__ import annotations

import re

from coincurve import PublicKey

from travelrule.crypto.encodings.keccak import keccak256
from travelrule.crypto.encodings.public_keys import evm_address
from travelrule.screening.ownership.proof_result import ProofCode, ProofResult

SCHEME = "eip-191"
ETHEREUM = "Ethereum"
KLAYTN = "Klaytn"
"""Names in the prefix of a signed message: wallets of Kaia still use its former name."""

_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}", re.ASCII)
_HEX = re.compile(r"(?:0[xX])?((?:[0-9a-fA-F]{2})*)", re.ASCII)
_SIGNATURE_BYTES = 65
_V_ELECTRUM = 27  # Bitcoin's offset, which Ethereum adopted; hardware wallets omit it


def message_hash(message: str, prefix: str = ETHEREUM) -> bytes:
    """Return the hash that is signed; the length counts bytes of UTF-8."""
    raw = message.encode()
    return keccak256(b"\x19" + prefix.encode() + b" Signed Message:\n" + str(len(raw)).encode() + raw)


def check(address: str, message: str, signature: str, prefixes: tuple[str, ...] = (ETHEREUM,)) -> ProofResult:
    """Check the signature (hex, 65 bytes r, s, v) of an address ``0x...``; any of the prefixes may match.

    A longer signature may be that of a contract (EIP-1271, EIP-6492), which only its chain can verify.
    """
    if _ADDRESS.fullmatch(address) is None:
        return ProofResult(ProofCode.ADDRESS_MALFORMED, SCHEME)
    form = _HEX.fullmatch(signature.strip())
    raw = bytes.fromhex(form[1]) if form else b""
    if len(raw) > _SIGNATURE_BYTES:
        return ProofResult(ProofCode.SCHEME_UNSUPPORTED)
    if len(raw) != _SIGNATURE_BYTES:
        return ProofResult(ProofCode.SIGNATURE_MALFORMED, SCHEME)
    recovery = raw[-1] - _V_ELECTRUM if raw[-1] >= _V_ELECTRUM else raw[-1]
    if recovery not in (0, 1):
        return ProofResult(ProofCode.SIGNATURE_MALFORMED, SCHEME)
    recoverable = raw[:-1] + bytes([recovery])
    signers = {recovered(recoverable, message_hash(message, prefix)) for prefix in prefixes}
    matches = address.lower() in signers
    return ProofResult(ProofCode.SIGNATURE_VALID if matches else ProofCode.SIGNATURE_MISMATCH, SCHEME)


def recovered(recoverable: bytes, digest: bytes) -> str:
    """Return the address of the key that made a signature; empty if no key can have made it."""
    try:
        key = PublicKey.from_signature_and_message(recoverable, digest, hasher=None)
    except ValueError:
        return ""
    return evm_address(key.format(compressed=False))
