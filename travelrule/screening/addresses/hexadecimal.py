"""Addresses in hexadecimal: EVM chains, XDC, TRON, implicit NEAR accounts, Sui and Aptos."""

from __future__ import annotations

import re

from travelrule.crypto.encodings.keccak import keccak256
from travelrule.screening.addresses.address_form import AddressForm, is_mixed

NO_PREFIX = "no 0x in front"
WRONG_CHECKSUM = "wrong EIP-55 checksum"

_EVM_LETTERS = 40
_TEXT = re.compile(r"(0x|xdc|)([0-9a-f]{40}|41[0-9a-f]{40}|[0-9a-f]{64})")
_LENGTHS = frozenset({40, 42, 43, 44, 64, 66})
_WITHOUT_PREFIX = {40: "evm", 42: "tron/hex", 64: "near/implicit"}
_WITH_PREFIX = {40: "evm", 42: "tron/hex", 64: "hex32"}


def read(text: str) -> AddressForm | None:
    """Return the form of hexadecimal, in any case. The EIP-55 checksum is not checked (``checksum_warning``)."""
    if len(text) not in _LENGTHS:
        return None
    found = _TEXT.fullmatch(text.lower())
    if found is None:
        return None
    prefix, digits = found.groups()
    if prefix == "xdc":
        return AddressForm("XDC", "xdc", (evm_key(digits),)) if len(digits) == _EVM_LETTERS else None
    kind = (_WITH_PREFIX if prefix else _WITHOUT_PREFIX)[len(digits)]
    if kind == "evm":
        return AddressForm("EVM", kind, (evm_key(digits),), warnings=() if prefix else (NO_PREFIX,))
    if kind == "tron/hex":
        return AddressForm("TRON hex", kind, (evm_key(digits[2:]),))
    if kind == "hex32":
        return AddressForm("32 bytes hex", kind, (f"hex32:{digits}",))
    return AddressForm("NEAR implicit", kind, (f"near:{digits}",))


def evm_key(digits: str) -> str:
    """Return the key of 20 bytes in lower-case hex: one account has the same on every EVM chain and on TRON."""
    return f"evm:{digits}"


def checksum_warning(text: str) -> tuple[str, ...]:
    """Return a warning if the case of an EVM address is mixed and not that of EIP-55."""
    digits = text[-_EVM_LETTERS:]
    return (WRONG_CHECKSUM,) if is_mixed(digits) and digits != eip55(digits.lower()) else ()


def eip55(digits: str) -> str:
    """Return 40 lower-case hex digits with the case of the EIP-55 checksum."""
    signs = keccak256(digits.encode("ascii")).hex()
    return "".join(
        digit.upper() if sign >= "8" else digit for digit, sign in zip(digits, signs[:_EVM_LETTERS], strict=True)
    )
