"""Addresses in base58 with the alphabet of Bitcoin, distinguished by their length in bytes and their checksum."""

from __future__ import annotations

from travelrule.crypto.encodings import base58
from travelrule.screening.addresses import byron, polkadot
from travelrule.screening.addresses.address_form import AddressForm, exact
from travelrule.screening.addresses.hexadecimal import evm_key

_SHORTEST, _LONGEST = 25, 140
_HASH_BYTES = 20
_VERSION_MAX = 3
_SOLANA_BYTES = 32

PAY_TO_KEY = "p2pkh"
PAY_TO_SCRIPT = "p2sh"
_SAME_HASH = {b"\x00": PAY_TO_KEY, b"\x05": PAY_TO_SCRIPT, b"\x32": PAY_TO_SCRIPT}
"""Versions whose hash other spellings share: Bitcoin, Bitcoin Cash (legacy), Litecoin (old ``3...``, ``M...``)."""
_TRON = b"\x41"


def read(text: str) -> tuple[AddressForm, ...]:
    """Return every form of a text: one without a checksum (Solana) may by chance be another address too."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return ()
    raw = base58.decode(text)
    if raw is None:
        return ()
    found = (_solana(text, raw), polkadot.read(raw), byron.read(text, raw), _with_checksum(text, raw))
    return tuple(form for form in found if form is not None)


def hash_key(kind: str, hashed: bytes) -> str:
    """Return the key that all spellings of one script of the Bitcoin family share."""
    return f"{kind}:{hashed.hex()}"


def base58check_key(payload: bytes) -> str:
    """Return the key of version and hash if no other version means the same."""
    return f"base58check:{payload.hex()}"


def _solana(text: str, raw: bytes) -> AddressForm | None:
    return AddressForm("Solana", "solana", (exact(text),)) if len(raw) == _SOLANA_BYTES else None


def _with_checksum(text: str, raw: bytes) -> AddressForm | None:
    payload = base58.checked(raw)
    if payload is None:
        return None
    version, hashed = payload[:-_HASH_BYTES], payload[-_HASH_BYTES:]
    if not 0 < len(version) <= _VERSION_MAX:
        return AddressForm("base58check", "base58check", (exact(text),))
    if version == _TRON:
        return AddressForm("TRON", "tron", (evm_key(hashed.hex()),))
    shared = _SAME_HASH.get(version)
    key = hash_key(shared, hashed) if shared else base58check_key(payload)
    return AddressForm("base58check", f"base58check/{version.hex()}", (exact(text), key))
