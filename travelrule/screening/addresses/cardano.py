"""Cardano addresses of the Shelley era (CIP-19)."""

from __future__ import annotations

from travelrule.crypto.encodings.bech32 import Bech32
from travelrule.screening.addresses.address_form import AddressForm

PREFIXES = frozenset({"addr", "addr_test", "stake", "stake_test"})

_CREDENTIAL_BYTES = 28
_BASE_TYPES = range(4)
_POINTER_TYPES = (4, 5)
_ENTERPRISE_TYPES = (6, 7)
_STAKE_TYPES = (14, 15)
_STAKE_BY_SCRIPT = (2, 3, 15)
_MAINNET = 1


def read(decoded: Bech32, key: str, flaws: tuple[str, ...]) -> AddressForm:
    """Return the form of decoded bech32. The stake credential is a second key: addresses of one wallet share it."""
    payload = decoded.payload()
    kind = f"cardano/{decoded.prefix}"
    if payload is None or not payload:
        return AddressForm("Cardano", kind, (key,), (*flaws, "wrong padding"))
    wrong = () if _fits(decoded, payload) else ("header does not fit",)
    if wrong or decoded.variant != "bech32":
        return AddressForm("Cardano", kind, (key,), (*flaws, *(wrong or ("needs bech32",))))
    stake = _stake_key(payload)
    return AddressForm("Cardano", kind, (key, stake) if stake else (key,), flaws)


def _fits(decoded: Bech32, payload: bytes) -> bool:
    """Whether type, network and length agree with the prefix."""
    kind, network = payload[0] >> 4, payload[0] & 15
    if (network == _MAINNET) == decoded.prefix.endswith("_test"):
        return False
    size = len(payload) - 1
    if decoded.prefix.startswith("stake"):
        return kind in _STAKE_TYPES and size == _CREDENTIAL_BYTES
    if kind in _POINTER_TYPES:  # three numbers of variable length follow
        return _CREDENTIAL_BYTES + 3 <= size <= _CREDENTIAL_BYTES + 30
    if kind in _ENTERPRISE_TYPES:
        return size == _CREDENTIAL_BYTES
    return kind in _BASE_TYPES and size == 2 * _CREDENTIAL_BYTES


def _stake_key(payload: bytes) -> str | None:
    """Return the key of the stake credential, None without one; a key and a script differ."""
    kind, network = payload[0] >> 4, payload[0] & 15
    if kind not in _BASE_TYPES and kind not in _STAKE_TYPES:
        return None
    how = "script" if kind in _STAKE_BY_SCRIPT else "key"
    return f"cardano-stake:{network}:{how}:{payload[-_CREDENTIAL_BYTES:].hex()}"
