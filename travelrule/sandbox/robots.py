"""Robots: members that the sandbox plays, with real keys, real sealing and a memory (member-api.md).

A robot answers as a VASP's server would. Only its authorization (M2) can be set to misbehave; whatever else shall go
wrong is a fault of the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import orjson

from travelrule.crypto.signing import KeyRing
from travelrule.hub.operations import (
    ADDRESS_SEARCH,
    FINISH,
    HEALTH,
    STATUS_SEARCH,
    TRANSFER_AUTHORIZATION,
    TXID_REPORT,
)
from travelrule.hub.ports import MemberAnswer, MemberCall
from travelrule.sandbox.faults import Pause
from travelrule.sandbox.faulty import GARBAGE
from travelrule.sandbox.robot_checks import refuse_address, refuse_transfer
from travelrule.sandbox.robot_requests import RobotFault, SealedRequest, read_body, read_origin, read_sealed
from travelrule.sandbox.robot_wallets import RobotWallets
from travelrule.sandbox.transfers import Transfer, Transfers
from travelrule.sandbox.world import RobotSpec, WorldMember

_OK = 200
_NONCE_BYTES = 24

Json = dict[str, Any]


class Robot:
    """One played member. ``randomness(n)`` gives n bytes for sealing; ``transfers`` may outlive a change of keys,
    ``pause`` waits for seconds.
    """

    def __init__(
        self,
        member: WorldMember,
        spec: RobotSpec,
        keys: KeyRing,
        randomness: Callable[[int], bytes],
        transfers: Transfers | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._entity_id = member.vasp_entity_id
        self._spec = spec
        self._keys = keys
        self._randomness = randomness
        self._wallets = RobotWallets(spec.wallets)
        self._pause = pause
        self._own_data = _vasp_data(member)
        self.transfers = Transfers() if transfers is None else transfers
        self._plain_answers: dict[str, Callable[[MemberCall], Json]] = {
            ADDRESS_SEARCH.name: self._address_search,
            TXID_REPORT.name: self._txid_report,
            STATUS_SEARCH.name: self._status_search,
            FINISH.name: self._finish,
            HEALTH.name: self._health,
        }

    async def answer(self, call: MemberCall) -> MemberAnswer:
        """Answer a call of the hub."""
        try:
            if call.operation.name == TRANSFER_AUTHORIZATION.name:
                return await self._transfer_authorization(call)
            return MemberAnswer(_OK, orjson.dumps(self._plain_answers[call.operation.name](call)))
        except RobotFault as fault:
            return fault.answer()

    def _address_search(self, call: MemberCall) -> Json:
        request = read_sealed(call, self._keys)
        reason = refuse_address(request.body, request.ivms101, self._wallets)
        return {
            "result": "invalid" if reason else "valid",
            "reasonType": reason,
            "reasonMsg": "",
            "beneficiaryVaspEntityId": "" if reason else self._entity_id,
        }

    async def _transfer_authorization(self, call: MemberCall) -> MemberAnswer:
        if self._spec.answers == "never":
            await asyncio.Event().wait()
        origin = read_origin(call)
        request = read_sealed(call, self._keys)
        transfer = self._decided(origin, request)
        await self._pause(self._spec.delay_seconds)
        if self._spec.answers == "garbage":
            return MemberAnswer(_OK, GARBAGE)
        return MemberAnswer(_OK, orjson.dumps(self._verdict(request, transfer)))

    def _decided(self, origin: str, request: SealedRequest) -> Transfer:
        """Return the stored decision, or decide and store. Nothing may wait in here: it is one step."""
        transfer_id = request.body["transferId"]
        fingerprint = request.fingerprint()
        known = self.transfers.find(origin, transfer_id)
        if known is not None:
            if known.fingerprint != fingerprint:
                raise RobotFault("DUPLICATED_TRANSFER_ID", "transferId is known with other content")
            return known
        reason = refuse_transfer(request.body, request.ivms101, self._wallets)
        if not reason and self._spec.answers == "denied":
            reason = self._spec.reason_type
        transfer = Transfer(fingerprint, "denied" if reason else "verified", reason)
        self.transfers.keep(origin, transfer_id, transfer)
        return transfer

    def _verdict(self, request: SealedRequest, transfer: Transfer) -> Json:
        copied = {
            name: request.ivms101[name]
            for name in ("Originator", "Beneficiary", "OriginatingVASP")
            if name in request.ivms101
        }
        payload = request.sealed_answer(copied | self._own_data, self._randomness(_NONCE_BYTES))
        return {
            "result": "denied" if transfer.reason_type else "verified",
            "reasonType": transfer.reason_type,
            "reasonMsg": "",
            "transferId": request.body["transferId"],
            "beneficiaryVasp": {},
            "payload": payload,
        }

    def _txid_report(self, call: MemberCall) -> Json:
        body = read_body(call)
        reason = self.transfers.report(
            read_origin(call),
            body["transferId"],
            body["txid"],
            str(body.get("vout") or ""),
            credit=self._spec.credits_at_once,
        )
        return _processed(body, reason)

    def _finish(self, call: MemberCall) -> Json:
        body = read_body(call)
        return _processed(body, self.transfers.finish(read_origin(call), body["transferId"]))

    def _status_search(self, call: MemberCall) -> Json:
        # Asked of the originating side; a robot originates nothing, so it knows no such transfer.
        read_body(call)
        raise RobotFault("UNKNOWN_TRANSFER_ID", "no transfer with that id was sent from here")

    def _health(self, _: MemberCall) -> Json:
        if self._spec.health == "down":
            raise RobotFault("VASP_BACKEND_INTERNAL_ERROR", "set to be down")
        return {"status": "UP"}


def _processed(body: Json, reason: str) -> Json:
    return {
        "transferId": body["transferId"],
        "result": "error" if reason else "normal",
        "reasonType": reason,
    }


def _vasp_data(member: WorldMember) -> Json:
    """Return the ``BeneficiaryVASP`` that a robot says it is (ivms101.md section 4)."""
    name = {"legalPersonName": member.vasp_legal_name, "legalPersonNameIdentifierType": "LEGL"}
    country = member.country_of_registration
    address = {"addressType": "GEOG", "townName": "Sandbox", "country": country, "addressLine": ["1 Robot Row"]}
    legal = {
        "name": {"nameIdentifier": [name]},
        "geographicAddress": [address],
        "countryOfRegistration": country,
    }
    return {"BeneficiaryVASP": {"beneficiaryVASP": {"legalPerson": legal}}}
