"""The check of a proof of ownership for every chain (hub-api.md section 7; D38 for Solana)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from travelrule.screening.ownership import bitcoin, evm, solana
from travelrule.screening.ownership.proof_message import ProofBinding, fault_of
from travelrule.screening.ownership.proof_result import ProofCode, ProofResult

PROOF_CHARACTERS_MAX = 10_000
"""No message and no signature that can be checked is longer."""

_EVM = frozenset(
    [
        "ETH",
        "ARBITRUM",
        "BASE",
        "MATIC",
        "BSC",
        "AVAXC",
        "OPTIMISM",
        "OPBNB",
        "SCROLL",
        "LINEA",
        "SEIEVM",
        "SONIC",
        "CELO",
        "GLMR",
        "MOVR",
        "WLD",
        "BERA",
        "FTM",
        "PLASMA",
        "STABLE",
        "FRAXTAL",
        "KATANA",
    ]
)
_KAIA = frozenset({"KAIA", "KLAY"})
_BITCOIN = frozenset({"BTC", "SEGWITBTC"})
_SOLANA = "SOL"


def check_proof(
    blockchain: str,
    address: str,
    message: str,
    signature: str,
    *,
    bound: ProofBinding | None = None,
    now: datetime | None = None,
) -> ProofResult:
    """Check that the key of ``address`` signed ``message``; with ``bound`` also the content of the message at ``now``.

    ``blockchain`` is a code of screening.md section 1. ``bound`` needs ``now`` (aware UTC). Never raises for hostile
    input: the result is ``invalid``, or ``unsupported`` if the signature cannot be checked here.
    """
    if max(len(address), len(message), len(signature)) > PROOF_CHARACTERS_MAX:
        return ProofResult(ProofCode.SIGNATURE_MALFORMED)
    try:
        message.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can carry and UTF-8 cannot
        return ProofResult(ProofCode.MESSAGE_UNREADABLE)
    check = _signature(blockchain.upper(), address, message, signature)
    if bound is None or check.outcome != "valid":
        return check
    if now is None:
        raise ValueError("what a message says is judged at a moment: now is missing")
    fault = fault_of(message, bound, now)
    return replace(check, code=fault or check.code, message_checked=True)


def _signature(blockchain: str, address: str, message: str, signature: str) -> ProofResult:
    if blockchain in _EVM:
        return evm.check(address, message, signature)
    if blockchain in _KAIA:
        return evm.check(address, message, signature, (evm.ETHEREUM, evm.KLAYTN))
    if blockchain in _BITCOIN:
        return bitcoin.check(address, message, signature)
    if blockchain == _SOLANA:
        return solana.check(address, message, signature)
    return ProofResult(ProofCode.CHAIN_UNSUPPORTED)
