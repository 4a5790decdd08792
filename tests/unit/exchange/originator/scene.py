"""What the tests of the machines share: a withdrawal, an authorization, and short ways to make inputs of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from schemas.events.decisions import DecisionRecorded
from schemas.events.txids import WithdrawalBroadcast, WithdrawalMined, WithdrawalSettled
from schemas.events.withdrawals import WithdrawalAmended, WithdrawalCancelled, WithdrawalRecorded, WithdrawalRequested
from schemas.wire_model import Wire
from travelrule.engine.registry import MACHINES
from travelrule.identity.payloads import authorization_payload, beneficiary_vasp
from travelrule.identity.profile import VaspProfile
from travelrule.machine.decision import Decision
from travelrule.machine.effects import Alert, CallHub, DropCalls, Emit, Reply, SendMessage
from travelrule.machine.input import Input
from travelrule.machine.internal_inputs import CallResult, TimerDue
from travelrule.messages.arrival import ARRIVAL_MESSAGES, SearchCalledBack
from travelrule.messages.assessment import ASSESSMENT_MESSAGES
from travelrule.messages.inbound_request import (
    AuthorizationReceived,
    FinishReceived,
    SenderFacts,
    TxidReportReceived,
    WalletFacts,
)
from travelrule.messages.owner import OWNER_MESSAGES
from travelrule.policy.policy import OwnVasp, Policy

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SALTS = UUID("7a0f4c1e-0000-4000-8000-000000000001")
WITHDRAWAL_ID = "0b6f3c1e-7d0a-4f6e-9a51-2f1d9d1f7c11"
TXID = "9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C0E5A7B3D4C2E8A6F0B1D3C5E7A9F1C"
OTHER_TXID = "1111111111111111111111111111111111111111111111111111111111111111"
ADDRESS = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
TAG = "77001"

PROFILE = VaspProfile.from_toml(
    'legal_name = "North Exchange Ltd."\ncountry_of_registration = "SG"\n[address]\ntown = "Singapore"\ncountry = "SG"'
)
SOUTH_PROFILE = PROFILE.model_copy(update={"legal_name": "South Exchange Ltd."})
NORTH = OwnVasp("north", "code:north", PROFILE)
SOUTH = OwnVasp("south", "code:south", SOUTH_PROFILE)


def policy(text: str = "", own: OwnVasp = NORTH) -> Policy:
    """The rules of a test; without the lists unless it speaks of them."""
    return Policy.from_toml(text if "sanctions" in text else f'sanctions = "off"\n{text}').with_own(own)


def request(**changes: Any) -> dict[str, Any]:
    return {
        "withdrawalId": WITHDRAWAL_ID,
        "currency": "XRP",
        "network": "XRP",
        "amount": "250.50",
        "tradePrice": "150.30",
        "tradeCurrency": "USD",
        "isExceedingThreshold": True,
        "historicalCost": "",
        "destination": {"kind": "vasp", "vaspEntityId": "south", "address": ADDRESS, "tag": TAG},
        "originator": {
            "customerId": "c-1001",
            "walletAddress": "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:1001",
            "natural": {"lastName": "Berg", "firstName": "Anna", "dateOfBirth": "1990-02-03"},
        },
        "beneficiary": {"natural": {"lastName": "Lind", "firstName": "Erik"}},
        **changes,
    }


def requested(**changes: Any) -> WithdrawalRequested:
    return WithdrawalRequested.model_validate(request(**changes))


def recorded(**changes: Any) -> WithdrawalRecorded:
    return WithdrawalRecorded.model_validate({**request(**changes), "txid": TXID})


def amended(**changes: Any) -> WithdrawalAmended:
    given = changes or {"beneficiary": {"natural": {"lastName": "Lindh", "firstName": "Erik"}}}
    return WithdrawalAmended.model_validate({"withdrawalId": WITHDRAWAL_ID, **given})


def cancelled(reason: str = "UNKNOWN") -> WithdrawalCancelled:
    return WithdrawalCancelled.model_validate({"withdrawalId": WITHDRAWAL_ID, "reason": reason})


def broadcast(txid: str = TXID, vout: str | None = None) -> WithdrawalBroadcast:
    return WithdrawalBroadcast(withdrawal_id=WITHDRAWAL_ID, txid=txid, vout=vout)


def mined() -> WithdrawalMined:
    return WithdrawalMined(withdrawal_id=WITHDRAWAL_ID)


def settled(outcome: Any = "confirmed") -> WithdrawalSettled:
    return WithdrawalSettled(withdrawal_id=WITHDRAWAL_ID, outcome=outcome)


def decided(decision: Any, subject: str = f"withdrawal:{WITHDRAWAL_ID}") -> DecisionRecorded:
    return DecisionRecorded(subject=subject, decision=decision, actor="operator-1", reason="checked by phone")


def answered(operation: str, transfer_id: str = WITHDRAWAL_ID, **body: Any) -> CallResult:
    """A final answer; ``payload`` goes beside the body, as the caller puts it."""
    payload = body.pop("payload", None)
    return CallResult(
        operation=operation,
        transfer_id=transfer_id,
        target="south",
        outcome="answered",
        status=200,
        message_code=str(body.get("reasonType", "")),
        body=body,
        payload=payload,
        attempts=1,
        counterparty_country="DE",
        counterparty_alliance="code",
    )


def reported(outcome: Any, operation: str, transfer_id: str = WITHDRAWAL_ID, **facts: Any) -> CallResult:
    return CallResult(operation=operation, transfer_id=transfer_id, target="south", outcome=outcome, **facts)


VALID = answered("address-search", result="valid")
COPIED = authorization_payload(requested(), PROFILE)
"""What an authorization of this withdrawal holds, and every honest answer copies."""
HONEST = {**COPIED, "BeneficiaryVASP": beneficiary_vasp(SOUTH_PROFILE)}
VERIFIED = answered("transfer-authorization", result="verified", payload=HONEST)


def denied(reason: str) -> CallResult:
    return answered("transfer-authorization", result="denied", reasonType=reason)


MESSAGES = ARRIVAL_MESSAGES | ASSESSMENT_MESSAGES | OWNER_MESSAGES


def input_type(data: Wire) -> str:
    """The type under which these data come."""
    if isinstance(data, CallResult):
        return f"call.{data.outcome}"
    told = next((name for name, model in MESSAGES.items() if type(data) is model), "")
    return told or {
        "WithdrawalRequested": "withdrawal.requested.v1",
        "WithdrawalRecorded": "withdrawal.recorded.v1",
        "AuthorizationReceived": "authorization.received",
        "TxidReportReceived": "txid-report.received",
        "FinishReceived": "finish.received",
        "TimerDue": "timer.due",
    }.get(type(data).__name__, type(data).__name__)


@dataclass
class Scene:
    """One subject and the time: ``tell`` sends an input and keeps what came of it."""

    subject: str = f"withdrawal:{WITHDRAWAL_ID}"
    rules: Policy = field(default_factory=policy)
    now: datetime = NOW
    state: Any = None
    inputs: int = 0
    last: Decision[Any] = field(default_factory=lambda: Decision(None))
    history: list[Any] = field(default_factory=list)

    def tell(self, data: Wire, *more: Wire) -> Decision[Any]:
        """Decide on each in turn; what the machine writes must read back equal."""
        for one in (data, *more):
            machine = MACHINES[self.subject.partition(":")[0]]
            self.last = machine.decide(self.state, self.input(one), self.rules, self.now)
            self.state = self.last.state
            self.history += self.last.effects
            if self.state is not None:
                assert machine.load(machine.dump(self.state)) == self.state
                machine.project(self.state)
        return self.last

    def input(self, data: Wire) -> Input:
        self.inputs += 1
        name = f"input-{self.inputs}"
        content = data.model_dump_json(by_alias=True).encode()
        salt = uuid5(SALTS, name)
        return Input("/test", name, input_type(data), self.subject, self.now, data, content, salt)

    def fire(self, name: str) -> Decision[Any]:
        """Let a timer come due."""
        due_at = self.state.timers[name]
        self.now = max(self.now, due_at)
        return self.tell(TimerDue(name=name, due_at=due_at))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @property
    def calls(self) -> list[CallHub]:
        return [effect for effect in self.last.effects if isinstance(effect, CallHub)]

    @property
    def drops(self) -> list[DropCalls]:
        return [effect for effect in self.last.effects if isinstance(effect, DropCalls)]

    @property
    def alerts(self) -> list[str]:
        return [effect.code for effect in self.last.effects if isinstance(effect, Alert)]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        return [effect.data for effect in self.last.effects if isinstance(effect, Emit) and effect.topic == "verdicts"]

    @property
    def callbacks(self) -> list[dict[str, Any]]:
        return [effect.data for effect in self.last.effects if isinstance(effect, Emit) and effect.topic == "callbacks"]

    @property
    def tells(self) -> list[SendMessage]:
        return [effect for effect in self.last.effects if isinstance(effect, SendMessage)]

    @property
    def statuses(self) -> list[str]:
        """The statuses that the last decision emitted, in order."""
        return [
            effect.data["status"]
            for effect in self.last.effects
            if isinstance(effect, Emit) and effect.topic == "exchanges"
        ]

    @property
    def reply(self) -> dict[str, Any]:
        (body,) = [effect.body for effect in self.last.effects if isinstance(effect, Reply)]
        return body


def asking(rules: Policy | None = None) -> Scene:
    """A withdrawal whose address is being searched."""
    scene = Scene(rules=rules or policy())
    scene.tell(requested())
    return scene


UNKNOWN = {"kind": "unknown", "address": ADDRESS, "tag": TAG}
"""A destination whose VASP nobody named."""


UNHOSTED = {"kind": "unhosted", "address": "0xab", "blockchain": "ETH", "asset": "ETH", "widgetOrigin": "https://a"}
"""The customer's own wallet."""


