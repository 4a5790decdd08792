"""The few encodings that proofs need: keccak-256, base58, and the addresses that belong to a public key."""

from __future__ import annotations

import hashlib

from Crypto.Hash import RIPEMD160, keccak

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_P2PKH, _P2SH = b"\x00", b"\x05"


def keccak256(data: bytes) -> bytes:
    """Return the Keccak-256 hash (the padding of Ethereum, not of SHA-3)."""
    return keccak.new(digest_bits=256, data=data).digest()


def evm_address(public_key: bytes) -> str:
    """Return the address of an uncompressed secp256k1 key (65 bytes), ``0x`` and lower case."""
    return "0x" + keccak256(public_key[1:])[-20:].hex()


def base58_encode(data: bytes) -> str:
    """Return base58 in Bitcoin's alphabet."""
    number = int.from_bytes(data, "big")
    digits = ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def base58_decode(text: str, length_max: int = 128) -> bytes | None:
    """Return the bytes behind base58, or None; ``length_max`` characters bound the work."""
    if len(text) > length_max:
        return None
    number = 0
    for character in text:
        digit = _BASE58.find(character)
        if digit < 0:
            return None
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def bitcoin_addresses(compressed: bytes, uncompressed: bytes) -> tuple[str, ...]:
    """Return every mainnet address of one key: P2PKH of both forms, P2SH-P2WPKH, P2WPKH."""
    program = _hash160(compressed)
    return (
        _base58_check(_P2PKH + program),
        _base58_check(_P2PKH + _hash160(uncompressed)),
        _base58_check(_P2SH + _hash160(b"\x00\x14" + program)),
        _p2wpkh(program),
    )


def double_sha256(data: bytes) -> bytes:
    """Return SHA-256 of SHA-256."""
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def _hash160(data: bytes) -> bytes:
    # OpenSSL 3 may come without RIPEMD-160, so hashlib cannot be relied on.
    return RIPEMD160.new(hashlib.sha256(data).digest()).digest()


def _base58_check(data: bytes) -> str:
    return base58_encode(data + double_sha256(data)[:4])


def _p2wpkh(program: bytes) -> str:
    number = int.from_bytes(program, "big")
    groups = [0, *((number >> shift) & 31 for shift in range(155, -1, -5))]
    prefix = [3, 3, 0, 2, 3]  # "bc", expanded
    check = _polymod([*prefix, *groups, *[0] * 6]) ^ 1
    groups += [(check >> shift) & 31 for shift in range(25, -1, -5)]
    return "bc1" + "".join(_BECH32[group] for group in groups)


def _polymod(values: list[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate(_BECH32_GENERATOR):
            check ^= generator if (top >> place) & 1 else 0
    return check
