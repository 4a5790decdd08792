"""Payload encryption between two VASPs: NaCl crypto_box on converted Ed25519 keys (auth.md 6).

Wire form: standard padded base64 of ``nonce24 || tag16 || ciphertext``. The key agreement costs far more than
the box, so the agreed key is kept per (our key, peer key) in a bounded cache.

The box proves that one of the two wrote the payload, not which one: a returned payload is no request. The map to X25519
drops the sign bit of a public key, so a key and its negative open the same box: compare the whole key with the
directory entry of the origin before opening.
"""

from __future__ import annotations

from functools import lru_cache

from nacl import bindings
from nacl.exceptions import CryptoError as NaclError

from travelrule.crypto import exact_base64
from travelrule.crypto.errors import InvalidPeerKey, SealError
from travelrule.crypto.signing import PUBLIC_BYTES, SigningKey

NONCE_BYTES = 24
OVERHEAD_BYTES = 40
SHARED_KEYS_KEPT = 4096


def exchange_public(public_base64: str) -> bytes:
    """Return the X25519 public key of an Ed25519 public key (auth.md 6, step 3).

    Raises InvalidPeerKey if the text is not base64 of 32 bytes or is no valid point.
    """
    public = exact_base64.decode(public_base64)
    if public is None or len(public) != PUBLIC_BYTES:
        raise InvalidPeerKey("the counterparty's public key is not base64 of 32 bytes: refresh its keys")
    try:
        return bindings.crypto_sign_ed25519_pk_to_curve25519(public)
    except NaclError:
        raise InvalidPeerKey("the counterparty's public key is no valid point: refresh its keys") from None


@lru_cache(maxsize=SHARED_KEYS_KEPT)
def shared_key(own: SigningKey, peer_public_base64: str) -> bytes:
    """Return the agreed key of a pair (auth.md 6, step 4); the same in both directions."""
    peer = exchange_public(peer_public_base64)
    try:
        return bindings.crypto_box_beforenm(peer, own.exchange_secret())
    except NaclError:
        raise InvalidPeerKey("the counterparty's public key gives no agreed key: refresh its keys") from None


def seal(own: SigningKey, peer_public_base64: str, plain: bytes, nonce24: bytes) -> str:
    """Encrypt for a counterparty; return the text of the ``payload`` field.

    ``nonce24`` is 24 random bytes, never used twice. Raises InvalidPeerKey for a bad counterparty key.
    """
    if len(nonce24) != NONCE_BYTES:
        raise ValueError("a sealing nonce has 24 bytes")
    box = bindings.crypto_box_afternm(plain, nonce24, shared_key(own, peer_public_base64))
    return exact_base64.encode(nonce24 + box)


def open_sealed(own: SigningKey, peer_public_base64: str, payload: str) -> bytes:
    """Decrypt a ``payload``; raises SealError (``INVALID_ENCRYPTED_BODY``) for anything that does not open.

    As receiver of a request ``peer_public_base64`` is ``X-Code-Req-PubKey``, already found in the directory
    entry of the origin; as requester it is the remote key that the request used.
    """
    sealed = exact_base64.decode(payload)
    if sealed is None:
        raise SealError("the payload is not standard padded base64")
    if len(sealed) < OVERHEAD_BYTES:
        raise SealError("the payload is shorter than nonce and tag")
    key = shared_key(own, peer_public_base64)
    try:
        return bindings.crypto_box_open_afternm(sealed[NONCE_BYTES:], sealed[:NONCE_BYTES], key)
    except NaclError:
        raise SealError("the payload does not open with this pair of keys") from None
