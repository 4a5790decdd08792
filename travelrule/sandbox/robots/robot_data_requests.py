"""Data requests at a robot (member-api.md M7): look-up, checks, answer, replay.

A robot of the hub's own network fills in the originator; one of an affiliated network verifies the originator that the
request names (D48).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from schemas.events.persons import Person
from schemas.ivms101 import Beneficiary, IvmsPerson, Originator
from travelrule.identity.name_comparison import birth_date_differs, compare_beneficiary
from travelrule.identity.person_objects import person_objects
from travelrule.identity.txids import same_txid
from travelrule.sandbox.robots.robot_alliance import RobotAlliance
from travelrule.sandbox.robots.robot_objects import accounts_of, object_of, persons_of
from travelrule.sandbox.robots.robot_requests import RobotFault
from travelrule.sandbox.robots.robot_spec import RobotSpec, WithdrawalSpec
from travelrule.sandbox.robots.robot_withdrawals import RobotWithdrawals

Json = dict[str, Any]

_LACKING = "LACK_OF_INFORMATION"
_SOMEBODY_ELSE = {
    "naturalPerson": {
        "name": {
            "nameIdentifier": [
                {"primaryIdentifier": "Elsewhere", "secondaryIdentifier": "Somebody", "nameIdentifierType": "LEGL"}
            ]
        }
    }
}


@dataclass(frozen=True, slots=True)
class RobotDataAnswer:
    """The answer to a data request: its clear fields, and the content of its payload, None for an error."""

    txid: str
    clear: Json
    ivms101: Json | None


class DataAnswerStore:
    """Past answers by (origin, transferId): they are replayed, errors included."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], RobotDataAnswer] = {}

    def find(self, origin: str, transfer_id: str, txid: str) -> RobotDataAnswer | None:
        """Return the past answer. Raises ``RobotFault`` if it was about another transaction."""
        known = self._kept.get((origin, transfer_id))
        if known is not None and not same_txid(known.txid, txid):
            raise RobotFault("DUPLICATED_TRANSFER_ID", "transferId is known with another txid")
        return known

    def keep(self, origin: str, transfer_id: str, answer: RobotDataAnswer) -> RobotDataAnswer:
        """Store an answer."""
        self._kept[origin, transfer_id] = answer
        return answer


class DataRequestDecider:
    """Decides on data requests. ``own_data`` is the robot's ``OriginatingVASP``."""

    def __init__(self, spec: RobotSpec, alliance: RobotAlliance, withdrawals: RobotWithdrawals, own_data: Json) -> None:
        self._spec = spec
        self._alliance = alliance
        self._withdrawals = withdrawals
        self._own_data = own_data

    def decide(self, body: Json, ivms101: Json) -> RobotDataAnswer:
        """Return the answer to a request, in the evaluation order of M7."""
        withdrawal = self._withdrawals.find(body)
        if withdrawal is None:
            return _refusal(body, "NOT_FOUND_TXID", "no withdrawal with this txid to this address")
        reason, message = self._examine(withdrawal, ivms101)
        if reason:
            return _refusal(body, reason, message)
        amount = format(Decimal(withdrawal.amount) + 1, "f") if self._lies("amount") else withdrawal.amount
        clear = {
            "result": "normal",
            "reasonType": "",
            "reasonMsg": "",
            "transferId": body["transferId"],
            "currency": withdrawal.currency,
            "amount": amount,
            "historicalCost": "",
            "tradePrice": withdrawal.trade_price,
            "tradeCurrency": withdrawal.trade_currency,
            "isExceedingThreshold": "true" if withdrawal.exceeds_threshold else "false",
        }
        return RobotDataAnswer(body["txid"], clear, self._payload(withdrawal, ivms101))

    def _examine(self, withdrawal: WithdrawalSpec, ivms101: Json) -> tuple[str, str]:
        """Return reason and message of a refusal, or two empty texts."""
        if _is_incomplete(ivms101):
            return _LACKING, "Beneficiary or BeneficiaryVASP is incomplete"
        if self._alliance.affiliated and not _senders(ivms101):
            return _LACKING, "this network verifies the Originator: send it"
        if self._alliance.lacks_birth(ivms101):
            return _LACKING, "this network wants dates of birth"
        if self._spec.data_request == "refuse":
            return self._spec.reason_type, "data requests are refused here"
        if withdrawal.payee is not None and not _is_payee(ivms101, withdrawal.payee):
            return "UNKNOWN", "the withdrawal was meant for somebody else"
        sender = withdrawal.sender
        if sender is None:
            return _LACKING, "the sender has no KYC and no identity data"
        if self._alliance.affiliated and not _is_sender(ivms101, sender):
            return "UNKNOWN", "the Originator does not match"
        return "", ""

    def _payload(self, withdrawal: WithdrawalSpec, ivms101: Json) -> Json:
        beneficiary = object_of(ivms101, "Beneficiary")
        if self._lies("name"):
            beneficiary = {**beneficiary, "beneficiaryPersons": [_SOMEBODY_ELSE]}
        return {
            "Originator": self._originator(withdrawal, ivms101),
            "OriginatingVASP": self._own_data,
            "Beneficiary": beneficiary,
            "BeneficiaryVASP": ivms101["BeneficiaryVASP"],
        }

    def _originator(self, withdrawal: WithdrawalSpec, ivms101: Json) -> Json:
        if self._alliance.affiliated or withdrawal.sender is None:
            return object_of(ivms101, "Originator")
        return {
            "originatorPersons": person_objects(withdrawal.sender, customer_id=withdrawal.account_number),
            "accountNumber": [withdrawal.account_number],
        }

    def _lies(self, about: str) -> bool:
        return self._spec.data_request == f"lie-{about}"


def _refusal(body: Json, reason_type: str, message: str) -> RobotDataAnswer:
    clear = {
        "result": "error",
        "reasonType": reason_type,
        "reasonMsg": message,
        "transferId": body["transferId"],
    }
    return RobotDataAnswer(body["txid"], clear, None)


def _is_incomplete(ivms101: Json) -> bool:
    beneficiary = object_of(ivms101, "Beneficiary")
    vasp = object_of(object_of(object_of(ivms101, "BeneficiaryVASP"), "beneficiaryVASP"), "legalPerson")
    return (
        not accounts_of(beneficiary) or not persons_of(beneficiary, "beneficiaryPersons") or not object_of(vasp, "name")
    )


def _senders(ivms101: Json) -> list[Json]:
    return persons_of(object_of(ivms101, "Originator"), "originatorPersons")


def _is_sender(ivms101: Json, held: Person) -> bool:
    return _is_same(lambda: Originator.from_wire(object_of(ivms101, "Originator")).originator_persons, held)


def _is_payee(ivms101: Json, held: Person) -> bool:
    return _is_same(lambda: Beneficiary.from_wire(object_of(ivms101, "Beneficiary")).beneficiary_persons, held)


def _is_same(read: Callable[[], tuple[IvmsPerson, ...]], held: Person) -> bool:
    try:
        sent = read()
    except ValidationError:
        return False  # unreadable data cannot match
    return compare_beneficiary(sent, held) == "match" and not birth_date_differs(sent, held)
