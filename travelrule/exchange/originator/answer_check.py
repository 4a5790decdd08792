"""The check that the answer to an authorization belongs to it. Pure; invariant 13.

The box key of a pair of VASPs is the same in both directions, and an answer carries neither amount nor currency. So a
payload that opens proves only that one of the two sealed it. An answer is bound by:

* ``transferId``, if present (checked on every answer, with or without a payload);
* the four IVMS101 objects, of which ``BeneficiaryVASP`` may be outside the payload and does not name us;
* the accounts of both customers;
* the originator's names and kind of person, and the name of the originating VASP;
* the sealed bytes, which are neither our own nor the accepted answer of another transfer.

Nothing else is compared: correct peers omit fields, send null and change case.

A refusal needs the ``transferId`` alone. If it has a payload, that must not be about another transfer; objects may be
missing in it, and our own request in place of an answer counts as no payload.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ValidationError

from schemas.ivms101 import IvmsPerson
from schemas.nesting_depth import is_nested_deeper
from schemas.operations import Operation
from travelrule.identity.account_numbers import canonical, names_wallet, split_tag
from travelrule.identity.company_names import name_keys, same_company
from travelrule.identity.json_fields import has_content, is_absent, present
from travelrule.identity.name_comparison import holds_name, names_agree
from travelrule.machine.internal_inputs import CallResult
from travelrule.policy.sections import AnswerChecks

BindingFault = Literal[
    "transfer-id",
    "request-unknown",
    "own-words",
    "accepted-elsewhere",
    "incomplete",
    "own-vasp",
    "account",
    "names",
]
"""Which check failed. A code, so that it may appear in logs, rules and alerts."""

Ivms = dict[str, Any]

OBJECTS = ("Originator", "Beneficiary", "OriginatingVASP")
KINDS = ("naturalPerson", "legalPerson")
NAME_FIELDS = ("nameIdentifier", "localNameIdentifier")
PERSONS = {"Originator": "originatorPersons", "Beneficiary": "beneficiaryPersons"}


NAMED_BY: dict[str, str] = {
    Operation.TXID_REPORT: "transferId",
    Operation.FINISH: "transferId",
    Operation.STATUS_SEARCH: "transferId",
    Operation.DATA_REQUEST: "transferId",
    Operation.TXID_SEARCH_RESULT: "requestId",
    Operation.WALLET_SEARCH_RESULT: "requestId",
}
"""The field of each operation's answer that repeats the id of the request. Operations that start a search are left out:
their answer may have another id (D36). An authorization is checked by its machine."""


def answers_another_call(operation: str, body: Ivms | None, call_id: str) -> bool:
    """Whether an answer carries the id of another request."""
    name = NAMED_BY.get(operation)
    return name is not None and _is_another((body or {}).get(name), call_id)


def names_another_transfer(body: Ivms | None, transfer_id: str) -> bool:
    """Whether an answer carries the ``transferId`` of another transfer. Ours are UUIDs: case does not matter."""
    return _is_another((body or {}).get("transferId"), transfer_id)


def names_transfer(body: Ivms, transfer_id: str) -> bool:
    """Whether an answer carries the ``transferId`` of this transfer."""
    return not is_absent(body.get("transferId")) and not names_another_transfer(body, transfer_id)


def _is_another(named: Any, own: str) -> bool:
    if is_absent(named):
        return False
    return not isinstance(named, str) or named.strip().lower() != own.lower()


def binding_fault(report: CallResult, checks: AnswerChecks, *, verified: bool) -> BindingFault | None:
    """Return the first check that the answer fails; None if it is bound to its request.

    An answer without a readable payload is bound by its ``transferId`` alone: it never leads to an allow.
    """
    if names_another_transfer(report.body, report.correlation_id):
        return "transfer-id"
    if not report.payload or is_nested_deeper(report.payload):
        return None
    if report.sent is None or not report.sent.payload:
        return "request-unknown"
    if not verified and report.answer_seal and report.answer_seal == report.request_seal:
        return None
    if report.own_words or (report.answer_seal and report.answer_seal == report.request_seal):
        return "own-words"
    if report.accepted_for and report.accepted_for != report.correlation_id:
        return "accepted-elsewhere"
    return _content_fault(report.payload, report.body or {}, report.sent.payload, checks, verified=verified)


def _content_fault(
    answer: Ivms, body: Ivms, sent: Ivms, checks: AnswerChecks, *, verified: bool
) -> BindingFault | None:
    vasps = [answer.get("BeneficiaryVASP"), body.get("beneficiaryVasp")]
    if verified and checks.complete and not (_has_all(answer, OBJECTS) and any(map(has_content, vasps))):
        return "incomplete"
    if any(_names_us(vasp, sent) for vasp in vasps):
        return "own-vasp"
    if not all(_same_account(answer, sent, name, required=verified) for name in PERSONS):
        return "account"
    if checks.names and not _same_parties(answer, sent, required=verified):
        return "names"
    return None


def _has_all(holder: Ivms, names: Sequence[str]) -> bool:
    return all(isinstance(holder.get(name), dict) and has_content(holder[name]) for name in names)


def _names_us(vasp: Any, sent: Ivms) -> bool:
    """Whether the beneficiary's VASP has our registered name: two companies of a group may share the rest."""
    own = _company_names(sent.get("OriginatingVASP"))
    return not name_keys(_company_names(vasp)).isdisjoint(name_keys(own))


