"""A robot: a member that the sandbox plays, with real keys, real sealing and a memory (member-api.md).

A robot answers as a VASP's server does. Its answers to authorizations (M2), data requests (M7) and TXID searches (M6)
can be set to be wrong or late; every other failure is a fault of the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import orjson

from schemas.operations import Operation
from travelrule.crypto.signing import KeyRing
from travelrule.hub.ports import MemberAnswer, MemberCall
from travelrule.sandbox.faults.fault_spec import Pause
from travelrule.sandbox.faults.faulty_network import GARBAGE
from travelrule.sandbox.robots.robot_alliance import RobotAlliance
from travelrule.sandbox.robots.robot_data_requests import DataRequestDecider
from travelrule.sandbox.robots.robot_memory import RobotMemory
from travelrule.sandbox.robots.robot_refusals import refuse_address, refuse_transfer
from travelrule.sandbox.robots.robot_requests import RobotFault, SealedRequest, read_body, read_origin, read_sealed
from travelrule.sandbox.robots.robot_spec import RobotSpec
from travelrule.sandbox.robots.robot_transfers import RobotTransfer
from travelrule.sandbox.robots.robot_wallets import RobotWallets
from travelrule.sandbox.robots.robot_withdrawals import RobotWithdrawals
from travelrule.sandbox.world.world_file import WorldMember

_OK = 200
_NONCE_BYTES = 24

Json = dict[str, Any]


class Robot:
    """One played member.

    ``randomness(n)`` returns n bytes for sealing. ``memory`` may outlive a change of keys. ``pause`` waits for seconds.
    """

    def __init__(
        self,
        member: WorldMember,
        spec: RobotSpec,
        keys: KeyRing,
        randomness: Callable[[int], bytes],
        memory: RobotMemory | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._entity_id = member.vasp_entity_id
        self._spec = spec
        self._keys = keys
        self._randomness = randomness
        self._wallets = RobotWallets(spec.wallets)
        self._alliance = RobotAlliance.named(member.alliance_name)
        self._withdrawals = RobotWithdrawals(spec.withdrawals, spec.claims)
        self._pause = pause
        vasp = _vasp_data(member)
        self._own_data = {"BeneficiaryVASP": {"beneficiaryVASP": vasp}}
        self._data_desk = DataRequestDecider(spec, self._alliance, self._withdrawals, {"originatingVASP": vasp})
        self.memory = RobotMemory() if memory is None else memory
        self._plain_answers: dict[Operation, Callable[[MemberCall], Json]] = {
            Operation.ADDRESS_SEARCH: self._address_search,
            Operation.WALLET_CHECK: self._wallet_check,
            Operation.TXID_REPORT: self._txid_report,
            Operation.STATUS_SEARCH: self._status_search,
            Operation.FINISH: self._finish,
            Operation.HEALTH: self._health,
        }

    async def answer(self, call: MemberCall) -> MemberAnswer:
        """Return the answer to a call of the hub."""
        try:
            return await self._answer(call)
        except RobotFault as fault:
            return fault.answer()

    async def _answer(self, call: MemberCall) -> MemberAnswer:
        if call.operation.name == Operation.TRANSFER_AUTHORIZATION:
            return await self._transfer_authorization(call)
        if call.operation.name == Operation.DATA_REQUEST:
            return await self._data_request(call)
        if call.operation.name == Operation.TXID_CHECK:
            return await self._txid_check(call)
        return _said(self._plain_answers[call.operation.name](call))

    def _address_search(self, call: MemberCall) -> Json:
        request = read_sealed(call, self._keys)
        self._alliance.check_clear(request.body, request.ivms101)
        return self._found(refuse_address(request.body, request.ivms101, self._wallets))

    def _wallet_check(self, call: MemberCall) -> Json:
        # A robot that accepts every address owns none: otherwise each such robot would be found by each search.
        return self._found("NOT_FOUND_ADDRESS") if self._wallets.open else self._address_search(call)

    def _found(self, reason: str) -> Json:
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
        if self._spec.answers == "late":
            await self._pause(self._spec.delay_seconds)
        if self._spec.answers == "garbage":
            return MemberAnswer(_OK, GARBAGE)
        return _said(self._verdict(request, transfer))

    async def _txid_check(self, call: MemberCall) -> MemberAnswer:
        body = read_body(call)
        await self._pause(self._spec.search_delay_seconds)
        return _said({"result": "valid" if self._withdrawals.sent(body) else "invalid"})

    async def _data_request(self, call: MemberCall) -> MemberAnswer:
        origin = read_origin(call)
        request = read_sealed(call, self._keys, affiliated=self._alliance.affiliated)
        transfer_id = request.body["transferId"]
        answers = self.memory.data_answers
        answer = answers.find(origin, transfer_id, request.body["txid"])
        if answer is None:
            answer = answers.keep(origin, transfer_id, self._data_desk.decide(request.body, request.ivms101))
        if self._spec.data_request == "late":
            await self._pause(self._spec.delay_seconds)
        if answer.ivms101 is None:
            return _said({**answer.clear, "payload": ""})
        payload = request.sealed_answer(answer.ivms101, self._randomness(_NONCE_BYTES))
        return _said({**answer.clear, "payload": payload})

    def _decided(self, origin: str, request: SealedRequest) -> RobotTransfer:
        """Return the stored decision, or decide and store in one step without waiting."""
        transfer_id = request.body["transferId"]
        fingerprint = request.fingerprint()
        known = self.memory.transfers.find(origin, transfer_id)
        if known is not None:
            if known.fingerprint != fingerprint:
                raise RobotFault("DUPLICATED_TRANSFER_ID", "transferId is known with other content")
            return known
        self._alliance.check_clear(request.body, request.ivms101)
        reason = refuse_transfer(request.body, request.ivms101, self._wallets)
        if not reason and self._alliance.lacks_birth(request.ivms101):
            reason = "LACK_OF_INFORMATION"
        if not reason and self._spec.answers == "denied":
            reason = self._spec.reason_type
        transfer = RobotTransfer(fingerprint, "denied" if reason else "verified", reason)
        self.memory.transfers.keep(origin, transfer_id, transfer)
        return transfer

    def _verdict(self, request: SealedRequest, transfer: RobotTransfer) -> Json:
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
        reason = self.memory.transfers.report(
            read_origin(call),
            body["transferId"],
            body["txid"],
            str(body.get("vout") or ""),
            credit=self._spec.credits_at_once,
        )
        return _processed(body, reason)

    def _finish(self, call: MemberCall) -> Json:
        body = read_body(call)
        return _processed(body, self.memory.transfers.finish(read_origin(call), body["transferId"]))

    def _status_search(self, call: MemberCall) -> Json:
        # The originating side answers this; a robot originates no transfer.
        read_body(call)
        raise RobotFault("UNKNOWN_TRANSFER_ID", "no transfer with that id was sent from here")

    def _health(self, _: MemberCall) -> Json:
        if self._spec.health == "down":
            raise RobotFault("VASP_BACKEND_INTERNAL_ERROR", "set to be down")
        return {"status": "UP"}


def _said(body: Json) -> MemberAnswer:
    return MemberAnswer(_OK, orjson.dumps(body))


def _processed(body: Json, reason: str) -> Json:
    return {
        "transferId": body["transferId"],
        "result": "error" if reason else "normal",
        "reasonType": reason,
    }


def _vasp_data(member: WorldMember) -> Json:
    """Return the data of the robot's VASP (ivms101.md section 4)."""
    name = {"legalPersonName": member.vasp_legal_name, "legalPersonNameIdentifierType": "LEGL"}
    country = member.country_of_registration
    address = {"addressType": "GEOG", "townName": "Sandbox", "country": country, "addressLine": ["1 Robot Row"]}
    legal = {
        "name": {"nameIdentifier": [name]},
        "geographicAddress": [address],
        "countryOfRegistration": country,
    }
    return {"legalPerson": legal}
