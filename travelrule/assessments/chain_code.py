"""The code of a network for one operation, with the policy's overrides (screening.md 11)."""

from __future__ import annotations

from travelrule.messages.assessment import AssessmentKind, AssessmentWanted
from travelrule.policy.policy import Policy
from travelrule.screening.chains import (
    KYT_BLOCKCHAINS,
    SCREENING_CHAINS,
    UNHOSTED_BLOCKCHAINS,
    NetworkCodes,
    chain_codes,
    folded,
)


def code_for(wanted: AssessmentWanted, policy: Policy) -> str:
    """Return the chain code for the requested operation; empty: the network has none.

    Without an example of the network the wallet's address distinguishes the two chains that share a name. The platform
    may name a code instead of a network: one that this operation documents is sent, although a network of that name has
    none (``AVAX``), unless the policy overrides the name.
    """
    overrides = {
        name: NetworkCodes(codes.screening or None, codes.kyt or None, codes.unhosted or None)
        for name, codes in policy.screening.chains.items()
    }
    example = wanted.network_example or wanted.address
    codes = chain_codes(wanted.network, address_example=example, overrides=overrides)
    code, documented = _of_operation(wanted.kind, codes)
    name = folded(wanted.network)
    if not code and not wanted.asker and name in documented and name not in map(folded, overrides):
        return name
    return code or ""


def _of_operation(kind: AssessmentKind, codes: NetworkCodes) -> tuple[str | None, frozenset[str]]:
    """Return the network's code for the operation, and all codes that the operation documents."""
    if kind == "kyt":
        return codes.kyt, KYT_BLOCKCHAINS
    if kind == "ownership":
        return codes.unhosted, UNHOSTED_BLOCKCHAINS
    return codes.screening, SCREENING_CHAINS
