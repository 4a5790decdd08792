"""XRP Ledger addresses: classic, and X-addresses, which contain a classic one and may contain a tag (XLS-5)."""

from __future__ import annotations

from travelrule.crypto.encodings import base58
from travelrule.screening.addresses.address_form import AddressForm

_CLASSIC_LENGTHS = range(25, 36)
_X_LENGTH = 47
_ACCOUNT_BYTES = 20
_CLASSIC_START = b"\x00"
_NETWORKS = {b"\x05\x44": "x", b"\x04\x93": "x-test"}
_X_BYTES = 2 + _ACCOUNT_BYTES + 9


def read(text: str) -> AddressForm | None:
    """Return the form of a text; X-addresses that differ in the tag only are the same account."""
    if not ((text[:1] == "r" and len(text) in _CLASSIC_LENGTHS) or (text[:1] in ("X", "T") and len(text) == _X_LENGTH)):
        return None
    raw = base58.decode(text, base58.RIPPLE)
    payload = base58.checked(raw) if raw else None
    if payload is None:
        return None
    if len(payload) == 1 + _ACCOUNT_BYTES and payload.startswith(_CLASSIC_START):
        return AddressForm("XRP", "xrp", (_key(payload[1:]),))
    network = _NETWORKS.get(payload[:2])
    if network is None or len(payload) != _X_BYTES:
        return None
    return _x_address(payload[2:], network)


def _x_address(body: bytes, network: str) -> AddressForm | None:
    account, flag, tag = body[:_ACCOUNT_BYTES], body[_ACCOUNT_BYTES], body[_ACCOUNT_BYTES + 1 :]
    number = int.from_bytes(tag, "little")
    if flag > 1 or number >> 32 or (flag == 0 and number):
        return None
    return AddressForm("X-address", f"xrp/{network}", (_key(account),), tag=str(number) if flag else None)


def _key(account: bytes) -> str:
    return f"xrp:{account.hex()}"
