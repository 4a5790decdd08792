"""What a gateway takes from another VASP: an authorization, a txid report, a finish, and the facts beside them."""

from __future__ import annotations

from typing import Any

from tests.support.events import ADDRESS, TAG, TXID
from travelrule.messages.inbound_request import (
    AuthorizationReceived,
    FinishReceived,
    SenderFacts,
    TxidReportReceived,
    WalletFacts,
)

TRANSFER_ID = "5d3c0a44-0f4e-4c7f-8a0e-9d0d6f0a1b2c"
OWNER = {"natural": {"lastName": "Lind", "firstName": "Erik", "dateOfBirth": "1980-05-06"}}


def natural(last: str, first: str, born: str = "") -> dict[str, Any]:
    name = {"primaryIdentifier": last, "secondaryIdentifier": first, "nameIdentifierType": "LEGL"}
    person: dict[str, Any] = {"name": {"nameIdentifier": [name]}}
    if born:
        person["dateAndPlaceOfBirth"] = {"dateOfBirth": born}
    return {"naturalPerson": person}


def legal(name: str) -> dict[str, Any]:
    entry = {"legalPersonName": name, "legalPersonNameIdentifierType": "LEGL"}
    return {"legalPerson": {"name": {"nameIdentifier": [entry]}, "countryOfRegistration": "GB"}}


def ivms101(**changes: Any) -> dict[str, Any]:
    return {
        "Originator": {"originatorPersons": [natural("Berg", "Anna", "1990-02-03")], "accountNumber": ["rEb8:1001"]},
        "Beneficiary": {"beneficiaryPersons": [natural("Lind", "Erik")], "accountNumber": [f"{ADDRESS}:{TAG}"]},
        "OriginatingVASP": {"originatingVASP": legal("North Exchange Ltd.")},
        **changes,
    }


def wallet(**changes: Any) -> WalletFacts:
    facts = {
        "accountNumber": f"{ADDRESS}:{TAG}",
        "walletId": "w-1",
        "tag": TAG,
        "currencies": ("XRP",),
        "networks": ("XRP",),
        "customerId": "c-77",
        "kyc": True,
        "owner": OWNER,
        **changes,
    }
    return WalletFacts.model_validate(facts)


def authorization(**changes: Any) -> AuthorizationReceived:
    facts: dict[str, Any] = {
        "origin": "code:north",
        "entity_id": "north",
        "transfer_id": TRANSFER_ID,
        "currency": "XRP",
        "amount": "250.50",
        "trade_price": "150.30",
        "trade_currency": "USD",
        "is_exceeding_threshold": True,
        "address": ADDRESS,
        "tag": TAG,
        "network": "XRP",
        "ivms101": ivms101(),
        "sender": SenderFacts(entity_id="north", alliance="code", country="SG"),
        "wallets": (wallet(),),
        **changes,
    }
    return AuthorizationReceived(**facts)


def txid_report(txid: str = TXID, vout: str | None = None, entity: str = "north") -> TxidReportReceived:
    return TxidReportReceived(origin=f"code:{entity}", entity_id=entity, transfer_id=TRANSFER_ID, txid=txid, vout=vout)


def finish(status: str = "canceled", entity: str = "north", reason: str | None = "UNKNOWN") -> FinishReceived:
    return FinishReceived(
        origin=f"code:{entity}", entity_id=entity, transfer_id=TRANSFER_ID, status=status, reason_type=reason
    )
