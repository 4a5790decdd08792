"""The bytes under the signature of an operator's decision.

``"travelrule/decision/1" || 0x00 || JSON``, where the JSON is an object of the texts below in the form of RFC 8785:
names sorted, no blanks, UTF-8. It holds everything that identifies the decision, so a signature is valid for one event,
one subject and one VASP.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import orjson

from travelrule.crypto import exact_base64
from travelrule.crypto.signing import SigningKey, verify_message

_DOMAIN = b"travelrule/decision/1\x00"


@dataclass(frozen=True, slots=True)
class SignedDecision:
    """The signed fields. ``vasp`` is the entity id of the VASP that decides, ``source``, ``id`` and ``time`` are the
    event's; ``time`` is UTC, to the second, with ``Z``. ``key_id`` names the signing key.
    """

    vasp: str
    source: str
    id: str
    time: str
    subject: str
    decision: str
    actor: str
    reason: str
    key_id: str

    def message(self) -> bytes:
        """The signed bytes."""
        texts = asdict(self)
        texts["keyId"] = texts.pop("key_id")
        return _DOMAIN + orjson.dumps(texts, option=orjson.OPT_SORT_KEYS)

    def sign(self, key: SigningKey) -> str:
        """The signature, base64."""
        return exact_base64.encode(key.sign_message(self.message()))

    def is_signed(self, public_base64: str, signature_base64: str) -> bool:
        """Whether the signature is this key's over exactly this decision; never raises for what a sender wrote."""
        signature = exact_base64.decode(signature_base64)
        return signature is not None and verify_message(public_base64, self.message(), signature)
