"""The addresses that belong to a secp256k1 public key, on the EVM chains and on Bitcoin's main network."""

from __future__ import annotations

import hashlib

from Crypto.Hash import RIPEMD160

from travelrule.crypto.encodings import base58, bech32
from travelrule.crypto.encodings.keccak import keccak256

_P2PKH, _P2SH = b"\x00", b"\x05"
_WITNESS_VERSION = b"\x00"
_PROGRAM_BITS = 160


def evm_address(public_key: bytes) -> str:
    """Return the address of an uncompressed key (65 bytes), ``0x`` and lower case."""
    return "0x" + keccak256(public_key[1:])[-20:].hex()


def bitcoin_addresses(compressed: bytes, uncompressed: bytes) -> tuple[str, ...]:
    """Return every address of one key: P2PKH of both forms, P2SH-P2WPKH, P2WPKH."""
    program = _hash160(compressed)
    return (
        _base58_check(_P2PKH + program),
        _base58_check(_P2PKH + _hash160(uncompressed)),
        _base58_check(_P2SH + _hash160(b"\x00\x14" + program)),
        bech32.encode("bc", _WITNESS_VERSION + _five_bits(program)),
    )


def _hash160(data: bytes) -> bytes:
    # OpenSSL 3 may come without RIPEMD-160, so hashlib cannot be relied on.
    return RIPEMD160.new(hashlib.sha256(data).digest()).digest()


def _base58_check(payload: bytes) -> str:
    return base58.encode(base58.with_checksum(payload))


def _five_bits(program: bytes) -> bytes:
    number = int.from_bytes(program, "big")
    return bytes(number >> shift & 31 for shift in range(_PROGRAM_BITS - 5, -1, -5))
