"""Reasons for which a robot refuses a request, in the evaluation order of member-api.md sections 2 and 3.

Both functions return the ``reasonType`` of a refusal, empty for none. They are written from the tables alone.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from schemas.ivms101 import Beneficiary
from travelrule.hub.body_shapes import absent
from travelrule.identity.name_comparison import compare_beneficiary
from travelrule.sandbox.robots.robot_objects import accounts_of, object_of, persons_of
from travelrule.sandbox.robots.robot_spec import WalletSpec
from travelrule.sandbox.robots.robot_wallets import RobotWallets

_LACKING = "LACK_OF_INFORMATION"
_MISMATCHED = "INPUT_NAME_MISMATCHED"


def refuse_address(body: dict[str, Any], ivms101: dict[str, Any], wallets: RobotWallets) -> str:
    """Check an address search (M1)."""
    beneficiary = object_of(ivms101, "Beneficiary")
    accounts = accounts_of(beneficiary)
    if not accounts:
        return _LACKING
    reason, owners = _owners(accounts, body["currency"], wallets)
    if reason:
        return reason
    # M1 has no code for a name that differs.
    differs = any(_name(beneficiary, owner) == "different" for owner in owners)
    return "UNKNOWN" if differs else ""


def refuse_transfer(body: dict[str, Any], ivms101: dict[str, Any], wallets: RobotWallets) -> str:
    """Check a transfer authorization (M2)."""
    beneficiary = object_of(ivms101, "Beneficiary")
    accounts = accounts_of(beneficiary)
    if not accounts or _lacks_sender(body, ivms101) or _is_headless(persons_of(beneficiary, "beneficiaryPersons")):
        return _LACKING
    reason, owners = _owners(accounts, body["currency"], wallets)
    if reason:
        return reason
    exceeding = str(body["isExceedingThreshold"]).lower() == "true"
    for owner in owners:
        name = _name(beneficiary, owner)
        if name == "different":
            return _MISMATCHED
        if name == "missing" and exceeding:
            return _LACKING
    if wallets.open and exceeding and not persons_of(beneficiary, "beneficiaryPersons"):
        return _LACKING
    return ""


def _owners(accounts: list[str], currency: str, wallets: RobotWallets) -> tuple[str, list[WalletSpec]]:
    if wallets.open:
        return "", []
    if not wallets.serves(currency):
        return "NOT_SUPPORTED_SYMBOL", []
    owners = [wallet for account in accounts if (wallet := wallets.find(account, currency))]
    if len(owners) < len(accounts):
        return "NOT_FOUND_ADDRESS", []
    if not all(owner.kyc for owner in owners):
        return "NOT_KYC_USER", []
    return "", owners


def _lacks_sender(body: dict[str, Any], ivms101: dict[str, Any]) -> bool:
    originator = object_of(ivms101, "Originator")
    persons = persons_of(originator, "originatorPersons")
    # The VASP data beside the payload replaces those inside, unless they are empty (D8).
    vasp = body.get("originatingVasp")
    vasp = object_of(ivms101, "OriginatingVASP") if absent(vasp) else vasp
    return not persons or not accounts_of(originator) or absent(vasp) or _is_headless(persons) or not _named(persons)


def _is_headless(persons: list[dict[str, Any]]) -> bool:
    """Whether a company is not the first person, or has no representative."""
    companies = [index for index, person in enumerate(persons) if person.get("legalPerson")]
    return bool(companies) and (companies != [0] or len(persons) == 1)


def _named(persons: list[dict[str, Any]]) -> bool:
    first = object_of(persons[0], "naturalPerson") or object_of(persons[0], "legalPerson")
    return not absent(object_of(first, "name"))


def _name(beneficiary: dict[str, Any], owner: WalletSpec) -> str:
    try:
        sent = Beneficiary.from_wire(beneficiary).beneficiary_persons
    except ValidationError:
        return "different"  # unreadable data cannot match (M2, rule 8)
    return compare_beneficiary(sent, owner.person)
