"""The meeting place of a deposit and the exchange that announced it."""

from __future__ import annotations

from travelrule.crypto.fingerprint import fingerprint
from travelrule.identity.addresses import canonical, txid_key

DIGITS = 64


def arrival_subject(txid: str, address: str, tag: str | None) -> str:
    """The subject at which everything about this transaction and this address (with tag) meets.

    A digest, because an address on chain is personal data and subjects stand in index columns; the txid in it has too
    much entropy for the digest to be guessed back.
    """
    text = "\n".join((txid_key(txid), canonical(address), tag or ""))
    return f"arrival:{fingerprint(text.encode(), DIGITS)}"
