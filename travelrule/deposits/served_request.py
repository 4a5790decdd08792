"""M7: who sent this transaction? The beneficiary's VASP asks for the originator's data (member-api.md section 8). Pure.

One request of one VASP, known by its ``transferId``, is one subject with one answer: ``normal`` or ``error``. The same
request again gets the stored answer, another transaction under the same id is refused. Personal data of a customer
leaves here on the word of a txid, so every step must find its reason to go on: a withdrawal with this txid *and* this
address, a complete question, a requester that somebody vouches for and the policy sends to, and a payee named as our
customer named him.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.events.withdrawals import OriginatorData, WithdrawalRequested
from schemas.ivms101 import Beneficiary, IvmsPerson
from schemas.json_depth import is_nested_deeper
from schemas.numbers import decimal_text
from travelrule.deposits.served_request_input import INTERNAL, DataRequestReceived, WithdrawalFacts
from travelrule.identity.account_numbers import canonical
from travelrule.identity.company_names import same_company
from travelrule.identity.event_fields import EventSide, event_field
from travelrule.identity.name_comparison import compare_beneficiary, same_party
from travelrule.identity.normal_names import normalise
from travelrule.identity.payloads import data_answer_payload, parties_payload
from travelrule.identity.profile import VaspProfile
from travelrule.identity.required_data import lacking, unsendable
from travelrule.identity.txids import same_txid
from travelrule.machine.alert_codes import AlertCode
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, Reply
from travelrule.machine.input import Input
from travelrule.machine.own_profile import KOREA, own_profile
from travelrule.machine.port import Machine
from travelrule.machine.projection import Projection
from travelrule.machine.serialization import codec
from travelrule.messages.inbound_request import SenderFacts
from travelrule.policy.policy import HUB_ENTITY, Policy

__all__ = ["INTERNAL", "MACHINE", "DataRequestState", "may_receive"]

Status = Literal["normal", "error"]
PATHS_MAX = 5


@dataclass(frozen=True, slots=True)
class DataRequestState:
    """A request that was answered. ``answer`` is the plain reply, which a repeated request gets again.

    ``withdrawal`` is the subject whose data were given; empty if none were.
    """

    transfer_id: str
    requester: str
    txid: str
    beneficiary_address: str = field(repr=False)
    status: Status
    reason: str
    answer: dict[str, Any] = field(repr=False)
    withdrawal: str = ""


@dataclass(frozen=True, slots=True)
class _Refusal:
    reason: str
    message: str


def may_receive(requester: SenderFacts | None, origin: str, policy: Policy) -> bool:
    """Whether personal data of our customers may go to this VASP: somebody vouches for it, and the policy accepts
    its requests and sends to it. The hub's own entity is never refused (member-api.md section 1).
    """
    if requester is None:
        return False
    if requester.entity_id == HUB_ENTITY:
        return True
    return policy.accepts(requester.entity_id, origin, requester.origin) and policy.may_send_to(requester.entity_id)


def decide(state: DataRequestState | None, item: Input, policy: Policy, now: datetime) -> Decision[Any]:
    """Decide one request."""
    del now
    request = item.data
    if not isinstance(request, DataRequestReceived):
        return _rejected(state, "UNKNOWN_TYPE", "type", "this type says nothing about a data request")
    if state is not None:
        return _asked_again(state, request)
    profile = own_profile(policy)
    if profile is None:
        fix = "set VASP_PROFILE_FILE: an answer names the originating VASP"
        return _rejected(None, "VASP_BACKEND_INTERNAL_ERROR", "", fix)
    if is_nested_deeper(request.ivms101):
        return _rejected(None, "INVALID_MSG_FIELD_VALUE", "payload", "the payload is nested deeper than IVMS101 is")
    found = _examine(request, policy)
    if isinstance(found, _Refusal):
        return _answered(request, "error", found.reason, _error(request, found), f"M7: {found.reason}")
    chosen, data = found
    exceeding = policy.exceeds(data.trade_price, data.trade_currency, flagged=data.is_exceeding_threshold)
    reply = _normal(request, data, profile, exceeding=exceeding)
    decision = _answered(request, "normal", "", reply, "M7: normal", chosen.subject)
    missing = _missing(data, request.entity_id, policy)
    if not missing:
        return decision
    alert = Alert(AlertCode.DATA_ANSWER_INCOMPLETE.value, "warning", request.entity_id)
    rule = f"M7: normal with what exists, without {', '.join(missing)}"
    return replace(decision, effects=(*decision.effects, alert), rule=rule)


def _missing(data: WithdrawalRequested, requester: str, policy: Policy) -> list[str]:
    """Name what must be sent of an originator and is not known here; the answer goes out all the same (M7 order 6)."""
    originator = {"Originator": parties_payload(data)["Originator"]}
    side = EventSide(
        "originator", "originator.walletAddress", "originator.customerId", is_legal=data.originator.legal is not None
    )
    omitted = policy.may_omit(requester)
    gaps = [gap for gap in unsendable(originator, "data-response") if gap.fault.path.startswith("Originator.")]
    return [event_field(gap.fault, {"Originator": side}, {}) for gap in gaps if gap.datum not in omitted]


def _asked_again(state: DataRequestState, request: DataRequestReceived) -> Decision[DataRequestState]:
    """Give the stored result, ``error`` included; another transaction needs another id."""
    same_address = canonical(state.beneficiary_address) == canonical(request.beneficiary_address)
    if state.requester == request.entity_id and same_txid(state.txid, request.txid) and same_address:
        return Decision(state, (Reply(state.answer),), status="duplicate", rule="M7: stored answer")
    fix = "the transferId is known with another transaction: use a new one"
    return _rejected(state, "DUPLICATED_TRANSFER_ID", "transferId", fix)


def _examine(request: DataRequestReceived, policy: Policy) -> _Refusal | tuple[WithdrawalFacts, WithdrawalRequested]:
    """Evaluate orders 2 to 6; the first failure answers."""
    if not request.withdrawals:
        return _Refusal("NOT_FOUND_TXID", "no withdrawal with this txid went to this address")
    sent = _payee(request.ivms101)
    if isinstance(sent, _Refusal):
        return sent
    if not may_receive(request.requester, request.origin, policy):
        return _Refusal("UNKNOWN", "data are not released to this VASP")
    known = [one for one in request.withdrawals if one.request is not None]
    if not known:
        return _Refusal("LACK_OF_INFORMATION", "nothing is known of the sender any more")
    named = _named_alike(known, sent, policy)
    if isinstance(named, _Refusal):
        return named
    chosen = _the_one(named, request.currency)
    if chosen is None:
        return _Refusal("UNKNOWN", "several senders paid this address in this transaction")
    data = _identified(chosen)
    if data is None:
        return _Refusal("LACK_OF_INFORMATION", "the sender has neither KYC nor identity data")
    return chosen, _completed(data, chosen)


def _payee(ivms101: dict[str, Any]) -> tuple[IvmsPerson, ...] | _Refusal:
    """Order 3: both objects are there and complete; gives the persons that the requester calls the beneficiary."""
    missing = [fault.path for fault in lacking(ivms101, "data-request")]
    if missing:
        return _Refusal("LACK_OF_INFORMATION", f"missing or incomplete: {', '.join(missing[:PATHS_MAX])}")
    try:
        return Beneficiary.from_wire(ivms101["Beneficiary"]).beneficiary_persons
    except ValidationError:
        return _Refusal("LACK_OF_INFORMATION", "Beneficiary holds values of another type than IVMS101 says")


def _named_alike(
    known: list[WithdrawalFacts], sent: tuple[IvmsPerson, ...], policy: Policy
) -> list[WithdrawalFacts] | _Refusal:
    """Order 4, second half: the payee on the withdrawal is the beneficiary of the request. No name proves nothing."""
    results = {
        one.subject: compare_beneficiary(sent, one.request.beneficiary, policy.names.representatives)
        for one in known
        if one.request is not None
    }
    alike = [one for one in known if results[one.subject] == "match"]
    if alike:
        return alike
    if "missing" in results.values():
        return _Refusal("LACK_OF_INFORMATION", "missing or incomplete: the beneficiary's name")
    return _Refusal("UNKNOWN", "the beneficiary is not the payee that the sender named")


def _the_one(named: list[WithdrawalFacts], currency: str | None) -> WithdrawalFacts | None:
    """The withdrawal that is meant; None if several customers paid the same payee, because no data go out on a guess.

    Several outputs of one customer to one address have the same originator; the oldest answers.
    """
    wanted = (currency or "").upper()
    same = [one for one in named if one.request is not None and one.request.currency.upper() == wanted]
    fitting = same or named
    customers = {one.request.originator.customer_id for one in fitting if one.request is not None}
    return fitting[0] if len(customers) == 1 else None


def _identified(chosen: WithdrawalFacts) -> WithdrawalRequested | None:
    """Order 5, rule 7: the withdrawal with an originator that has a name, or None if KYC does not know one either."""
    request = chosen.request
    if request is None or _has_name(request.originator):
        return request
    if not chosen.kyc or chosen.owner is None or not _has_name(chosen.owner):
        return None
    known = request.originator
    originator = OriginatorData.model_construct(
        natural=chosen.owner.natural,
        legal=chosen.owner.legal,
        customer_id=known.customer_id,
        wallet_address=known.wallet_address,
    )
    return request.model_copy(update={"originator": originator})


def _completed(data: WithdrawalRequested, chosen: WithdrawalFacts) -> WithdrawalRequested:
    """Fill in from KYC what must be sent and the platform left out, if KYC names the same person (rule 4)."""
    known, owner = data.originator, chosen.owner
    if not chosen.kyc or owner is None:
        return data
    person, company = known.natural, known.legal
    filled: dict[str, Any] = {}
    if person is not None and owner.natural is not None:
        if person.date_of_birth is None and same_party(known, owner):
            filled["natural"] = person.model_copy(update={"date_of_birth": owner.natural.date_of_birth})
    elif company is not None and owner.legal is not None and same_company([company.name], [owner.legal.name]):
        people = company.representatives or owner.legal.representatives
        filled["legal"] = company.model_copy(update={"representatives": people})
    return data.model_copy(update={"originator": known.model_copy(update=filled)}) if filled else data


def _has_name(person: Person) -> bool:
    """Whether anything in the name is a letter: the platform's texts may be blank or a dash."""
    names: list[str | None] = []
    if person.natural is not None:
        names = [person.natural.last_name, person.natural.local_last_name]
    elif person.legal is not None:
        names = [person.legal.name, person.legal.local_name]
    return any(normalise(name) for name in names if name)