def _same_account(answer: Ivms, sent: Ivms, name: str, *, required: bool) -> bool:
    """Whether the sent account numbers of a party are present, and no entry is another address or tag."""
    said, asked = _accounts(answer.get(name)), _accounts(sent.get(name))
    if not said and not required:
        return True
    return all(any(_means(one, other) for one in said) for other in asked) and all(
        any(_means(one, other) or _address_of(one, other) for other in asked) for one in said
    )


def _means(said: str, sent: str) -> bool:
    """Whether both name the same account. A tag counts on either side: at a shared address it is the customer."""
    address, tag = split_tag(sent)
    return names_wallet(said, address, tag) if tag else canonical(said) == canonical(sent)


def _address_of(said: str, sent: str) -> bool:
    """Whether an entry repeats the address alone, in addition to one with the tag."""
    return canonical(said) == canonical(split_tag(sent)[0])


def _accounts(party: Any) -> list[str]:
    numbers = present(party, "accountNumber")
    entries = numbers if isinstance(numbers, list) else [numbers]
    texts = [entry if isinstance(entry, str) else "" if is_absent(entry) else str(entry) for entry in entries]
    return [text.strip() for text in texts if text.strip()]


def _same_parties(answer: Ivms, sent: Ivms, *, required: bool) -> bool:
    """Whether the names of the present objects agree. ``required``: a present object must have a name."""
    if has_content(answer.get("Originator")):
        said, asked = _persons(answer["Originator"]), _persons(sent.get("Originator"))
        if said is None or asked is None:
            return False
        if (required or holds_name(said)) and not names_agree(said, asked):
            return False
    if not has_content(answer.get("OriginatingVASP")):
        return True
    named = _company_names(answer["OriginatingVASP"])
    if not named and not required:
        return True
    return same_company(named, _company_names(sent.get("OriginatingVASP")))


def _persons(party: Any) -> list[IvmsPerson] | None:
    """Return kind and names of a party's persons; None if these cannot be read."""
    people = [one for one in _listed(present(party, PERSONS["Originator"])) if isinstance(one, dict)]
    try:
        return [
            IvmsPerson.model_validate(
                {kind: {"name": _names(one[kind])} for kind in KINDS if has_content(one.get(kind))}
            )
            for one in people
        ]
    except ValidationError:
        return None


def _names(person: Any) -> Ivms:
    name = present(person, "name")
    return {field: present(name, field) for field in NAME_FIELDS}


def _company_names(vasp: Any) -> list[str]:
    """Return the names of a VASP object: with the inner person, or as a bare ``legalPerson``."""
    if not isinstance(vasp, dict):
        return []
    holders = [vasp, *(inner for inner in vasp.values() if isinstance(inner, dict))]
    name = next((found for one in holders if (found := present(present(one, "legalPerson"), "name"))), None)
    entries = [entry for field in NAME_FIELDS for entry in _listed(present(name, field)) if isinstance(entry, dict)]
    return [text for entry in entries if isinstance(text := entry.get("legalPersonName"), str) and text.strip()]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
