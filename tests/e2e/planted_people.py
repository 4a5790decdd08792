"""People who exist nowhere else: wherever a piece of their data is found, the program wrote it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

OWNER = {
    "natural": {
        "lastName": "Quillfeather",
        "firstName": "Oswaldine",
        "localLastName": "깃펜",
        "localFirstName": "오스왈딘",
        "dateOfBirth": "1961-07-19",
        "nationalIdentification": {"identifier": "QF-610719-88421", "type": "CCPT", "country": "SE"},
        "address": {"type": "HOME", "lines": ["17 Thistlewick Lane"], "town": "Brambleford", "country": "SE"},
    }
}
SENDER = {
    "natural": {
        "lastName": "Ravensbourne",
        "firstName": "Thaddeusz",
        "dateOfBirth": "1958-11-03",
        "placeOfBirth": "Wolverdingen",
        "nationalIdentification": {"identifier": "RB-581103-55190", "type": "CCPT", "country": "SG"},
        "address": {"type": "HOME", "lines": ["4 Gallowglass Court"], "town": "Silverquay", "country": "SG"},
    }
}
STRANGER = {"natural": {"lastName": "Zwartkruisenburg", "firstName": "Philomena"}}
# Tags of ten digits: fewer occur by chance in ids and nonces.
OWNER_ADDRESS = "rQuiLLfeatherOswaLdineDeposit7"
OWNER_TAG = "3990771048"
OWNER_CUSTOMER = "customer-quillfeather-3317"
SENDER_ADDRESS = "rRavensbourneThaddeuszOwn1958x"
SENDER_TAG = "2440228617"
SENDER_CUSTOMER = "customer-ravensbourne-9204"
STRANGER_ADDRESS = "rZwartkruisenburgNobodyKnowsIt"

PIECES = (
    *("Quillfeather", "Oswaldine", "깃펜", "오스왈딘", "1961-07-19", "QF-610719-88421", "Thistlewick", "Brambleford"),
    *("Ravensbourne", "Thaddeusz", "1958-11-03", "Wolverdingen", "RB-581103-55190", "Gallowglass", "Silverquay"),
    *("Zwartkruisenburg", "Philomena"),
    *(OWNER_ADDRESS, OWNER_TAG, OWNER_CUSTOMER, SENDER_ADDRESS, SENDER_TAG, SENDER_CUSTOMER, STRANGER_ADDRESS),
)
HASHED = (*PIECES, "Quillfeather Oswaldine", f"{OWNER_ADDRESS}:{OWNER_TAG}", f"{SENDER_ADDRESS}:{SENDER_TAG}")


def wallet() -> dict[str, Any]:
    """The deposit address of the owner, at south."""
    return {
        "walletId": "wallet-of-one-customer",
        "address": OWNER_ADDRESS,
        "tag": OWNER_TAG,
        "currencies": ["XRP"],
        "networks": ["XRP"],
        "customerId": OWNER_CUSTOMER,
        "kyc": True,
        "owner": OWNER,
    }


def withdrawal(withdrawal_id: str, beneficiary: dict[str, Any] = OWNER, address: str = OWNER_ADDRESS) -> dict[str, Any]:
    """A withdrawal of the sender, from north to south."""
    return {
        "withdrawalId": withdrawal_id,
        "currency": "XRP",
        "network": "XRP",
        "amount": "12.5",
        "tradePrice": "99.00",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "destination": {"kind": "vasp", "vaspEntityId": "south", "address": address, "tag": OWNER_TAG},
        "originator": {
            "customerId": SENDER_CUSTOMER,
            "walletAddress": f"{SENDER_ADDRESS}:{SENDER_TAG}",
            **SENDER,
        },
        "beneficiary": beneficiary,
    }


class Hunt:
    """Looks for the pieces in bytes: as they are, in other cases, escaped, encoded, and as hashes without a key."""

    def __init__(self) -> None:
        self._needles = {needle: piece for piece in PIECES for needle in _writings(piece)}
        self._needles |= {needle: piece for piece in HASHED for needle in hashes(piece)}
        self._folded = {piece.casefold().encode(): piece for piece in PIECES}

    def found(self, content: bytes) -> set[str]:
        """Return the pieces in ``content``."""
        folded = content.lower()
        plain = {piece for needle, piece in self._folded.items() if needle in folded}
        return plain | {piece for needle, piece in self._needles.items() if needle in content}

    def found_in(self, contents: Iterable[tuple[str, bytes]]) -> dict[str, set[str]]:
        """Return the pieces found per place; places without any are absent."""
        return {place: found for place, content in contents if (found := self.found(content))}


def _writings(piece: str) -> Iterator[bytes]:
    encoded = piece.encode()
    yield encoded
    yield json.dumps(piece)[1:-1].encode()
    yield quote(piece).encode()
    yield encoded.hex().encode()
    yield piece.encode("utf-16-le")
    for shift in range(3):
        # Base64 of a longer text that holds the piece: without the characters that its neighbours change.
        text = base64.b64encode(b"\0" * shift + encoded).decode().rstrip("=")
        yield text[(0, 2, 3)[shift] : len(text) - 1].encode()


def hashes(piece: str) -> list[bytes]:
    """The beginnings of hashes that anybody could compute who guesses the piece."""
    digests = [
        hashlib.new(algorithm, text.encode()).digest()
        for text in (piece, piece.lower(), piece.upper())
        for algorithm in ("md5", "sha1", "sha256", "sha512", "blake2b")
    ]
    return [
        form for digest in digests for form in (digest[:16], digest.hex()[:32].encode(), base64.b64encode(digest)[:20])
    ]
