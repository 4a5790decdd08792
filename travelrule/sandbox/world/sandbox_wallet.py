"""The wallet of a sandbox: a proof of ownership can be tried with it instead of a real wallet.

Its keys are public in this file: no value may be sent to it.
"""

from __future__ import annotations

import hashlib

from coincurve import PrivateKey
from nacl.signing import SigningKey

from travelrule.crypto.encodings import base58
from travelrule.crypto.encodings.public_keys import evm_address
from travelrule.screening.chains import UNHOSTED_BLOCKCHAINS
from travelrule.screening.ownership.evm import message_hash

_SOLANA = "SOL"


class SandboxWallet:
    """One key for the EVM chains and one for Solana. ``WalletSigner`` of the hub's widget."""

    def __init__(self) -> None:
        self._evm = PrivateKey(hashlib.sha256(b"travelrule sandbox wallet: evm").digest())
        self._solana = SigningKey(hashlib.sha256(b"travelrule sandbox wallet: solana").digest())

    def addresses(self) -> dict[str, str]:
        """Return its address on each chain that has proofs of ownership."""
        evm = evm_address(self._evm.public_key.format(compressed=False))
        solana = base58.encode(self._solana.verify_key.encode())
        return {chain: solana if chain == _SOLANA else evm for chain in sorted(UNHOSTED_BLOCKCHAINS)}

    def sign(self, blockchain: str, message: str) -> str:
        """Return its signature in the form of wallets of that chain; empty for a chain without proofs."""
        if blockchain == _SOLANA:
            return base58.encode(self._solana.sign(message.encode()).signature)
        if blockchain not in UNHOSTED_BLOCKCHAINS:
            return ""
        raw = self._evm.sign_recoverable(message_hash(message), hasher=None)
        return "0x" + raw[:64].hex() + (27 + raw[64]).to_bytes(1, "big").hex()
