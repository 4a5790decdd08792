"""Members that are no VASP of ours: they verify, deny, answer nonsense, claim transactions, and send what they like."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID

import orjson

from schemas.hub.bodies import VaspEntry
from tests.simulation.clock import Clock
from tests.simulation.customers import Customer
from tests.simulation.member_endpoints import INVALID_BODY, Keys
from tests.simulation.network import Answer, Hub, MemberSilent
from travelrule.crypto.sealing import seal
from travelrule.identity.account_numbers import split_tag

REASONS = ("NOT_FOUND_ADDRESS", "INPUT_NAME_MISMATCHED", "SANCTION_LIST", "LACK_OF_INFORMATION", "DOB_MISMATCHED", "?!")
VASP_PARTY = {
    "legalPerson": {
        "name": {"nameIdentifier": [{"legalPersonName": "Robot Ltd.", "legalPersonNameIdentifierType": "LEGL"}]},
        "countryOfRegistration": "DE",
    }
}


class Robot:
    """A counterparty with random answers: drawn once for each transfer, and then kept."""

    def __init__(
        self, name: str, hub: Hub, clock: Clock, dice: random.Random, people: list[Customer], alliance: str = "code"
    ) -> None:
        self.name = name
        self.alliance = alliance
        self.keys = Keys(dice, clock.now)
        self.claimed: set[str] = set()
        self.people = people
        self._hub = hub
        self._clock = clock
        self._dice = dice
        self._said: dict[tuple[str, str], dict[str, Any]] = {}
        self._txids: dict[str, str] = {}
        self._amounts: dict[str, str] = {}

    def entry(self) -> VaspEntry:
        return VaspEntry(
            vasp_entity_id=self.name,
            country_of_registration="DE",
            alliance_name=self.alliance,
            pubkeys=self.keys.listed(),
        )

    def serve(self, operation: str, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        if self._dice.random() < 0.02:
            raise MemberSilent
        match operation:
            case "address-search":
                return 200, self._address(body)
            case "transfer-authorization":
                return self._authorization(origin, body, own_key, remote_key)
            case "txid-report":
                return 200, self._report(body)
            case "finish":
                known = (operation, body["transferId"]) in self._said or self._dice.random() < 0.7
                reason = self._dice.choice(("UNKNOWN_TRANSFER_ID", "ILLEGAL_STATEFLOW", "UNKNOWN"))
                return 200, _closed(body, "" if known else reason)
            case "status-search":
                status = self._dice.choice(("pending", "processing", "wait-confirm", "confirmed", "canceled", "Huh"))
                answer = {"transferId": body["transferId"], "status": status}
                if status == "confirmed":
                    answer["txid"] = self._txids.setdefault(body["transferId"], f"{self._dice.getrandbits(256):064X}")
                return 200, answer
            case "data-request":
                return self._data(body, own_key, remote_key)
        raise AssertionError(operation)

    def sent(self, txid: str, account: str) -> bool:
        return txid in self.claimed

    def owns(self, account: str, currency: str) -> bool:
        address, tag = split_tag(account)
        places = [one.wallets[currency] for one in self.people if currency in one.wallets]
        return any((one.address, one.tag) == (address, tag) for one in places)

    def _address(self, body: dict[str, Any]) -> dict[str, Any]:
        word = self._dice.choices(("valid", "other", "invalid"), (90, 2, 8))[0]
        if word == "invalid":
            return {"result": "invalid", "reasonType": self._dice.choice(REASONS)}
        return {"result": "valid", "beneficiaryVaspEntityId": self.name if word == "valid" else "south"}

    def _authorization(self, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        opened = self.keys.open(body, own_key, remote_key)
        if opened is None:
            return INVALID_BODY
        pair, inner = opened
        key = (origin, body["transferId"])
        if key in self._said and self._dice.random() < 0.3:
            return 503, {"errorType": "DUPLICATED_TRANSFER_ID"}
        if key not in self._said:
            denied = self._dice.random() < 0.25
            reason = self._dice.choice(REASONS) if denied else ""
            self._said[key] = {"result": "denied" if denied else "verified", "reasonType": reason}
        payload = self.keys.seal(pair, own_key, {**inner, "BeneficiaryVASP": {"beneficiaryVASP": VASP_PARTY}})
        return 200, {**self._said[key], "transferId": body["transferId"], "payload": payload}

    def _report(self, body: dict[str, Any]) -> dict[str, Any]:
        if self._txids.setdefault(body["transferId"], body["txid"]) != body["txid"]:
            return _closed(body, "TXID_ALREADY_EXISTS")
        reason = self._dice.choice(("TRANSFER_ALREADY_FAILED", "UNKNOWN_TRANSFER_ID", "UNKNOWN"))
        return _closed(body, reason if self._dice.random() < 0.08 else "")

    def _data(self, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        opened = self.keys.open(body, own_key, remote_key)
        if opened is None:
            return INVALID_BODY
        pair, inner = opened
        if self._dice.random() < 0.3:
            reason = self._dice.choice(("NOT_FOUND_TXID", "LACK_OF_INFORMATION", "UNKNOWN"))
            return 200, {"result": "error", "reasonType": reason, "transferId": body["transferId"]}
        sender = {"primaryIdentifier": "Roboter", "secondaryIdentifier": "Rita", "nameIdentifierType": "LEGL"}
        person = {"naturalPerson": {"name": {"nameIdentifier": [sender]}}}
        inner = {
            **inner,
            "Originator": {"originatorPersons": [person], "accountNumber": ["robot-1"]},
            "OriginatingVASP": {"originatingVASP": VASP_PARTY},
        }
        mood = self._dice.choices(("fine", "other-payee", "other-address", "other-coin", "nothing"), (80, 5, 5, 5, 5))[
            0
        ]
        if mood == "other-payee":
            inner["Beneficiary"] = {**inner["Beneficiary"], "beneficiaryPersons": [person]}
        elif mood == "other-address":
            inner["Beneficiary"] = {**inner["Beneficiary"], "accountNumber": ["elsewhere"]}
        currency = "DOGE" if mood == "other-coin" else body["currency"]
        answer = {"result": "normal", "transferId": body["transferId"], "currency": currency}
        amount = self._amounts.get(body["txid"], "1")
        payload = "" if mood == "nothing" else self.keys.seal(pair, own_key, inner)
        return 200, {**answer, "amount": amount, "payload": payload}

    def pays(self, txid: str, amount: str) -> None:
        """It sent this transaction, without having said so."""
        self.claimed.add(txid)
        self._amounts[txid] = amount

    # As an originator it keeps to no order.

    def asks(self, target: str, operation: str, body: dict[str, Any], inner: Any = None) -> Answer | None:
        """Send something to a member through the hub, outside all rules; None without an answer."""
        member = self._hub.members[target]
        remote_key = member.entry().pubkeys[0].pubkey
        if inner is not None:
            plain = orjson.dumps({"ivms101": inner})
            body = {**body, "payload": seal(self.keys.signing, remote_key, plain, self._dice.randbytes(24))}
        own = self.keys.signing.public_base64
        try:
            answer = member.serve(operation, self.name, body, own, remote_key if inner is not None else None)
        except MemberSilent:
            return None
        self._hub.watcher.served(target, self.name, operation, body, answer)
        return answer

    def transfer_id(self) -> str:
        return str(UUID(int=self._dice.getrandbits(128), version=4))


def _closed(body: dict[str, Any], reason: str) -> dict[str, Any]:
    return {"transferId": body["transferId"], "result": "error" if reason else "normal", "reasonType": reason}
