"""Solana: the address is the Ed25519 public key; the message is signed unchanged."""

from __future__ import annotations

import re

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from travelrule.crypto import exact_base64
from travelrule.crypto.encodings import base58
from travelrule.screening.ownership.proof_result import ProofCode, ProofResult

SCHEME = "ed25519"
_KEY_BYTES, _SIGNATURE_BYTES = 32, 64
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{128})", re.ASCII)


def check(address: str, message: str, signature: str) -> ProofResult:
    """Check a signature in base58, as wallets show it, base64, or hex."""
    key = base58.decode(address)
    if key is None or len(key) != _KEY_BYTES:
        return ProofResult(ProofCode.ADDRESS_MALFORMED, SCHEME)
    raw = _signature(signature.strip())
    if raw is None:
        return ProofResult(ProofCode.SIGNATURE_MALFORMED, SCHEME)
    try:
        VerifyKey(key).verify(message.encode(), raw)
    except (BadSignatureError, ValueError):
        return ProofResult(ProofCode.SIGNATURE_MISMATCH, SCHEME)
    return ProofResult(ProofCode.SIGNATURE_VALID, SCHEME)


def _signature(text: str) -> bytes | None:
    form = _HEX.fullmatch(text)
    read = (bytes.fromhex(form[1]) if form else None, exact_base64.decode(text), base58.decode(text))
    return next((raw for raw in read if raw is not None and len(raw) == _SIGNATURE_BYTES), None)
