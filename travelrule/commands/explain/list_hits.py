"""The sanctions list entries that an input names as hits, without the text of the list.

A hit's ``reason`` quotes the list, which may contain our customer's name: it is never shown.
"""

from __future__ import annotations

from typing import Any

from schemas.wire_model import Wire
from travelrule.machine.internal_inputs import CallResult
from travelrule.machine.look_up import LookUpResult
from travelrule.messages.assessment import AssessmentEnded
from travelrule.messages.inbound_request import AuthorizationReceived
from travelrule.messages.owner import OwnerHits, OwnerListed, OwnerScreened

Fact = dict[str, Any]

_FIELDS = ("list", "entry", "score", "what")


def hits_of(data: Wire | None) -> list[Fact]:
    """The entries that an input names."""
    match data:
        case AssessmentEnded():
            return _from_facts(data.facts)
        case CallResult() if (result := LookUpResult.of(data)) is not None:
            return _from_facts(result.found)
        case OwnerScreened() | OwnerHits() | OwnerListed():
            return [
                {"list": hit.list_code, "entry": hit.entry, "score": hit.score, "what": "party"} for hit in data.hits
            ]
    return []


def listed_of(data: Wire | None) -> list[str]:
    """The listed parties of a request: ``originator``, and the wallets whose address or owner is listed. The entry of
    an owner is in the story of the wallet.
    """
    if not isinstance(data, AuthorizationReceived):
        return []
    wallets = [f"wallet:{wallet.wallet_id}" for wallet in data.wallets if wallet.sanctioned]
    return ["originator", *wallets] if data.originator_sanctioned else wallets


def _from_facts(facts: object) -> list[Fact]:
    hits = facts.get("hits") if isinstance(facts, dict) else None
    shown = [hit for hit in hits if isinstance(hit, dict)] if isinstance(hits, list) else []
    return [{name: str(hit.get(name, "")) for name in _FIELDS} for hit in shown]