def searching(rules: Policy | None = None) -> Scene:
    """A withdrawal whose VASP is searched, before the hub answered."""
    scene = Scene(rules=rules or policy())
    scene.tell(requested(destination=UNKNOWN))
    return scene


def polling(rules: Policy | None = None) -> Scene:
    """A withdrawal whose VASP the hub searches."""
    scene = searching(rules)
    scene.tell(search_accepted(scene))
    return scene


def search_accepted(scene: Scene) -> CallResult:
    return answered("wallet-search", scene.state.search.request_id, result="SUCCESS")


def search_result(scene: Scene, reason: str = "", found: str = "", **rows: str) -> CallResult:
    """P.3 for the search that runs: ``rows`` are the members' answers."""
    body: dict[str, Any] = {"result": "valid" if found else "invalid", "requestId": scene.state.search.request_id}
    if found:
        body["beneficiaryVaspEntityId"] = found
    if reason:
        body["reasonType"] = reason
    body["analysisResult"] = [{"entityId": name, "result": row} for name, row in rows.items()]
    return answered("wallet-search-result", scene.state.search.request_id, **body)


def search_failed(scene: Scene, operation: str = "wallet-search", **facts: Any) -> CallResult:
    return reported("failed", operation, scene.state.search.request_id, **(facts or {"code": "NO_ANSWER"}))


