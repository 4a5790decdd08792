"""The message that a customer signs: the form of EIP-4361 ("sign in with ..."), bound to one request.

It names the requester (a domain or a VASP), the wallet, the customer's reference, a nonce, its time and its expiry, so
that a signature is valid for one requester and one request only. Lines that follow this form are ignored.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from schemas.moments import read_time, time_text
from travelrule.screening.ownership.proof_result import ProofCode

MESSAGE_CHARACTERS_MAX = 4000

_FIRST = re.compile(r"(?P<domain>[^\n]{1,300}) wants you to sign in with your (?P<chain>[A-Za-z0-9 ]{1,40}) account:")
_FIELD = re.compile(r"([A-Z][A-Za-z ]{1,30}): ?([^\n]{0,1000})")
_NAMES = {"uri": "URI", "nonce": "Nonce", "issued_at": "Issued At", "expires_at": "Expiration Time"}
_REFERENCE = "Request ID"
_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ProofBinding:
    """The values that a signed message must contain.

    ``domain`` is the domain or name of the requesting VASP, ``reference`` the customer's reference at that VASP.
    """

    domain: str
    address: str = field(repr=False)
    reference: str = field(repr=False)
    nonce: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProofMessage:
    """The parts of a message; times are aware UTC."""

    bound: ProofBinding
    chain: str
    uri: str
    statement: str
    issued_at: datetime
    expires_at: datetime
    chain_id: str = ""

    def text(self) -> str:
        """Return the text that is shown and signed."""
        lines = [
            f"{self.bound.domain} wants you to sign in with your {self.chain} account:",
            self.bound.address,
            "",
            *([self.statement, ""] if self.statement else [""]),
            f"URI: {self.uri}",
            f"Version: {_VERSION}",
            *([f"Chain ID: {self.chain_id}"] if self.chain_id else []),
            f"Nonce: {self.bound.nonce}",
            f"Issued At: {time_text(self.issued_at)}",
            f"Expiration Time: {time_text(self.expires_at)}",
            f"{_REFERENCE}: {self.bound.reference}",
        ]
        return "\n".join(lines)


def parse(text: str) -> ProofMessage | None:
    """Return the parts of a message, None if a part that binds it is missing."""
    if len(text) > MESSAGE_CHARACTERS_MAX:
        return None
    first, _, rest = text.replace("\r\n", "\n").partition("\n")
    opening = _FIRST.fullmatch(first)
    address, _, body = rest.partition("\n")
    # The statement is free text before the fields, so the last blank line separates the two.
    statement, divided, lines = body.rpartition("\n\n")
    fields = _fields(lines if divided else body)
    if opening is None or not address or fields is None:
        return None
    issued, expires = read_time(fields[_NAMES["issued_at"]]), read_time(fields[_NAMES["expires_at"]])
    if issued is None or expires is None or fields["Version"] != _VERSION:
        return None
    bound = ProofBinding(opening["domain"], address, fields[_REFERENCE], fields[_NAMES["nonce"]])
    return ProofMessage(
        bound=bound,
        chain=opening["chain"],
        uri=fields[_NAMES["uri"]],
        statement=statement.strip("\n"),
        issued_at=issued,
        expires_at=expires,
        chain_id=fields.get("Chain ID", ""),
    )


def _fields(lines: str) -> Mapping[str, str] | None:
    found: dict[str, str] = {}
    for line in lines.strip("\n").split("\n"):
        form = _FIELD.fullmatch(line)
        if form is None:
            continue
        if form[1] in found:
            return None  # two values for one name are ambiguous
        found[form[1]] = form[2]
    needed = (*_NAMES.values(), _REFERENCE, "Version")
    return found if all(found.get(name) for name in needed) else None


def fault_of(text: str, bound: ProofBinding, now: datetime) -> ProofCode | None:
    """Return what is wrong with a signed message, None if it has the required content and has not expired."""
    message = parse(text)
    if message is None:
        return ProofCode.MESSAGE_UNREADABLE
    said = message.bound
    # The nonce is the secret part; the sender of a message knows the others.
    same_nonce = hmac.compare_digest(said.nonce.encode(), bound.nonce.encode())
    if said.domain != bound.domain:
        return ProofCode.DOMAIN_MISMATCH
    if not same_address(said.address, bound.address):
        return ProofCode.ADDRESS_MISMATCH
    if said.reference != bound.reference:
        return ProofCode.REFERENCE_MISMATCH
    if not same_nonce:
        return ProofCode.NONCE_MISMATCH
    if message.issued_at > now:
        return ProofCode.NOT_YET_VALID
    return ProofCode.EXPIRED if message.expires_at <= now else None


def same_address(first: str, second: str) -> bool:
    """Whether two texts are one address: the case of ``0x...`` is only a checksum."""
    if first.startswith(("0x", "0X")):
        return first.lower() == second.lower()
    return first == second
