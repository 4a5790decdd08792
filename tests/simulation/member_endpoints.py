"""The member endpoints of a VASP (M1 to M7): a request of the hub becomes an input, as in the gateway."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson

from schemas.hub.bodies import PublicKey, VaspEntry
from schemas.ivms101 import Beneficiary
from schemas.wire_model import Wire
from tests.simulation.clock import Clock
from tests.simulation.engine_model import EngineModel
from tests.simulation.network import Answer, MemberSilent
from travelrule.crypto.errors import SealError
from travelrule.crypto.sealing import open_sealed, seal
from travelrule.crypto.signing import SigningKey
from travelrule.deposits.served_requests.received_request import DataRequestReceived
from travelrule.gateway.endpoints.authorization import FACTS
from travelrule.gateway.endpoints.data_request import FIELDS
from travelrule.gateway.endpoints.status_search import ANSWERED
from travelrule.gateway.wallet_match import accepts_asset
from travelrule.identity.account_numbers import canonical
from travelrule.identity.txids import txid_key
from travelrule.machine.input import Input
from travelrule.messages.arrival import SearchCalledBack
from travelrule.messages.inbound_request import (
    AuthorizationReceived,
    FinishReceived,
    SenderFacts,
    TxidReportReceived,
    WalletFacts,
)

KEY_LIFE = timedelta(days=400)
TAKEN = {"CONFLICT", "DUPLICATED_TRANSFER_ID"}
INVALID_BODY: Answer = (503, {"errorType": "INVALID_ENCRYPTED_BODY"})


class Keys:
    """The keys of a member, which it may rotate; the old ones still open."""

    def __init__(self, dice: random.Random, now: datetime) -> None:
        self._dice = dice
        self.pairs: list[SigningKey] = [SigningKey(dice.randbytes(32))]
        self.expires = now + KEY_LIFE

    @property
    def signing(self) -> SigningKey:
        """The pair that signs and seals now, as a ``KeyRing`` gives it."""
        return self.pairs[0]

    def rotate(self, now: datetime) -> None:
        self.pairs.insert(0, SigningKey(self._dice.randbytes(32)))
        self.expires = now + KEY_LIFE

    def listed(self) -> tuple[PublicKey, ...]:
        return (PublicKey(pubkey=self.pairs[0].public_base64, expires_at=self.expires),)

    def open(self, body: dict[str, Any], own_key: str, remote_key: str | None) -> tuple[SigningKey, Any] | None:
        """The inner object of a request, and the key pair that opened it."""
        pair = next((one for one in self.pairs if one.public_base64 == remote_key), None)
        if pair is None:
            return None
        try:
            return pair, orjson.loads(open_sealed(pair, own_key, body["payload"]))["ivms101"]
        except (SealError, orjson.JSONDecodeError, KeyError):
            return None

    def seal(self, pair: SigningKey, peer: str, inner: Any) -> str:
        return seal(pair, peer, orjson.dumps({"ivms101": inner}), self._dice.randbytes(24))


class Member:
    """One VASP's endpoints. ``asleep_until``: its processes are away until then."""

    def __init__(self, engine_model: EngineModel, clock: Clock, dice: random.Random) -> None:
        self.name = engine_model.vasp
        self.engine_model = engine_model
        self.keys = Keys(dice, clock.now)
        self.asleep_until = clock.now
        self._clock = clock
        self._dice = dice

    def entry(self) -> VaspEntry:
        return VaspEntry(
            vasp_entity_id=self.name, country_of_registration="SG", alliance_name="code", pubkeys=self.keys.listed()
        )

    def serve(self, operation: str, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        if self._clock.now < self.asleep_until:
            raise MemberSilent
        match operation:
            case "address-search":
                return self._verify_address(origin, body, own_key, remote_key)
            case "transfer-authorization":
                return self._authorization(origin, body, own_key, remote_key)
            case "txid-report":
                fields = {"txid": body["txid"], "vout": body.get("vout")}
                return self._concluded(TxidReportReceived, "txid-report.received", origin, body, fields)
            case "finish":
                fields = {"status": body["status"], "reason_type": body.get("reasonType")}
                return self._concluded(FinishReceived, "finish.received", origin, body, fields)
            case "status-search":
                return self._status(origin, body)
            case "data-request":
                return self._data_request(origin, body, own_key, remote_key)
        raise AssertionError(operation)

    def sent(self, txid: str, account: str) -> bool:
        return bool(self.engine_model.search_model.sent(self.engine_model.states(), txid, account))

    def owns(self, account: str, currency: str) -> bool:
        return any(accepts_asset(one, currency, None) for one in self.engine_model.search_model.meant(account))

    def called_back(self, operation: str, request_id: str, subject: str) -> None:
        """A callback for a search of this VASP, true or forged."""
        if self._clock.now < self.asleep_until:
            return
        data = SearchCalledBack(operation=operation, request_id=request_id)
        name = f"{operation}/{request_id}/{int(self._clock.now.timestamp())}"
        content = orjson.dumps(data.to_wire(), option=orjson.OPT_SORT_KEYS)
        self.engine_model.apply(self._input("/callbacks", name, "search.called-back", subject, data, content))

    def _verify_address(self, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        opened = self.keys.open(body, own_key, remote_key)
        if opened is None:
            return INVALID_BODY
        if not self.engine_model.policy().accepts(origin):
            return 200, {"result": "invalid", "reasonType": "UNKNOWN"}
        numbers = Beneficiary.model_validate(opened[1].get("Beneficiary") or {}).account_number
        for number in numbers:
            own = [
                one
                for one in self.engine_model.search_model.meant(number)
                if accepts_asset(one, body["currency"], body.get("network"))
            ]
            if not own:
                return 200, {"result": "invalid", "reasonType": "NOT_FOUND_ADDRESS", "beneficiaryVaspEntityId": ""}
            if not all(one.kyc for one in own):
                return 200, {"result": "invalid", "reasonType": "NOT_KYC_USER", "beneficiaryVaspEntityId": self.name}
        return 200, {"result": "valid", "reasonType": "", "beneficiaryVaspEntityId": self.name}

    def _authorization(self, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        opened = self.keys.open(body, own_key, remote_key)
        if opened is None:
            return INVALID_BODY
        pair, inner = opened
        numbers = Beneficiary.model_validate(inner.get("Beneficiary") or {}).account_number
        wallets = [
            WalletFacts(
                account_number=number,
                wallet_id=one.wallet_id,
                tag=one.tag or None,
                currencies=one.currencies,
                networks=one.networks,
                customer_id=one.customer_id,
                kyc=one.kyc,
                owner=one.owner,
            )
            for number in dict.fromkeys(numbers)
            for one in self.engine_model.search_model.meant(number)
        ]
        data = AuthorizationReceived(
            origin=f"code:{origin}",
            entity_id=origin,
            transfer_id=body["transferId"],
            currency=body["currency"],
            amount=body["amount"],
            historical_cost=body.get("historicalCost") or "",
            trade_price=body["tradePrice"],
            trade_currency=body["tradeCurrency"],
            is_exceeding_threshold=body["isExceedingThreshold"] == "true",
            address=body.get("address"),
            tag=body.get("tag"),
            network=body.get("network"),
            ivms101=inner,
            sender=SenderFacts(entity_id=origin, alliance="code", country="SG"),
            wallets=tuple(wallets),
        )
        content = orjson.dumps(data.model_dump(mode="json", by_alias=True, exclude=FACTS), option=orjson.OPT_SORT_KEYS)
        subject = f"exchange:{origin}/{data.transfer_id}"
        name = f"authorization/{data.transfer_id}"
        item = self._input(f"/gateway/code:{origin}", name, "authorization.received", subject, data, content)
        status, reply = self._answered(item)
        if status == 200 and reply.get("payload") is not None:
            reply = {**reply, "payload": self.keys.seal(pair, own_key, reply["payload"])}
        return status, reply

    def _concluded(
        self, model: type[Wire], kind: str, origin: str, body: dict[str, Any], fields: dict[str, Any]
    ) -> Answer:
        facts = {"origin": f"code:{origin}", "entity_id": origin, "transfer_id": body["transferId"], **fields}
        data = model.model_validate(facts)
        salt = UUID(int=self._dice.getrandbits(128), version=4)
        content = orjson.dumps(data.model_dump(mode="json", by_alias=True), option=orjson.OPT_SORT_KEYS)
        name = f"{kind.removesuffix('.received')}/{body['transferId']}/{salt}"
        subject = f"exchange:{origin}/{body['transferId']}"
        item = self._input(f"/gateway/code:{origin}", name, kind, subject, data, content, unknown=True)
        return self._answered(item)

    def _status(self, origin: str, body: dict[str, Any]) -> Answer:
        row = self.engine_model.search_model.outgoing(body["transferId"], origin)
        if row is None:
            return 503, {"errorType": "UNKNOWN_TRANSFER_ID"}
        answer = {"transferId": body["transferId"], "status": ANSWERED[row.status]}
        if row.txid:
            answer["txid"] = row.txid
            if row.vout:
                answer["vout"] = row.vout
        return 200, answer

    def _data_request(self, origin: str, body: dict[str, Any], own_key: str, remote_key: str | None) -> Answer:
        opened = self.keys.open(body, own_key, remote_key)
        if opened is None:
            return INVALID_BODY
        pair, inner = opened
        data = DataRequestReceived(
            origin=f"code:{origin}",
            entity_id=origin,
            transfer_id=body["transferId"],
            txid=body["txid"],
            beneficiary_address=body["beneficiaryAddress"],
            currency=body.get("currency"),
            network=body.get("network"),
            ivms101=inner,
            requester=SenderFacts(entity_id=origin, alliance="code", country="SG"),
            withdrawals=tuple(
                self.engine_model.search_model.sent(
                    self.engine_model.states(), body["txid"], body["beneficiaryAddress"]
                )
            ),
        )
        content = orjson.dumps(
            [data.transfer_id, txid_key(data.txid), canonical(data.beneficiary_address)], option=orjson.OPT_SORT_KEYS
        )
        name = f"data-request/{data.transfer_id}"
        subject = f"data-request:{origin}/{data.transfer_id}"
        item = self._input(f"/gateway/code:{origin}", name, "data-request.received", subject, data, content)
        status, reply = self._answered(item)
        if status != 200:
            return status, reply
        answer = {field: reply.get(field) or "" for field in FIELDS}
        inner = reply.get("payload")
        return 200, {**answer, "payload": self.keys.seal(pair, own_key, inner) if inner is not None else ""}

    def _answered(self, item: Input) -> Answer:
        outcome = self.engine_model.apply(item)
        if outcome.reply is not None:
            return 200, outcome.reply
        taken = outcome.status == "rejected" and outcome.code in TAKEN
        return 503, {"errorType": "DUPLICATED_TRANSFER_ID" if taken else "VASP_BACKEND_INTERNAL_ERROR"}

    def _input(
        self, source: str, name: str, kind: str, subject: str, data: Wire, content: bytes, *, unknown: bool = False
    ) -> Input:
        salt = UUID(int=self._dice.getrandbits(128), version=4)
        return Input(source, name, kind, subject, self._clock.now, data, content, salt, reply_to_unknown=unknown)