def _normal(
    request: DataRequestReceived, data: WithdrawalRequested, profile: VaspProfile, *, exceeding: bool
) -> dict[str, Any]:
    country = request.requester.country if request.requester is not None else None
    both_korean = country == KOREA and profile.country_of_registration == KOREA
    return {
        "result": "normal",
        "reasonType": "",
        "reasonMsg": "",
        "transferId": request.transfer_id,
        "currency": data.currency,
        "amount": decimal_text(data.amount),
        "historicalCost": data.historical_cost or "",
        "tradePrice": decimal_text(data.trade_price),
        "tradeCurrency": data.trade_currency,
        "isExceedingThreshold": "true" if exceeding else "false",
        "payload": data_answer_payload(request.ivms101, data, profile, both_korean=both_korean),
    }


def _error(request: DataRequestReceived, refusal: _Refusal) -> dict[str, Any]:
    """An error tells nothing about the withdrawal."""
    return {
        "result": "error",
        "reasonType": refusal.reason,
        "reasonMsg": refusal.message,
        "transferId": request.transfer_id,
    }


def _answered(
    request: DataRequestReceived, status: Status, reason: str, answer: dict[str, Any], rule: str, withdrawal: str = ""
) -> Decision[DataRequestState]:
    state = DataRequestState(
        transfer_id=request.transfer_id,
        requester=request.entity_id,
        txid=request.txid,
        beneficiary_address=request.beneficiary_address,
        status=status,
        reason=reason,
        answer=answer,
        withdrawal=withdrawal,
    )
    return Decision(state, (Reply(answer),), rule=rule)


def _rejected(state: DataRequestState | None, code: str, path: str, fix: str) -> Decision[Any]:
    return Decision(state, status="rejected", code=code, field=path, fix=fix, rule=code)


def project(state: DataRequestState) -> Projection:
    """Project a data request: what was answered, and to whom."""
    return Projection(status=state.status, counterparty=state.requester)


_dump, _load = codec(DataRequestState)

VERSION = 2
"""See ``Machine.version``."""

MACHINE = Machine("data-request", decide, _dump, _load, project, VERSION)
