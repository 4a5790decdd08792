"""Account numbers as the network compares them: addresses with or without tag (ivms101.md section 6).

One text may hold an address, ``address:tag``, ``prefix:address`` or ``prefix:address:tag``. It is
looked up whole first and then split at the rightmost colon (algorithm A). Stored and sent texts are never changed: the
canonical forms are keys for comparison only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from travelrule.crypto.encodings.bech32 import variant_of

Found = TypeVar("Found")

_EVM = re.compile(r"0[xX][0-9a-fA-F]{40}")
_BECH32 = re.compile(r"(?P<prefix>[a-z][a-z0-9_]{0,30})1(?P<data>[02-9ac-hj-np-z]{6,150})")
_BCH_PREFIXES = re.compile(r"(?:bitcoincash:)+", re.IGNORECASE)
_BCH = re.compile(r"[qpzr][02-9ac-hj-np-z]{41}")
_RAW_TON = re.compile(r"(?:-1|0):[0-9a-fA-F]{64}")
"""Workchain and account; a tag may follow behind another colon."""
_URI_PREFIXES = frozenset(
    {
        "bitcoincash", "bchtest", "bchreg", "ecash", "ectest", "simpleledger",
        "kaspa", "kaspatest", "kaspadev", "kaspasim",
    }
)  # fmt: skip


def canonical(address: str) -> str:
    """Return the key by which an address without tag is compared.

    EVM and bech32 addresses are compared without case, Bitcoin Cash with and without ``bitcoincash:``,
    everything else exactly. Applying it twice changes nothing.
    """
    if not address.isascii():  # no address has other letters, and some of them fold to Latin ones
        return address
    if prefixes := _BCH_PREFIXES.match(address):
        address = address[prefixes.end() :]
    folded = address.lower()
    if folded == address or _EVM.fullmatch(address):
        return folded
    if _BCH.fullmatch(folded) and address.isupper():
        return folded
    return folded if _is_bech32(folded, mixed=not address.isupper()) else address


def _is_bech32(folded: str, *, mixed: bool) -> bool:
    """Whether a lower-cased text is bech32.

    The standard writes it in one case; a mixed text is bech32 only if its checksum is right, because base58 addresses
    are mixed and must keep their case.
    """
    parts = _BECH32.fullmatch(folded)
    if parts is None:
        return False
    return not mixed or variant_of(parts["prefix"], parts["data"]) is not None


def join(address: str, tag: str | None) -> str:
    """Return ``address:tag``, or the address alone where there is no tag."""
    return f"{address}:{tag}" if tag else address


def split_tag(text: str) -> tuple[str, str | None]:
    """Split at the rightmost colon, where no look-up decides (D45).

    The colon behind a known prefix (``bitcoincash:``, ``kaspa:``) separates no tag, nor does that of a raw TON
    address (``0:hex``). An empty tag is none.
    """
    left, colon, right = text.rpartition(":")
    if not colon or left.lower() in _URI_PREFIXES or _RAW_TON.fullmatch(text):
        return text, None
    return left, right or None


def address_and_tag(address: str, tag: str | None) -> tuple[str, str | None]:
    """Return address and tag apart, also where an event holds both in the address (D45)."""
    return (address, tag) if tag else split_tag(address)


def candidates(text: str) -> list[tuple[str, str | None]]:
    """Return the readings of a text as (canonical address, tag), in the order of algorithm A: whole, then split.

    A look-up uses the first one with a known address and a fitting tag (`tag_fits`).
    """
    left, colon, right = text.rpartition(":")
    whole = canonical(text)
    return [(whole, None), (canonical(left), right or None)] if colon and left else [(whole, None)]


def tag_fits(sent: str | None, own: str | None) -> bool:
    """Whether the tag sent with an address names the wallet found at it.

    Where the wallet has a tag, the address is shared and does not identify a customer: the tags must be equal. Where it
    has none, an appended one is ignored (published test data expects it).
    """
    return not own or sent == own


def whole_first(found: Iterable[Found], match_of: Callable[[Found], tuple[Hashable, str | None]]) -> list[Found]:
    """Keep what was found for a whole text; what was found left of its colon only where nothing else was (algorithm A).

    ``match_of`` returns the text that something was found for, and the tag that was split off (None: none was).
    """
    matches = [(match_of(one), one) for one in found]
    whole = {text for (text, tag), _ in matches if tag is None}
    return [one for (text, tag), one in matches if tag is None or text not in whole]


def place(address: str, tag: str) -> str:
    """Return the index text of a wallet with a tag: one shared address, one tag, one customer.

    For indexes only: it is no account number, and no peer sends it.
    """
    return f"{address}\x1f{tag}"


def names_wallet(text: str, address: str, tag: str | None) -> bool:
    """Whether a received text names the wallet (or withdrawal target) ``address`` with ``tag``."""
    own = canonical(address)
    return any(found == own and tag_fits(sent, tag) for found, sent in candidates(text))
