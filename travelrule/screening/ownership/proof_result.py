"""The result of the check of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Outcome = Literal["valid", "invalid", "unsupported"]


class ProofCode(StrEnum):
    """The reason for an outcome: stable, and without any value of the proof."""

    SIGNATURE_VALID = "SIGNATURE_VALID"
    SIGNATURE_MISMATCH = "SIGNATURE_MISMATCH"
    SIGNATURE_MALFORMED = "SIGNATURE_MALFORMED"
    ADDRESS_MALFORMED = "ADDRESS_MALFORMED"
    CHAIN_UNSUPPORTED = "CHAIN_UNSUPPORTED"
    SCHEME_UNSUPPORTED = "SCHEME_UNSUPPORTED"
    VERIFIER_FAILED = "VERIFIER_FAILED"
    MESSAGE_UNREADABLE = "MESSAGE_UNREADABLE"
    DOMAIN_MISMATCH = "DOMAIN_MISMATCH"
    ADDRESS_MISMATCH = "ADDRESS_MISMATCH"
    REFERENCE_MISMATCH = "REFERENCE_MISMATCH"
    NONCE_MISMATCH = "NONCE_MISMATCH"
    NOT_YET_VALID = "NOT_YET_VALID"
    EXPIRED = "EXPIRED"


_UNSUPPORTED = frozenset({ProofCode.CHAIN_UNSUPPORTED, ProofCode.SCHEME_UNSUPPORTED, ProofCode.VERIFIER_FAILED})


@dataclass(frozen=True, slots=True)
class ProofResult:
    """The outcome of one check.

    ``scheme`` is the signature scheme that was checked (``eip-191``, ``bip-137``, ``bip-322``, ``ed25519``; empty if
    none was). ``message_checked``: the content of the message was compared with the required values.
    """

    code: ProofCode
    scheme: str = ""
    message_checked: bool = False

    @property
    def outcome(self) -> Outcome:
        """``valid``, ``invalid``, or ``unsupported``, which means that the proof could not be checked."""
        if self.code is ProofCode.SIGNATURE_VALID:
            return "valid"
        return "unsupported" if self.code in _UNSUPPORTED else "invalid"

    @property
    def checked_by_us(self) -> bool:
        """Whether the check here was conclusive, so that no other party's result is needed."""
        return self.outcome != "unsupported"

    def to_wire(self) -> dict[str, object]:
        """Return the form of the check for events and records."""
        return {
            "outcome": self.outcome,
            "code": str(self.code),
            "scheme": self.scheme,
            "checkedByUs": self.checked_by_us,
            "messageChecked": self.message_checked,
        }
