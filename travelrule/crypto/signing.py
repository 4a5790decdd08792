"""Ed25519 request signatures and the keys that make them (auth.md 2 and 3).

``message = utf8(datetime) || body || uint32_be(nonce)``: no separators, body and datetime exactly as sent. Method, path
and the other headers are not covered: a caller that trusts them checks them otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nacl import bindings
from nacl.exceptions import BadSignatureError

from travelrule.crypto import exact_base64
from travelrule.crypto.errors import KeyTextError
from travelrule.crypto.key_holder import KeyHolder

NONCE_LIMIT = 2**32
SEED_BYTES = 32
EXPANDED_BYTES = 64
PUBLIC_BYTES = 32
SIGNATURE_BYTES = 64


def signed_bytes(datetime_text: str, body: bytes, nonce: int) -> bytes:
    """Return the bytes under a request signature.

    Raises ValueError for a nonce outside 0..4294967295 or a datetime that has no UTF-8 form.
    """
    if not 0 <= nonce < NONCE_LIMIT:
        raise ValueError("the nonce must be within 0..4294967295")
    return b"".join((datetime_text.encode("utf-8"), body, nonce.to_bytes(4, "big")))


class SigningKey(KeyHolder):
    """One of our Ed25519 pairs: signs requests, and opens payloads through its X25519 form."""

    __slots__ = ("_exchange_secret", "_expanded", "public", "public_base64")

    public: bytes
    public_base64: str

    def __init__(self, seed: bytes) -> None:
        """Derive the pair from a 32-byte seed; a 64-byte key is read as seed followed by public key."""
        if len(seed) not in (SEED_BYTES, EXPANDED_BYTES):
            raise KeyTextError("a signing key has 32 bytes: make one with `travelrule keys generate`")
        self.public, self._expanded = bindings.crypto_sign_seed_keypair(seed[:SEED_BYTES])
        self._exchange_secret = bindings.crypto_sign_ed25519_sk_to_curve25519(self._expanded)
        self.public_base64 = exact_base64.encode(self.public)

    @classmethod
    def from_base64(cls, text: str) -> SigningKey:
        """Read a seed (32 bytes, or the 64 bytes some samples use) from standard padded base64."""
        raw = exact_base64.decode(text.strip())
        if raw is None or len(raw) not in (SEED_BYTES, EXPANDED_BYTES):
            raise KeyTextError(
                "a signing key must be standard padded base64 of a 32-byte Ed25519 seed (44 characters): "
                "make one with `travelrule keys generate`"
            )
        return cls(raw)

    def sign(self, datetime_text: str, body: bytes, nonce: int) -> str:
        """Return the value of ``X-Code-Req-Signature``."""
        return exact_base64.encode(self.sign_message(signed_bytes(datetime_text, body, nonce)))

    def sign_message(self, message: bytes) -> bytes:
        """Return the detached 64-byte signature over any message; callers add a domain prefix of their own."""
        return bindings.crypto_sign(message, self._expanded)[:SIGNATURE_BYTES]

    def exchange_secret(self) -> bytes:
        """Return the X25519 private key (auth.md 6, step 2). For `sealing` only: never store or show it."""
        return self._exchange_secret

    def __repr__(self) -> str:
        return f"<SigningKey public={self.public_base64}>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SigningKey) and other.public == self.public

    def __hash__(self) -> int:
        return hash(self.public)


def verify(public_base64: str, datetime_text: str, body: bytes, nonce: int, signature_base64: str) -> bool:
    """Whether the signature was made over exactly these values; never raises for what a peer sent.

    The caller takes ``public_base64`` from the directory entry of the origin, not blindly from the header.
    """
    try:
        message = signed_bytes(datetime_text, body, nonce)
    except ValueError:
        return False
    signature = exact_base64.decode(signature_base64)
    return signature is not None and verify_message(public_base64, message, signature)


def verify_message(public_base64: str, message: bytes, signature: bytes) -> bool:
    """Whether ``signature`` is this key's Ed25519 signature over ``message``."""
    public = exact_base64.decode(public_base64)
    if public is None or len(public) != PUBLIC_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    try:
        bindings.crypto_sign_open(signature + message, public)
    except BadSignatureError:
        return False
    return True


class KeyRing(KeyHolder):
    """Our keys during a rotation: the first signs, all open (auth.md 2)."""

    __slots__ = ("_by_public", "_keys")

    def __init__(self, keys: Iterable[SigningKey]) -> None:
        """Keep the keys in the order given, newest first."""
        self._keys: Sequence[SigningKey] = tuple(dict.fromkeys(keys))
        if not self._keys:
            raise KeyTextError("no signing key is configured: make one with `travelrule keys generate`")
        self._by_public = {key.public: key for key in self._keys}

    @classmethod
    def from_text(cls, text: str) -> KeyRing:
        """Read comma-separated base64 seeds, as the setting ``SIGNING_KEY`` holds them."""
        return cls(SigningKey.from_base64(part) for part in text.split(",") if part.strip())

    @property
    def signing(self) -> SigningKey:
        """The key that signs and whose public half is sent in ``X-Code-Req-PubKey``."""
        return self._keys[0]

    @property
    def publics(self) -> tuple[str, ...]:
        """All public keys, base64, newest first."""
        return tuple(key.public_base64 for key in self._keys)

    def for_public(self, public_base64: str | None) -> list[SigningKey]:
        """Return the keys to open a payload with.

        With ``X-Code-Req-Remote-PubKey`` the named one, none if it is not ours; without the header all, newest first.
        """
        if not public_base64:
            return list(self._keys)
        public = exact_base64.decode(public_base64)
        key = self._by_public.get(public) if public is not None else None
        return [] if key is None else [key]
