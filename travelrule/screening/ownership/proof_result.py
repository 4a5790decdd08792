"""What a check of a proof comes to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Outcome = Literal["valid", "invalid", "unsupported"]


class ProofCode(StrEnum):
    """Why; stable, without any value of the proof in it."""

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

    ``scheme`` is the way of signing that was looked at (``eip-191``, ``bip-137``, ``bip-322``, ``ed25519``; empty if
    none was), ``message_checked`` whether the content of the message was compared with what it had to say.
    """

    code: ProofCode
    scheme: str = ""
    message_checked: bool = False

    @property
    def outcome(self) -> Outcome:
        """Say ``valid``, ``invalid``, or ``unsupported``: then nothing is known about the proof."""
        if self.code is ProofCode.SIGNATURE_VALID:
            return "valid"
        return "unsupported" if self.code in _UNSUPPORTED else "invalid"

    @property
    def checked_by_us(self) -> bool:
        """Whether we came to a conclusion ourselves, instead of having to believe somebody."""
        return self.outcome != "unsupported"

    def to_wire(self) -> dict[str, object]:
        """Return what an event or a record says of the check."""
        return {
            "outcome": self.outcome,
            "code": str(self.code),
            "scheme": self.scheme,
            "checkedByUs": self.checked_by_us,
            "messageChecked": self.message_checked,
        }
