"""The exceptions of this room.

::

    CryptoError                      ValueError: the message names the fix and holds no key and no content
    +-- KeyTextError                 a key in the settings has a wrong form
    +-- SealError                    a payload cannot be opened (503 INVALID_ENCRYPTED_BODY)
    |   +-- InvalidPeerKey           the counterparty's public key is not a usable point
    +-- AtRestError                  a stored record cannot be opened
        +-- UnknownStorageKey        its key-encryption key is not among the settings
"""

from __future__ import annotations


class CryptoError(ValueError):
    """A failure of this room; ``code`` is stable and safe to log."""

    code = "CRYPTO"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        """Keep the code beside the message."""
        super().__init__(message)
        if code is not None:
            self.code = code


class KeyTextError(CryptoError):
    """A key given as text is not base64 of the right length."""

    code = "INVALID_KEY"


class SealError(CryptoError):
    """A sealed payload cannot be opened (auth.md 6, step "Receiver")."""

    code = "INVALID_ENCRYPTED_BODY"


class InvalidPeerKey(SealError):  # noqa: N818 - the name other rooms use
    """A counterparty's public key is no Ed25519 point that can be mapped to X25519."""


class AtRestError(CryptoError):
    """A stored record cannot be opened."""

    code = "STORED_RECORD_UNREADABLE"


class UnknownStorageKey(AtRestError):  # noqa: N818 - the name other rooms use
    """The key-encryption key that wrapped a data key is not among the configured ones."""

    code = "STORAGE_KEY_UNKNOWN"
