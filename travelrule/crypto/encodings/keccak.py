"""Keccak-256 as Ethereum and Monero use it; SHA3-256 of the standard pads otherwise and gives other values."""

from __future__ import annotations

from Crypto.Hash import keccak


def keccak256(data: bytes) -> bytes:
    """Return the 32 bytes of the hash."""
    return keccak.new(digest_bits=256, data=data).digest()
