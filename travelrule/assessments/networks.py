"""The code of a network for one operation, with what the policy says instead (screening.md 11)."""

from __future__ import annotations

from travelrule.exchange.assessing import AssessmentWanted
from travelrule.policy.policy import Policy
from travelrule.screening.chains import ChainCodes, chain_codes


def code_for(wanted: AssessmentWanted, policy: Policy) -> str:
    """Give the chain code for what is wanted; empty: the operation cannot be asked for this network.

    Where the network's example is not known the wallet's own address tells the two chains apart that share a name.
    """
    overrides = {
        name: ChainCodes(codes.screening or None, codes.kyt or None, codes.unhosted or None)
        for name, codes in policy.screening.chains.items()
    }
    example = wanted.network_example or wanted.address
    codes = chain_codes(wanted.network, address_example=example, overrides=overrides)
    if wanted.kind == "kyt":
        return codes.kyt or ""
    if wanted.kind == "ownership":
        return codes.unhosted or ""
    return codes.screening or ""