def called_back(scene: Scene, request_id: str = "", operation: Any = "wallet-search") -> SearchCalledBack:
    return SearchCalledBack(operation=operation, request_id=request_id or scene.state.search.request_id)


def verified(scene: Scene) -> CallResult:
    """The answer of an honest counterparty to the newest authorization."""
    asked = [one for one in scene.history if isinstance(one, CallHub) and one.operation == "transfer-authorization"]
    payload = {**(asked[-1].payload or {}), "BeneficiaryVASP": beneficiary_vasp(SOUTH_PROFILE)}
    return answered("transfer-authorization", asked[-1].transfer_id, result="verified", payload=payload)


def waiting(rules: Policy | None = None) -> Scene:
    """A withdrawal whose authorization is on its way."""
    scene = asking(rules)
    scene.tell(VALID)
    return scene


def allowed(rules: Policy | None = None) -> Scene:
    """A verified withdrawal, not broadcast."""
    scene = waiting(rules)
    scene.tell(VERIFIED)
    return scene


def reporting(rules: Policy | None = None) -> Scene:
    """A verified withdrawal whose txid is being reported."""
    scene = allowed(rules)
    scene.tell(broadcast())
    return scene


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


def inbound(text: str = "") -> Scene:
    """An inbound exchange that is not there yet."""
    return Scene(subject=f"exchange:north/{TRANSFER_ID}", rules=policy(text, SOUTH))


def authorized(text: str = "") -> Scene:
    """An inbound exchange that was answered verified."""
    scene = inbound(text)
    scene.tell(authorization())
    return scene
